/**
 * Choosing a move by clicking on the board.
 *
 * The engine says of every legal move by which steps it is made; what can be clicked are the steps
 * in which the moves that are still possible differ. No rule is known here.
 */

import { button, byId, chips, COLOURS, isNarrow, make, placeName, speak, spoken, tileName } from "./dom.js";

/** @typedef {import("./game.js").Choice} Choice */

/** What can be done, by kind of move and number of its steps. */
const HINTS = {
  draft: ["Click a tile: all that comes with it lights up. Click again to take it all.",
    "Click a tile, then the line for it."],
  wall: ["", "Click the space on the wall for the tile of the full line."],
};
const DIGIT = /^[0-9]$/;
const NO_COLUMN = "No column is legal: click the floor line.";

export class Picker {
  /**
   * @param {import("./board.js").Board} board
   * @param {(move: string) => void} play
   * @param {(text: string) => void} remark says what a key cannot do; nothing: no more
   */
  constructor(board, play, remark) {
    this.board = board;
    this.play = play;
    this.remark = remark;
    this.panel = byId("choice");
    /** @type {Choice[]} */
    this.moves = [];
    /** @type {number|null} */
    this.seat = null;
    this.asks = true; // whether the panel says what can be done before anything is chosen
    this.chosen = ""; // tiles of a set that is put together
    this.taught = ""; // what was said last of what can be done at first
  }

  /**
   * Offer moves.
   * @param {Choice[]} moves all that are legal; none: nothing can be clicked
   * @param {number|null} seat who moves
   * @param {boolean} asks whether somebody is asked to move; else moves can only be tried
   */
  offer(moves, seat, asks = true) {
    this.moves = moves;
    this.seat = seat;
    this.asks = asks;
    this.reset();
  }

  /** Begin the choice anew. */
  reset() {
    this.held = null; // before the panel is emptied: what loses the focus there shows it again
    this.remark("");
    this.board.release();
    this.board.clear("lit");
    this.panel.replaceChildren();
    speak("");
    this.begun = null;
    this.chosen = this.source = "";
    this.left = [];
    const placing = this.moves.filter((move) => move.kind !== "pass");
    const passing = this.moves.filter((move) => move.kind === "pass");
    if (placing.length && placing.every((move) => byTiles(move, 0))) this.collect(placing, "Take");
    else this.ask(placing, placing.every((move) => move.kind === "wall") ? 1 : 0);
    if (!this.asks) return;
    if (passing.length) this.offerPass(passing, placing.length > 0);
    else if (placing.length && HINTS[placing[0].kind]) {
      const walled = placing[0].kind !== "wall"
        || placing.some((move) => move.steps[1].place.startsWith("wall"));
      const hint = walled ? HINTS[placing[0].kind][placing[0].steps.length - 1] : NO_COLUMN;
      this.panel.append(make("p", { class: "fine", text: hint }));
      this.teach(hint);
    }
  }

  /** Say what can be done at first, if that is not what was said last. */
  teach(/** @type {string} */ words) {
    if (words !== this.taught) speak(words);
    this.taught = words;
  }

  /**
   * Make the places clickable in which moves differ at a step.
   * @param {Choice[]} moves
   * @param {number} number of the step
   */
  ask(moves, number) {
    for (const group of grouped(moves, number).values()) {
      const step = group[0].steps[number];
      let elements = this.board.elements(step, this.seat);
      if (step.pick) elements = elements.filter((one) => one.dataset.tile === step.pick);
      const only = group.length === 1 && (number > 0 || !step.tiles) ? group[0] : null;
      this.board.clickable(elements, only ? only.words : wordsOf(group, step),
        () => (only ? this.play(only.move) : this.narrow(group, number)), {
          move: only?.move,
          hover: () => this.preview(group[0], group.length > 1 ? number : undefined),
          leave: () => this.unpreview(),
        });
    }
  }

