/** The list of all legal moves, and the list of what was played. */

import { button, byId, make, placeName } from "./dom.js";

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
    const place = move.kind === "pass" ? "pass" : placeName(move.steps[0].place);
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
 * List what was played as a tree: the game, and under its moves the lines that were tried.
 * @param {import("./game.js").Game} game
 * @param {(node: import("./game.js").Node) => void} go
 * @param {(node: import("./game.js").Node) => void} drop lets a line be forgotten
 */
export function listGame(game, go, drop) {
  byId("log").replaceChildren(...branch(game.root, 0, game.current, go, drop));
  const here = byId("log").querySelector(".here");
  if (here) byId("log").scrollTop = here.offsetTop - byId("log").offsetTop - 60;
  const lines = byId("lines");
  lines.replaceChildren();
  if (!game.current.main) {
    lines.append(button("Leave this line", () => go(game.trunk), { class: "strong", id: "leave" }));
  }
}

/** Return the items of a line from a node on, with the lines beside it below. */
function branch(first, number, current, go, drop) {
  const items = [];
  for (let node = first, depth = number; node; depth++) {
    const item = entry(node, depth, current, go);
    items.push(item);
    const next = node.children.find((child) => child.main === node.main);
    for (const child of node.children) {
      if (child === next) continue;
      item.append(make("div", { class: "row line" },
        make("ol", { class: "tried" }, ...branch(child, depth + 1, current, go, drop)),
        button("×", () => drop(child), { class: "quiet", title: "Forget this line",
          "aria-label": `forget the line ${child.played}` })));
    }
    node = next;
  }
  return items;
}

function entry(node, number, current, go) {
  const title = !node.parent ? "start"
    : node.seat === null ? node.played : `seat ${node.seat}: ${node.played}`;
  const item = make("li", {
    class: [node === current && "here", !node.main && "aside"].filter(Boolean).join(" "),
    "aria-current": node === current ? "step" : false, value: number,
  }, button(title, () => go(node), { title: node.words,
    class: node.parent && node.seat === null ? "draw" : "" }));
  return item;
}
