/** The keyboard: what keys do, and the list of them. */

import { button, byId, make } from "./dom.js";

const KEYS = [
  ["Tab, Enter", "choose tiles, spaces and moves"], ["Esc", "cancel a choice"],
  ["U or ←", "take back"], ["R or →", "play again"], ["H", "hint, a second time: why"],
  ["A", "analyse, stop"], ["N", "next mistake of a review"], ["E", "edit the position"],
  ["T", "puzzles"], ["while editing: a letter", "choose that tile, . for none; U undoes"],
  ["?", "this list"],
];

/**
 * @param {Record<string, () => void>} actions by key
 * @param {() => import("./editor.js").Editor|null} editor has keys of its own while it is open
 */
export function bindKeys(actions, editor) {
  const help = () => {
    const list = make("dl", {}, ...KEYS.flatMap(([keys, what]) =>
      [make("dt", { text: keys }), make("dd", { text: what })]));
    byId("dialog").replaceChildren(make("h2", { id: "dialog-title", text: "Keys" }), list,
      button("Close", () => byId("dialog").close(), { class: "strong" }));
    byId("dialog").showModal();
  };
  byId("help").onclick = help;
  addEventListener("keydown", (event) => {
    const target = /** @type {any} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest?.("input, textarea, select, dialog")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const open = editor();
    const mine = { ...open ? {} : actions, "?": help };
    const action = open?.means(key) ? () => open.key(key) : mine[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