  /** Show what a move concerns, as long as it is pointed at. */
  preview(move, upTo) {
    this.board.clear("lit");
    const steps = upTo === undefined ? move.steps : move.steps.slice(0, upTo + 1);
    this.board.light({ ...move, steps }, this.seat, "lit");
  }

  unpreview() {
    this.board.clear("lit");
    if (this.held) this.board.light(this.held, this.seat, "lit");
  }

  /** @type {Choice|null} what stays lit */
  held = null;

  /** @type {(() => void)|null} what brings the choice from its beginning to where it is */
  begun = null;

  /** @type {Choice[]} what is left of the moves when one step is chosen */
  left = [];

  /** @type {string} the display, or the centre, that was chosen by its digit */
  source = "";

  /** @type {(letters: string) => void} put a set of tiles together */
  fill = () => {};

  /** @returns {boolean} whether something is half chosen */
  get busy() {
    return this.begun !== null || this.chosen !== "";
  }

  /** @returns {() => void} what takes the choice up again when its moves are offered once more */
  pause() {
    const { begun, chosen, source } = this;
    return () => {
      this.source = source;
      begun?.();
      if (chosen || this.chosen) this.fill(chosen);
    };
  }

  /** @returns {Choice[]} the same moves among those offered now */
  same(group) {
    return this.moves.filter((move) => group.some((one) => one.move === move.move));
  }

  /**
   * Continue with those moves that share a step.
   * @param {Choice[]} group
   * @param {number} number
   */
  narrow(group, number) {
    this.remark("");
    this.board.release();
    this.board.clear("lit");
    const first = group[0];
    this.left = group;
    if (first.steps[0].place !== this.source) this.source = "";
    this.begun = () => this.narrow(this.same(group), number);
    this.held = { ...first, steps: first.steps.slice(0, number + 1) };
    this.board.light(this.held, this.seat, "lit");
    const cancel = this.cancelling();
    if (group.length === 1) {
      const elements = this.lit(first);
      this.board.clickable(elements, first.words, () => this.play(first.move),
        { move: first.move });
      const confirm = button("Take them", () => this.play(first.move),
        { class: "strong", "data-move": first.move });
      this.panel.replaceChildren(make("p", {}, sentence(first.words), " ", confirm, " ", cancel));
      speak(sentence(first.words));
      confirm.focus({ preventScroll: true });
    } else if (group.every((move) => byTiles(move, number + 1))) {
      this.payments(group, number + 1, cancel);
    } else {
      this.ask(group, number + 1);
      const step = first.steps[number];
      const keys = isNarrow() ? "" : ", or press 1 to 5, 0 for the floor line";
      const next = ` from ${placeName(step.place)}: click the line where `
        + `${step.tiles.length > 1 ? "they go" : "it goes"}${keys}. `;
      this.panel.replaceChildren(make("p", {}, chips(step.tiles), next, cancel));
      speak(spoken(step.tiles) + next);
      this.firstClickable()?.focus({ preventScroll: true });
      this.unpreview(); // an arrow to the first line would recommend it
    }
    if (number === 0) this.ask(this.moves.filter((move) => move.kind === first.kind
      && !group.includes(move)), 0);
  }

  /** @param {string} key @returns {boolean} whether it chooses tiles to take, or their line */
  means(key) {
    return this.moves[0]?.kind === "draft"
      && (DIGIT.test(key) || (this.source !== "" && key.toUpperCase() in COLOURS));
  }

  /**
   * Choose a place of tiles, or a line, by its digit; a colour of that place as a click on it does.
   * @param {string} key
   * @param {boolean} held whether it is still down: it would take what it has chosen
   */
  key(key, held) {
    if (held) return;
    if (!DIGIT.test(key)) this.colour(key.toUpperCase());
    else if (this.left[0]?.steps.length > 1) {
      const many = this.left[0].steps[0].tiles.length > 1;
      const line = key === "0" ? "floor line" : `line ${key}`;
      const move = this.left.find(({ steps }) => steps[1].place === line);
      if (move) this.play(move.move);
      else this.remark(sentence(`${line}: ${many ? "they" : "it"} cannot go there`));
    } else this.from(key === "0" ? "C" : `D${key}`);
  }

