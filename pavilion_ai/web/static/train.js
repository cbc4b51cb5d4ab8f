/** Puzzles: one move is clearly best, and weaker levels miss it. */

import { button, byId, make } from "./dom.js";
import { stage } from "./engine.js";
import { sentence } from "./picker.js";
import { optionOf, reasons } from "./reasons.js";
import { select, Variant } from "./settings.js";
import { store, storedValue } from "./store.js";

const SOLVED = "pavilion-puzzles";
const SIMS = 4000; // for a move that the puzzle says nothing of
const GOOD = 0.02; // chance to win that a move may lose and still count as right
/** Lowest and highest level that misses a puzzle, by how hard it is. */
const KINDS = { any: [1, 10], easy: [1, 3], medium: [4, 6], hard: [7, 10] };

export class Training {
  /**
   * @param {import("./engine.js").Engine} engine
   * @param {string[]} games names in the notation
   * @param {{put: (puzzle: any, position: any) => Promise<void>, say: (text: string) => void,
   *   mark: (best: string, other: string) => void, asks: () => () => boolean}} page
   */
  constructor(engine, games, page) {
    this.engine = engine;
    this.page = page;
    /** @type {any} the puzzle on the table */
    this.puzzle = null;
    this.revealed = this.tried = false;
    /** @type {{levels: number[], names: string[]}|null} of each puzzle of the variant the highest
     * level that misses it, and a name; null: not known */
    this.series = null;
    this.choice = new Variant(games, () => this.list());
    this.kind = select("Difficulty", Object.keys(KINDS).map((one) => [one, one]), () => this.next());
    this.solution = button("Show solution", () => this.reveal(), { id: "solution", disabled: true });
    this.progress = make("p", { class: "fine", id: "train-progress" });
    this.told = make("div", { id: "train-told", role: "status" });
    byId("train-tools").replaceChildren(
      make("details", {}, make("summary", { text: "Which puzzles" }),
        make("p", { class: "row" }, ...this.choice.labels, this.kind.label)),
      make("p", { class: "row" }, button("Next puzzle", () => this.next(), { id: "next-puzzle",
        class: "strong" }), this.solution),
      this.progress, this.told);
  }

  /** @returns {string} the variant, as a name */
  get variant() {
    return Object.values(this.choice.request).join("-");
  }

  /** @returns {boolean} whether a move in the puzzle's position is an answer to it */
  get asking() {
    return this.puzzle !== null && !this.revealed;
  }

  /** Begin with a variant. */
  async open() {
    byId("train-card").hidden = false;
    await this.list();
  }

  close() {
    byId("train-card").hidden = true;
    this.puzzle = null;
    this.progress.textContent = "";
    this.told.replaceChildren();
    this.solution.disabled = true;
  }

  /** Begin with a puzzle, which is put on the table. @param {any} puzzle */
  begin(puzzle) {
    this.puzzle = puzzle;
    this.revealed = this.tried = false;
    this.last = null;
    this.solution.disabled = false;
    byId("train-card").hidden = false;
    this.count();
  }

  /** Say which puzzle it is, and how many are solved. */
  count() {
    const { number, count, level, numbers, names, variant } = this.puzzle;
    const solved = solvedOf(variant, names);
    const done = numbers.filter((one) => solved.has(names[one])).length;
    this.progress.textContent = `Puzzle ${number + 1} of ${count}, usually missed by levels 1 `
      + `to ${level}. Solved: ${done} of ${numbers.length}.`;
  }

  /** Ask which puzzles there are, and show one. */
  async list() {
    const begun = this.page.asks();
    const { variant } = this;
    this.series = null;
    const series = await this.engine.ask("puzzles", this.choice.request).catch((error) => {
      if (!begun()) this.page.say(error.message);
      return null;
    });
    if (this.variant === variant) this.series = series;
    if (series && !begun()) await this.next(begun);
  }

