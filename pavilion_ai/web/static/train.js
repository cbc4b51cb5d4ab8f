/** Puzzles: one move is clearly best, and weaker levels, or a person in a game, missed it. */

import { button, byId, entries, isolated, make, putFirst, readable } from "./dom.js";
import { CUT, stage, whole } from "./engine.js";
import { agentName } from "./games.js";
import { sentence } from "./picker.js";
import { optionOf, reasons } from "./reasons.js";
import { PLAYER } from "./review.js";
import { select, Variant } from "./settings.js";
import { ofTab, store, stored, storedValue } from "./store.js";

export const TRAINED = "pavilion-trained"; // which puzzle is on the table, and what was chosen for it
const SOLVED = "pavilion-puzzles";
const MISTAKES = "mistakes"; // the action that lists them, and their name among the variants
const SIMS = 4000; // for a move that the puzzle says nothing of
const GOOD = 0.02; // chance to win that a move may lose and still count as right
const NO_MISTAKES = "There are no mistakes from your games yet. Review a game: press Review this "
  + "game at its end, or open a record or a page saved from Board Game Arena.";
/** Lowest and highest level that misses a puzzle, by how hard it is. */
const KINDS = { any: [1, 10], easy: [1, 3], medium: [4, 6], hard: [7, 10] };

export class Training {
  /**
   * @param {import("./engine.js").Engine} engine
   * @param {string[]} games names in the notation
   * @param {{put: (puzzle: any, position: any) => Promise<void>, say: (text: string) => void,
   *   who: (seat: number) => string, mark: (best: string, other: string) => void,
   *   asks: () => () => boolean}} page
   */
  constructor(engine, games, page) {
    this.engine = engine;
    this.page = page;
    /** @type {any} the puzzle on the table */
    this.puzzle = null;
    this.revealed = false;
    /** @type {{names: string[], levels?: number[], players?: string[]}|null} of each puzzle of the
     * variant a name, and the highest level that misses it or the player who did; null: not known */
    this.series = null;
    this.source = select("Solve", [["puzzles", "puzzles"], [MISTAKES, "mistakes from my games"]],
      () => this.list());
    this.player = select("Player", [], () => {
      store(PLAYER, this.player.field.value);
      this.next();
    });
    this.choice = new Variant(games, () => this.list());
    this.kind = select("Difficulty", Object.keys(KINDS).map((one) => [one, one]), () => this.next());
    /** @type {Record<string, any>} what is chosen, by name */
    this.fields = { source: this.source.field, kind: this.kind.field, game: this.choice.game.field,
      board: this.choice.board.field, players: this.choice.players.field };
    const kept = storedValue(TRAINED, storedValue(TRAINED, {}), ofTab);
    for (const [name, field] of Object.entries(this.fields)) {
      if ([...field.options].some(({ value }) => value === kept[name])) field.value = kept[name];
    }
    this.solution = button("Show solution", () => this.reveal(), { id: "solution", disabled: true });
    this.progress = make("p", { class: "fine", id: "train-progress" });
    this.told = make("div", { id: "train-told", role: "status" });
    this.variants = make("details", {}, make("summary", { text: "Which puzzles" }),
      make("p", { class: "row" }, ...this.choice.labels, this.kind.label));
    byId("train-tools").replaceChildren(
      make("p", { class: "row" }, this.source.label, this.player.label), this.variants,
      make("p", { class: "row" }, button("Next puzzle", () => this.next(), { id: "next-puzzle",
        class: "strong" }), this.solution),
      this.progress, this.told);
  }

  /** @returns {boolean} whether the puzzles are mistakes of people */
  get own() {
    return this.source.field.value === MISTAKES;
  }

  /** @returns {string} the variant, as a name */
  get variant() {
    return this.own ? MISTAKES : Object.values(this.choice.request).join("-");
  }