  /** Click on a colour of the place that is chosen. */
  colour(/** @type {string} */ letter) {
    const tiles = this.tilesAt(this.source, letter);
    const takes = this.coloursAt(this.source).includes(letter);
    const open = tiles.find((one) => takes && one.matches(".clickable"));
    const colour = COLOURS[letter];
    if (open) open.onclick();
    else {
      this.remark(sentence(`${placeName(this.source)}: ${
        !tiles.length ? `there are no ${colour} tiles`
        : takes ? `${colour} is chosen already` : onlyComes(letter)}`));
    }
  }

  /** @returns {string} why a tile on the table cannot be chosen */
  refusal(/** @type {string} */ place, /** @type {string} */ letter) {
    const apart = this.moves[0].kind === "draft" && letter && this.coloursAt(place).length;
    return apart && !this.coloursAt(place).includes(letter) ? onlyComes(letter) : "";
  }

  /** @returns {string} the beginning of the move that is chosen: where tiles are taken, and which */
  get taken() {
    const step = this.left[0]?.steps[0];
    return step?.pick ? `${step.place}:${step.pick}` : "";
  }

  /** @returns {any[]} the tiles of a colour in a place */
  tilesAt(/** @type {string} */ place, /** @type {string} */ letter) {
    return this.board.elements(all(place), this.seat).filter((one) => one.dataset.tile === letter);
  }

  /** @returns {string[]} the colours that can be taken from a place, in the order of the drawing */
  coloursAt(/** @type {string} */ place) {
    const steps = this.moves.map((move) => move.steps[0]).filter((step) => step.place === place);
    const tiles = this.board.elements(all(place), this.seat).map((one) => one.dataset.tile ?? "");
    return [...new Set(tiles)].filter((letter) => steps.some((step) => step.pick === letter));
  }

  /** Let a colour of a place be chosen; the only one is chosen at once. */
  from(/** @type {string} */ place) {
    const colours = this.coloursAt(place);
    if (!colours.length) {
      this.remark(sentence(`${placeName(place)}: there are no tiles`));
      return;
    }
    this.reset();
    this.source = place;
    if (colours.length === 1) {
      this.colour(colours[0]);
      return;
    }
    this.begun = () => this.from(place);
    this.held = { ...this.moves[0], kind: "", steps: [all(place)] };
    this.board.light(this.held, this.seat, "lit");
    const piles = colours.map((letter) => {
      const pile = button("", () => this.colour(letter), { class: "pile", "data-pick": letter,
        "aria-label": this.tilesAt(place, letter)[0].ariaLabel });
      pile.append(chips(letter));
      return pile;
    });
    const asked = `From ${placeName(place)}, click or press a letter: `;
    speak(asked);
    this.panel.replaceChildren(make("p", {}, asked),
      make("div", { class: "piles" }, ...piles, this.cancelling()));
    piles[0].focus({ preventScroll: true });
  }

  /** @returns {any} */
  firstClickable() {
    return this.board.picture?.querySelector('.clickable[tabindex="0"]') ?? null;
  }

  /** Return the tiles that a draft takes. */
  lit(move) {
    const step = move.steps[0];
    return this.board.tiles(this.board.elements(step, this.seat), step.tiles);
  }

  /** Offer the ways to pay as piles, the fewest wild tiles first. */
  payments(group, number, cancel) {
    const sorted = [...group].sort((a, b) => a.wild - b.wild);
    const piles = sorted.map((move) => {
      const pile = button("", () => this.play(move.move), {
        class: "pile", "data-move": move.move, "aria-label": move.words, title: move.words,
      });
      pile.append(chips(move.steps[number].tiles));
      pile.onpointerenter = pile.onfocus = () => this.preview(move);
      pile.onpointerleave = pile.onblur = () => this.unpreview();
      return pile;
    });
    const place = placeName(group[0].steps[number - 1].place);
    const asked = `Pay for ${place} with: `;
    speak(asked);
    this.panel.replaceChildren(make("p", {}, asked),
      make("div", { class: "piles ways" }, ...piles, cancel));
    piles[0].focus({ preventScroll: true });
  }

