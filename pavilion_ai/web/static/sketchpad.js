/**
 * Editing on the drawing: a click on a place puts the chosen tile there, a click on one like it takes
 * it away. No rule is known here; the places are named by the drawing and the fields by the JSON form.
 */

import { aTile, placeName, speak, spelled, tileName } from "./dom.js";

/** Groups of the drawing that take tiles, and the field of the JSON form that each shows. */
const HEAPS = { C: "centre", supply: "supply", hand: "hand", kept: "kept", "floor line": "floor" };
const ROOM = { supply: 10, kept: 4, floor: 7 }; // for so many tiles there are places; the others have no end
const ROOM_ON_DISPLAY = 4;
export const EMPTY = ".";

/** Lets the drawing of a draft be clicked. */
export class Sketchpad {
  /**
   * @param {import("./board.js").Board} board
   * @param {{change: (edit: () => void) => boolean, draft: () => any, picked: () => string}} editor
   */
  constructor(board, editor) {
    this.board = board;
    this.editor = editor;
  }

  /** Make everything on the drawing clickable that can be changed. */
  bind() {
    const { picture } = this.board;
    if (!picture) return;
    for (const element of picture.querySelectorAll("[data-at], [data-place], .slot, .count, .round")) {
      this.bindOne(/** @type {any} */ (element));
    }
  }

  /** @param {any} element */
  bindOne(element) {
    const seat = element.closest(".seat")?.dataset.seat;
    const at = element.dataset.at ?? element.dataset.place;
    if (element.classList.contains("round")) {
      const number = [...element.parentElement.querySelectorAll(".round")].indexOf(element) + 1;
      this.click(element, `set round ${number}`, (draft) => { draft.round = number; });
    } else if (element.classList.contains("count")) {
      this.bindCount(element);
    } else if (element.classList.contains("slot")) {
      const key = seat === undefined ? "supply" : "kept";
      this.click(element, this.putting(named(key, seat)), (draft) =>
        add(holderOf(draft, seat), key, this.editor.picked()));
    } else if (at !== undefined) this.bindPlace(element, at, seat);
  }

  /** Let a count of the bag or the discards be raised, or lowered with "no tile" chosen. */
  bindCount(element) {
    const heap = element.parentElement.getAttribute("class");
    const letter = element.querySelector("text")?.textContent ?? "";
    const words = `${heap}: one more ${tileName(letter)}, or one less with no tile chosen`;
    this.click(element, words, (draft) => {
      if (this.editor.picked() === EMPTY) remove(draft, heap, letter);
      else add(draft, heap, letter);
    });
  }

  bindPlace(element, at, seat) {
    const letter = element.dataset.tile;
    const field = fieldOf(at);
    if (!field) return;
    const holder = (/** @type {any} */ draft) => field.reach(holderOf(draft, seat));
    const picked = this.editor.picked();
    const where = named(at, seat);
    const taken = letter && `${where}: take the ${tileName(letter)} away`;
    if (field.cell !== undefined) {
      const printed = letter ? null : printedLetter(element);
      this.click(element, taken ?? this.putting(where, printed), (draft) => {
        set(holder(draft), field.key, field.cell,
          letter || this.editor.picked() === EMPTY ? EMPTY : printed ?? this.editor.picked());
      });
    } else if (letter && (letter === picked || picked === EMPTY
      || spelled(holder(this.editor.draft())[field.key]).length >= field.room)) {
      this.click(element, taken, (draft) => remove(holder(draft), field.key, letter));
    } else {
      this.click(element, this.putting(where), (draft) =>
        add(holder(draft), field.key, this.editor.picked()));
    }
  }

  /** @returns {string} what a click on a place does, on which a letter may be printed */
  putting(/** @type {string} */ where, /** @type {string|null} */ printed = null) {
    const picked = this.editor.picked();
    return `${where}: ${picked === EMPTY ? "no tile to put is chosen"
      : `put ${aTile(printed ?? picked)}`}`;
  }

  /**
   * @param {any} element
   * @param {string} words what a click does; it is said when it is done
   * @param {(draft: any) => void} edit
   */
  click(element, words, edit) {
    this.board.clickable([element], words, () => {
      if (this.editor.change(() => edit(this.editor.draft()))) speak(`Done: ${words}`, true);
    });
    const act = element.onclick;
    element.onclick = (/** @type {Event} */ event) => {
      event.stopPropagation(); // a tile lies in its place
      act();
    };
  }