  /** @returns {number[]} the puzzles that are chosen */
  get numbers() {
    const { names, levels, players } = this.series;
    const all = [...names.keys()];
    if (players) {
      const player = this.player.field.value;
      return all.filter((number) => !player || !players[number] || players[number] === player);
    }
    const [low, high] = KINDS[this.kind.field.value];
    return all.filter((number) => levels[number] >= low && levels[number] <= high);
  }

  /** @returns {boolean} whether a move in the puzzle's position is an answer to it */
  get asking() {
    return this.puzzle !== null && !this.revealed;
  }

  /**
   * Begin with what is chosen.
   * @param {string} [name] of the puzzle to resume
   * @param {() => boolean} [begun] as for `next`
   */
  async open(name = "", begun = this.page.asks()) {
    byId("train-card").hidden = false;
    putFirst(byId("train-card"));
    await this.list(name, begun);
  }

  close() {
    byId("train-card").hidden = true;
    store(TRAINED, "", ofTab);
    this.puzzle = null;
    this.progress.textContent = "";
    this.told.replaceChildren();
    this.solution.disabled = true;
  }

  /** Begin with a puzzle, which is put on the table. @param {any} puzzle */
  begin(puzzle) {
    this.puzzle = puzzle;
    this.revealed = false;
    this.last = null;
    this.solution.disabled = false;
    byId("train-card").hidden = false;
    const kept = JSON.stringify({ name: puzzle.names[puzzle.number],
      player: this.player.field.value, ...Object.fromEntries(
      Object.entries(this.fields).map(([name, field]) => [name, field.value])) });
    store(TRAINED, kept);
    store(TRAINED, kept, ofTab); // another tab may have another one
    this.count();
  }

  /** Say which puzzle it is, and how many are solved. */
  count() {
    const { number, level, numbers, names, variant, played } = this.puzzle;
    const solved = solvedOf(variant, names);
    const done = numbers.filter((one) => solved.has(names[one])).length;
    const which = `${numbers.indexOf(number) + 1} of ${numbers.length}`;
    const told = played ? `Mistake ${which}, ${origin(this.puzzle)}.`
      : `Puzzle ${which}, usually missed by levels 1 to ${level}.`;
    this.progress.textContent = `${told} Solved: ${done} of ${numbers.length}.`;
  }

  /** Ask which puzzles there are, and show one. Arguments as for `open`. */
  async list(name = "", begun = this.page.asks()) {
    const { variant, own } = this;
    this.variants.hidden = own;
    this.player.label.hidden = true;
    this.series = null;
    const asked = own ? this.engine.ask(MISTAKES) : this.engine.ask("puzzles", this.choice.request);
    const series = await asked.catch((error) => {
      if (!begun()) this.page.say(error.message);
      return null;
    });
    if (this.variant === variant) {
      this.series = series;
      if (series?.players) {
        this.offer(series.players, name ? storedValue(TRAINED, {}, ofTab).player : undefined);
      }
    }
    if (series && !begun()) await this.next(name, begun);
  }