  /** Offer to pass: with a single way at once, else by choosing the tiles to keep. */
  offerPass(passing, /** @type {boolean} */ placing) {
    const only = passing.length === 1 ? passing[0] : null;
    const pass = button(`Pass${only ? cost(only) : ""}`, () => (only ? this.play(only.move) : this.choosePass(passing)),
      only ? { "data-move": only.move, title: only.words } : { title: "Choose what to keep" });
    const asked = placing ? "Click an outlined space to place a tile, or: " : "No tile can be placed: ";
    this.teach(`${asked}${pass.textContent}`);
    this.panel.append(make("p", {}, asked, pass));
  }

  choosePass(passing) {
    this.remark("");
    this.board.release();
    this.board.clear("lit");
    this.begun = () => this.choosePass(this.same(passing));
    this.collect(passing, "Pass, keeping", this.cancelling());
    const [{ tiles: whole }] = passing.map((move) => move.steps[0]).sort((one, other) =>
      other.tiles.length - one.tiles.length);
    if (whole.length === this.board.elements(passing[0].steps[0], this.seat).length) {
      this.fill([...whole].sort().join("")); // which costs nothing
    }
  }

  /** Forget what is chosen, if anything is. */
  letGo() {
    if (this.busy) this.reset();
  }

  /** @returns {any} a button that begins the choice anew */
  cancelling() {
    return button("Cancel", () => this.cancel(), { class: "quiet", title: "Esc" });
  }

  /** Begin anew; where there is nothing to choose, what stands beside the board stays. */
  cancel() {
    this.remark("");
    if (!this.moves.length) return;
    this.reset();
    this.firstClickable()?.focus({ preventScroll: true });
  }

