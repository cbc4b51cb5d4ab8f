/** The keyboard: what keys do, and the list of them. */

import { button, byId, make, TYPED } from "./dom.js";

const KEYS = [
  ["Tab, Enter", "choose tiles, spaces and moves"],
  ["Esc", "cancel a choice, play on after a warning"],
  ["1 to 9, 0", "choose a display, or the centre"],
  ["then a letter", "choose that colour; once more, or Enter: take the tiles"],
  ["then 1 to 5, 0", "in base Azul: choose the line, or the floor line"],
  ["U", "undo"], ["R", "redo"], ["← →", "one step back or on, draws are steps too"],
  ["H", "hint, a second time: why"],
  ["A", "analyse, stop"], ["N", "next mistake of a review"], ["E", "edit the position"],
  ["T", "puzzles"], ["while editing: a letter", "choose that tile, . for none; U undoes"],
  ["?", "this list"],
];

const HELP = [
  "The words above the board say what can be done next. Taking: click a tile to see all that comes "
    + "with it, then click again; in base Azul, click the line. Placing: click an outlined space. "
    + "Every legal move is also listed under Moves, in words.",
  "Hint marks the best move and, pressed again, says why. Undo goes back to your last decision. "
    + "Under Players and games you choose game, boards, players and levels.",
  "Drop a finished game anywhere, or open it, to see where it was lost. The rules are not explained "
    + "here.",
];

/**
 * @param {Record<string, () => void>} actions by key
 * @param {() => import("./editor.js").Editor|null} editor has keys of its own while it is open
 * @param {import("./picker.js").Picker} picker has keys of its own, too, while tiles are taken
 */
export function bindKeys(actions, editor, picker) {
  const help = () => {
    const list = make("dl", {}, ...KEYS.flatMap(([keys, what]) =>
      [make("dt", { text: keys }), make("dd", { text: what })]));
    byId("dialog").replaceChildren(make("h2", { id: "dialog-title", text: "Help",
      autofocus: true, tabindex: -1 }), // else it would open at its last line, with the button
      ...HELP.map((text) => make("p", { text })), make("h3", { text: "Keys" }), list,
      button("Close", () => byId("dialog").close(), { class: "strong" }));
    byId("dialog").showModal();
  };
  byId("help").onclick = help;
  addEventListener("keydown", (event) => {
    const target = /** @type {any} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (byId("dialog").open || target.closest?.(TYPED)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const open = editor();
    const chooser = open ?? picker;
    const mine = { ...open ? { a: actions.a } : actions, "?": help };
    const action = chooser.means(key) ? () => chooser.key(key, event.repeat) : mine[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** Keeps the keyboard in the part of the page where it is used, when that is filled anew. */
export class Focus {
  /**
   * @param {Record<string, () => any>} parts by id: what takes the focus there, if anything; `table`
   *   and `moves` do for the others
   */
  constructor(parts) {
    this.parts = parts;
    this.table = byId("table"); // has the focus as long as nothing on it can
    /** @type {string|undefined} where the keyboard was used last */
    this.part = undefined;
    addEventListener("keydown", (event) => {
      this.note(event.target);
      if (!event.repeat || !["Enter", " "].includes(event.key)) return;
      const target = /** @type {Element} */ (event.target);
      if (target.closest?.(TYPED) || (this.part === undefined && target === document.body)) return;
      event.preventDefault(); // a key that is held down is not to press button after button
      event.stopPropagation();
    }, true);
    addEventListener("pointerdown", () => { this.part = undefined; }, true);
  }

  /** @param {any} target where a key was pressed */
  note(target) {
    if ([document.body, this.table].includes(target)) return; // what had the focus is gone
    this.part = Object.keys(this.parts).find((id) => byId(id).contains(target)) ?? "table";
  }

  /** Give the focus back if what had it is gone. */
  restore() {
    const had = /** @type {any} */ (document.activeElement);
    const lost = this.table.contains(had) && !had.hasAttribute("tabindex"); // soon, by the browser
    const there = ![document.body, this.table].includes(had) && !had?.disabled && !lost
      && (had?.checkVisibility?.() ?? true); // new in Safari 17.4
    if (this.part === undefined || there) return;
    const found = [this.part, "table", "moves"].map((id) => this.parts[id]()).find(Boolean) ?? this.table;
    const inSight = found === this.table || byId("choice").contains(found);
    found.focus({ preventScroll: inSight });
  }
}