  /**
   * Show the next puzzle that is not solved yet, of the difficulty that is chosen.
   * @param {() => boolean} begun tells whether something else was asked for since
   */
  async next(begun = this.page.asks()) {
    const { variant, series } = this;
    if (!series) {
      await this.list();
      return;
    }
    const { levels, names } = series;
    const solved = solvedOf(variant, names);
    const [low, high] = KINDS[this.kind.field.value];
    const numbers = [...levels.keys()].filter((number) =>
      levels[number] >= low && levels[number] <= high);
    const after = numbers.filter((number) => number > (this.puzzle?.number ?? -1));
    const left = [...after, ...numbers].filter((number) => !solved.has(names[number]));
    const number = left[0] ?? after[0] ?? numbers[0];
    if (number === undefined) {
      this.page.say("There is no puzzle of this difficulty.");
      return;
    }
    const puzzle = { ...await this.engine.ask("puzzle", { ...this.choice.request, number }), variant,
      numbers, names };
    const { position } = await this.engine.ask("show", { position: puzzle.position });
    if (begun()) return;
    await this.page.put(puzzle, position);
    if (this.puzzle === puzzle && !this.tried) this.ask(); // else somebody was quick
  }

  /** Say what is to be found. */
  ask() {
    this.page.say(`Seat ${this.puzzle.seat} is to move, and one move is clearly best. Which one?`);
  }

  /**
   * Judge a move that was played in the puzzle's position, while it is asked for.
   * @param {string} move
   */
  async answer(move) {
    const { puzzle } = this;
    this.tried = true;
    if (move === puzzle.solution.move) {
      this.solved();
      await this.reveal("Right!");
      return;
    }
    const over = () => puzzle !== this.puzzle || this.revealed;
    const say = (answer) => {
      if (!over()) this.page.say(stage(answer, "Looking at your move"));
    };
    say({});
    const found = await this.engine.query("analyse", { position: puzzle.position,
      only: [puzzle.solution.move, move], sims: SIMS }, say).answer;
    if (over()) return;
    const [best, tried] = [puzzle.solution.move, move].map((one) =>
      found.moves.find((other) => other.move === one));
    const lost = Math.max(0, best.win_prob - tried.win_prob);
    this.last = { tried: optionOf(tried), best: { ...optionOf(best), line: puzzle.solution.line } };
    if (lost < GOOD) {
      this.solved();
      await this.reveal("That is about as good as the best move.");
    } else {
      const known = move === puzzle.tempting.move
        ? ` This is the tempting move, which level ${puzzle.level} plays most often.` : "";
      this.page.say(`Not the best: it gives away ${(100 * lost).toFixed(1)} percentage points of `
        + `the chance to win.${known} Try again, or press Show solution.`);
    }
  }

  /** Remember that the puzzle is solved. */
  solved() {
    const { number, names, variant } = this.puzzle;
    const mine = solvedOf(variant, names).add(names[number]);
    store(SOLVED, JSON.stringify({ ...storedValue(SOLVED, {}), [variant]: [...mine] }));
    this.count();
  }

  /**
   * Show the solution, and why the tempting move, or the one that was tried, is worse.
   * @param {string} verdict
   */
  async reveal(verdict = "") {
    const { puzzle } = this;
    const { best, tried } = this.last ?? { best: puzzle.solution, tried: puzzle.tempting };
    this.revealed = true;
    this.page.say(`${verdict} ${sentence(`The best move: ${puzzle.words.solution}`)}`.trim());
    this.solution.disabled = true;
    this.page.mark(best.move, tried.move);
    this.told.replaceChildren(make("p", { text: "Asking for the reasons …" }));
    let again = false;
    const told = await reasons(this.engine, puzzle.position, best, tried,
      tried.move === puzzle.tempting.move ? "Tempting" : "Your move").catch((error) => {
      again = true;
      return [make("p", { text: error.message })];
    });
    if (puzzle !== this.puzzle) return;
    this.told.replaceChildren(...told);
    this.solution.disabled = !again;
  }
}

/**
 * @param {string} variant
 * @param {string[]} names of all its puzzles
 * @returns {Set<string>} of those that are solved
 */
function solvedOf(variant, names) {
  const kept = storedValue(SOLVED, {})[variant] ?? [];
  return new Set(kept.map((one) => names[one] ?? one)); // up to 0.5.0 their numbers
}