  /**
   * Let a set of tiles be put together, on the board or in the panel.
   * @param {Choice[]} moves that differ in one set of tiles
   * @param {string} verb
   * @param {Node[]} more
   */
  collect(moves, verb, ...more) {
    const step = moves[0].steps[0];
    let elements = this.board.elements(step, this.seat); // of a colour the first ones are taken
    const fits = (/** @type {string} */ letters) => moves.some((move) =>
      within(letters, move.steps[0].tiles));
    const sizes = moves.map((move) => move.steps[0].tiles.length);
    const most = Math.max(...sizes);
    const count = Math.min(...sizes) === most ? String(most) : `up to ${most}`;
    const usable = new Set(moves.flatMap((move) => [...move.steps[0].tiles]));
    const colours = [...new Set(elements.map((element) => element.dataset.tile ?? ""))]
      .filter((letter) => usable.has(letter)); // in the order of the board
    const show = () => {
      const had = /** @type {any} */ (document.activeElement);
      const onBoard = elements.includes(had), inPanel = this.panel.contains(had);
      this.board.release();
      this.board.clear("lit");
      const taken = this.board.tiles(elements, this.chosen);
      taken.forEach((element) => element.classList.add("lit"));
      for (const element of elements) {
        const letter = element.dataset.tile ?? "";
        const on = taken.includes(element);
        if (!on && !fits(this.chosen + letter)) continue;
        this.board.clickable([element], tileName(letter), () => {
          const others = elements.filter((one) => one !== element);
          elements = on ? [...others, element] : [element, ...others];
          change(on, letter);
        }, { pressed: on });
      }
      if (onBoard) had.focus({ preventScroll: true });
      if (!this.asks && !this.chosen) {
        this.panel.replaceChildren();
        return;
      }
      const exact = moves.find((move) => same(move.steps[0].tiles, this.chosen));
      const add = colours.map((letter) => {
        const already = this.chosen.split(letter).length - 1;
        const one = button("", () => change(false, letter), {
          class: "pile", "data-pick": letter, disabled: !fits(this.chosen + letter),
          "aria-label": `one more ${tileName(letter)}${already ? `, ${already} chosen` : ""}`,
        });
        one.append(chips(letter));
        return one;
      });
      const named = [...this.chosen].join(" ") || (exact ? "nothing" : "");
      const confirm = button(`${verb} ${named}${exact ? cost(exact) : " …"}`,
        () => exact && this.play(exact.move),
        { class: "strong", disabled: !exact, "data-move": exact?.move, "aria-label": exact?.words });
      const clear = button("Clear", () => change(true, this.chosen), { disabled: !this.chosen });
      const full = this.chosen !== "" && add.every((one) => one.disabled);
      const asked = !full ? `${verb} ${count}: click tiles on the board, or here. `
        : `${taken.length === elements.length ? "All are" : "No more can be"} chosen: click one on the board to `
          + "let it go. ";
      speak(asked);
      this.panel.replaceChildren(make("p", {}, asked),
        make("div", { class: "piles" }, ...add),
        make("p", {}, this.chosen ? chips(this.chosen) : "", " ", clear, " ", confirm, " ", ...more));
      const open = add.filter((one) => !one.disabled); // the key continues where it was
      const again = open.find((one) => one.dataset.pick === had.dataset.pick);
      if (inPanel) (again ?? open[0] ?? confirm).focus({ preventScroll: true });
      else if (onBoard && !open.length) confirm.focus({ preventScroll: true });
    };
    const change = (/** @type {boolean} */ off, /** @type {string} */ letters) => {
      this.remark("");
      let { chosen } = this;
      if (off) for (const letter of letters) chosen = chosen.replace(letter, "");
      else chosen = [...chosen, ...letters].sort().join("");
      this.fill(chosen);
    };
    this.fill = (letters) => {
      this.chosen = letters;
      show();
    };
    this.fill("");
  }
}

/** @param {string} letter @returns {string} why a colour cannot be chosen where another one lies */
function onlyComes(letter) {
  return `${COLOURS[letter]} only comes with another colour`;
}

/** @returns {any} a step that concerns all that lies in a place on the table */
function all(/** @type {string} */ place) {
  return { place, own: false, pick: "", tiles: "" };
}

/** Tell whether a step of a move only names a set of tiles. */
function byTiles(move, number) {
  const step = move.steps[number];
  return step !== undefined && number === move.steps.length - 1
    && (step.own ? step.place === "hand" : !step.pick);
}

/** Group moves by a step. */
function grouped(moves, number) {
  /** @type {Map<string, Choice[]>} */
  const groups = new Map();
  for (const move of moves) {
    const { place, own, pick, tiles } = move.steps[number];
    const key = JSON.stringify([place, own, pick, tiles]);
    groups.set(key, [...(groups.get(key) ?? []), move]);
  }
  return groups;
}

function wordsOf(group, step) {
  if (group.length === 1) return group[0].words;
  return step.pick ? `${tileName(step.pick)}s of ${placeName(step.place)}`
    : `${placeName(step.place)}: ${group.length} ways`;
}

/** @param {string} words @returns {string} */
export function sentence(words) {
  return words.charAt(0).toUpperCase() + words.slice(1) + ".";
}

/** @param {Choice} move @returns {string} what a pass costs, as its words end; nothing if that is nothing */
function cost({ kind, words }) {
  return kind === "pass" ? /( \(.* points?\))?$/.exec(words)?.[0] ?? "" : "";
}

/** Tell whether a set of tiles is part of another. */
function within(part, whole) {
  const left = [...whole];
  return [...part].every((letter) => {
    const index = left.indexOf(letter);
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}

function same(one, other) {
  return one.length === other.length && within(one, other);
}