  /**
   * Let one of the players be chosen, who is most often first.
   * @param {string[]} players
   * @param {string} [player] who was chosen in this tab; without it, in any
   */
  offer(players, player) {
    const counts = new Map();
    for (const one of players.filter(Boolean)) counts.set(one, (counts.get(one) ?? 0) + 1);
    const names = [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one));
    this.player.field.replaceChildren(...entries([["", "everybody"], ...names.map((name) =>
      [name, players.includes("") ? `${name}, people without a name` : name])]));
    const kept = player ?? stored(PLAYER) ?? "";
    this.player.field.value = names.includes(kept) ? kept : "";
    this.player.label.hidden = names.length === 0;
  }

  /**
   * Show the next puzzle that is not solved yet, of the difficulty that is chosen.
   * @param {string} [name] of another one to show, if it is there
   * @param {() => boolean} [begun] tells whether something else was requested since
   */
  async next(name = "", begun = this.page.asks()) {
    const { variant, own, series } = this;
    if (!series) {
      await this.list();
      return;
    }
    const { names } = series;
    const { numbers } = this;
    const solved = solvedOf(variant, names);
    const last = this.puzzle?.variant === variant ? this.puzzle.number : -1;
    const after = numbers.filter((number) => number > last);
    const left = [...after, ...numbers].filter((number) => !solved.has(names[number]));
    const number = numbers.find((one) => names[one] === name) ?? left[0] ?? after[0] ?? numbers[0];
    if (number === undefined) {
      this.page.say(own ? NO_MISTAKES : "There is no puzzle of this difficulty.");
      return;
    }
    const asked = own ? this.engine.ask("mistake", { name: names[number] })
      : this.engine.ask("puzzle", { ...this.choice.request, number });
    const puzzle = { ...await asked, number, variant, numbers, names };
    const { position } = await this.engine.ask("show", { position: puzzle.position });
    if (!begun()) await this.page.put(puzzle, position);
  }

  /** @returns {string} what is to be found */
  get question() {
    const who = this.page.who(this.puzzle.seat);
    return this.puzzle.played ? `${who} went wrong here. Find a better move: play it.`
      : `${who} is to move, and one move is clearly best. Which one?`;
  }

  /**
   * Judge a move that was played in the puzzle's position, while it is on the table.
   * @param {string} move
   */
  async answer(move) {
    const { puzzle } = this;
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
    const found = await whole(this.engine, "analyse", { position: puzzle.position,
      only: [puzzle.solution.move, move], sims: SIMS }, say).answer;
    if (over()) return;
    if (found.made_way) {
      this.page.say(CUT);
      return;
    }
    const [best, tried] = [puzzle.solution.move, move].map((one) =>
      found.moves.find((other) => other.move === one));
    const lost = Math.max(0, best.win_prob - tried.win_prob);
    const other = puzzle.played ?? puzzle.tempting;
    if (!puzzle.played || move === other.move) {
      this.last = { tried: optionOf(tried), best: { ...optionOf(best), line: puzzle.solution.line } };
    }
    if (lost < GOOD) {
      this.solved();
      await this.reveal("That is about as good as the best move.");
    } else {
      const known = move !== other.move ? "" : puzzle.played ? " It is what was played in the game."
        : ` This is the tempting move, which level ${puzzle.level} most often plays instead of the best.`;
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
   * Show the solution, and why another move is worse: that of the game, or else the one that was
   * tried, or the tempting one.
   * @param {string} verdict
   */
  async reveal(verdict = "") {
    const { puzzle } = this;
    const other = puzzle.played ?? puzzle.tempting;
    const { best, tried } = this.last ?? { best: puzzle.solution, tried: other };
    this.revealed = true;
    this.page.say(`${verdict} ${sentence(`The best move: ${readable(puzzle.words.solution)}`)}`.trim());
    if (this.solution === document.activeElement) byId("next-puzzle").focus();
    this.solution.disabled = true;
    this.page.mark(best.move, tried.move);
    this.told.replaceChildren(make("p", { text: "Asking for the reasons …" }));
    let again = false;
    const known = puzzle.played ? "Played" : "Tempting";
    const told = await reasons(this.engine, puzzle.position, best, tried,
      tried.move === other.move ? known : "Your move").catch((error) => {
      again = true;
      return [make("p", { text: error.message })];
    });
    if (puzzle !== this.puzzle) return;
    this.told.replaceChildren(...told);
    this.solution.disabled = !again;
  }
}

/** @param {any} puzzle a mistake @returns {string} the game that it is from */
function origin({ agents, time, round, ply }) {
  const players = agents.map((one) => isolated(agentName(one)) || "person").join(" – ");
  return `from ${players}, reviewed on ${new Date(1000 * time).toLocaleDateString()}: `
    + `round ${round}, ply ${ply}`;
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