  /**
   * Mark what problems point at.
   * @param {string[]} places of the JSON form
   */
  mark(places) {
    this.board.clear("wrong");
    for (const place of places) {
      for (const element of this.elementsOf(place)) element.classList.add("wrong");
    }
  }

  /** @param {string} place of the JSON form @returns {any[]} what shows it */
  elementsOf(place) {
    const { picture } = this.board;
    const seat = /^seats\[([0-9])\]\.?(.*)$/.exec(place);
    const root = seat ? this.board.seat(Number(seat[1])) : picture;
    if (!root) return [];
    const inner = seat ? seat[2] : place;
    const found = (/** @type {string} */ selector) => [...root.querySelectorAll(selector)]
      .filter((one) => seat || !one.closest(".seat"));
    const part = /^(displays|lines|wall)\[([0-9])\]$/.exec(inner);
    if (part?.[1] === "displays") return found(`[data-place="D${Number(part[2]) + 1}"]`);
    if (part?.[1] === "lines") return found(`[data-at="line ${Number(part[2]) + 1}"]`);
    if (part?.[1] === "wall") return found(`[data-at^="wall ${Number(part[2]) + 1}."]`);
    const star = /^stars\.([A-Z]+)$/.exec(inner);
    if (star) return found(`[data-at^="${star[1]}."]`);
    const name = Object.keys(HEAPS).find((key) => HEAPS[key] === inner);
    if (name) return found(`[data-place="${name}"], [data-at="${name}"]`);
    if (inner === "bag" || inner === "tower" || inner === "lid") return found(`.${inner}`);
    if (inner === "tiles" || inner === "bag_size") return found(".bag, .tower, .lid");
    return inner === "" && seat ? [root] : [];
  }
}

/** @param {string} at @param {string|undefined} seat @returns {string} whose place, and which */
function named(at, seat) {
  return `${seat === undefined ? "" : `seat ${seat}, `}${placeName(at)}`;
}

/** @param {any} draft @param {string|undefined} seat @returns {any} */
function holderOf(draft, seat) {
  return seat === undefined ? draft : draft.seats[Number(seat)];
}

/**
 * Return the field behind a place of the drawing.
 * @param {string} at
 * @returns {{reach: (holder: any) => any, key: any, cell?: number, room?: number}|null} with the cell, or
 *   for how many tiles of different colours there is room
 */
function fieldOf(at) {
  const self = (/** @type {any} */ holder) => holder;
  if (HEAPS[at]) return { reach: self, key: HEAPS[at], room: ROOM[HEAPS[at]] ?? Infinity };
  let found = /^D([0-9])$/.exec(at);
  if (found) {
    return { reach: (holder) => holder.displays, key: Number(found[1]) - 1, room: ROOM_ON_DISPLAY };
  }
  found = /^line ([0-9])$/.exec(at);
  if (found) return { reach: (holder) => holder.lines, key: Number(found[1]) - 1, room: 0 };
  found = /^wall ([0-9])\.([0-9])$/.exec(at);
  if (found) {
    return { reach: (holder) => holder.wall, key: Number(found[1]) - 1, cell: Number(found[2]) - 1 };
  }
  found = /^([A-Z]+)\.([1-6])$/.exec(at);
  if (found) return { reach: (holder) => holder.stars, key: found[1], cell: Number(found[2]) - 1 };
  return null;
}

/** @returns {string|null} the letter printed on an empty space: no other tile may lie there */
function printedLetter(element) {
  const texts = [...element.querySelectorAll("text")].map((one) => one.textContent ?? "");
  return texts.find((text) => /^[a-z]$/.test(text))?.toUpperCase() ?? null;
}

/** @param {string[]} letters @param {any} key @returns {string} as a multiset, or a floor line */
export function written(letters, key) {
  return (key === "floor" ? letters : letters.sort()).join("") || "-";
}

function add(holder, key, letter) {
  if (letter !== EMPTY) holder[key] = written([...spelled(holder[key]), letter], key);
}

function remove(holder, key, letter) {
  const letters = spelled(holder[key]);
  const index = letters.lastIndexOf(letter);
  if (index >= 0) letters.splice(index, 1);
  holder[key] = written(letters, key);
}

function set(holder, key, cell, letter) {
  const row = [...holder[key]];
  row[cell] = letter;
  holder[key] = row.join("");
}
