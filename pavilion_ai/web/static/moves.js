/** The list of all legal moves, and the list of what was played. */

import { button, byId, make } from "./dom.js";
import { nameOf } from "./picker.js";

/**
 * List the legal moves, those of one place together.
 * @param {import("./game.js").Choice[]} moves
 * @param {(move: string) => void} play
 * @param {(move: string|null) => void} hover
 * @param {boolean} enabled whether a click plays one
 */
export function listMoves(moves, play, hover, enabled) {
  /** @type {Map<string, HTMLElement[]>} */
  const groups = new Map();
  for (const move of moves) {
    const place = move.kind === "pass" ? "pass" : nameOf(move.steps[0].place);
    const one = button("", () => play(move.move), {
      class: "move", "data-move": move.move, disabled: !enabled, title: move.words,
    });
    one.append(make("b", { text: move.move }), ` ${move.words}`);
    one.onpointerenter = one.onfocus = () => hover(move.move);
    one.onpointerleave = one.onblur = () => hover(null);
    groups.set(place, [...(groups.get(place) ?? []), one]);
  }
  const parts = [...groups].flatMap(([place, buttons]) =>
    [make("h3", { text: `${place}${buttons.length > 1 ? ` (${buttons.length})` : ""}` }), ...buttons]);
  byId("moves").replaceChildren(...parts);
  byId("moves-title").textContent = moves.length ? `Moves (${moves.length})` : "Moves";
}

/**
 * List what was played, and which lines lead on from here.
 * @param {import("./game.js").Game} game
 * @param {(node: import("./game.js").Node) => void} go
 */
export function listGame(game, go) {
  const path = game.current.path;
  const nodes = [...path];
  for (let node = game.current; node.next ?? node.children[0];) {
    node = node.next ?? node.children[0];
    nodes.push(node);
  }
  const items = nodes.map((node) => {
    const title = node.parent ? `${node.seat === null ? "" : `seat ${node.seat}: `}${node.played[0]}`
      : "start";
    const one = button(title, () => go(node), { title: node.words });
    const drawn = node.played.slice(1).join(" ");
    const item = make("li", {
      class: [node === game.current && "here", !node.main && "aside"].filter(Boolean).join(" "),
      "aria-current": node === game.current ? "step" : false, value: nodes.indexOf(node),
    }, one);
    if (drawn) item.append(make("div", { class: "drawn", text: drawn }));
    return item;
  });
  byId("log").replaceChildren(...items);
  const here = byId("log").querySelector(".here");
  if (here) byId("log").scrollTop = here.offsetTop - byId("log").offsetTop - 60;
  const lines = byId("lines");
  lines.replaceChildren();
  if (!game.current.main) {
    lines.append(button("Leave this line", () => go(game.trunk), { class: "strong", id: "leave" }));
  }
  if (game.current.children.length > 1) {
    lines.append(make("span", { text: " Lines from here: " }),
      ...game.current.children.map((child) => button(child.played[0], () => go(child))));
  }
}
