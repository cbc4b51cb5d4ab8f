/** The table: the drawing of the position that is shown, what can be clicked on it, what is lit. */

import { Board } from "./board.js";
import { byId, isNarrow, placeName, readable } from "./dom.js";
import { Focus } from "./keys.js";
import { Picker, sentence } from "./picker.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./game.js").Node} Node */
/** @typedef {import("./game.js").Choice} Choice */

const NARROW = 700; // pixels of the table below which boards stand one above the other

export class Table {
  /**
   * @param {import("./engine.js").Engine} engine
   * @param {{play: (move: string) => void, remark: (text: string) => void,
   *   shown: () => Node|undefined, looked: () => string|null}} page `looked` is the move that is looked
   *   at where nothing points
   */
  constructor(engine, page) {
    this.engine = engine;
    this.page = page;
    this.board = new Board();
    this.picker = new Picker(this.board, page.play, page.remark);
    this.refused = false; // whether what was clicked last could not be chosen
    this.board.frame.addEventListener("click", ({ target }) => { // before it changes what is clickable
      const element = /** @type {any} */ (target).closest(".tile[data-at], .space[data-at]");
      this.refused = !element?.matches(".clickable, .lit, .editing *") && element !== null;
      if (this.refused) this.refuse(element);
    }, true);
    this.focus = new Focus({
      table: () => this.picker.firstClickable() ?? byId("choice").querySelector("button:enabled"),
      moves: () => byId("moves").querySelector("[data-move]:enabled"),
      log: () => byId("log").querySelector("[aria-current] > button"),
    });
    /** @type {Choice|null} the move that is marked as the best one */
    this.hinted = null;
  }

  /** @returns {number} boards side by side */
  get columns() {
    return this.board.frame.clientWidth < NARROW ? 1 : 2;
  }

  // -- what is drawn ---------------------------------------------------------------------------

  /**
   * Ask for everything that is shown of a position, once: again only if the table has changed.
   * @param {Game} game
   * @param {Node} node
   */
  async look(game, node) {
    if (!node.position) {
      node.position = (await this.engine.ask("apply", { position: game.root.position,
        moves: node.moves, draw: false })).position;
    }
    while (node.view?.columns !== this.columns) {
      node.view = (await this.view(game, node.position)).view;
    }
  }

  /**
   * Ask for all that is shown of a position, after moves if there are any.
   * @param {Game} game
   * @param {any} position
   * @param {Record<string, any>} more of the request
   */
  async view(game, position, more = {}) {
    const { columns } = this;
    const known = game.seats.map((_, seat) => game.nameOf(seat));
    const names = known.some(Boolean) ? known : null;
    const people = columns > 1 ? null
      : game.seats.flatMap((spec, seat) => spec === "human" ? [seat] : []);
    const { played, drawn, code, svg, chance, winners, moves: described, position: after } =
      await this.engine.ask("view", { position, columns, names, people, ...more });
    const moves = described.map((one) => ({ ...one, words: readable(one.words) }));
    return { played, drawn: drawn.map(readable), position: after,
      view: { columns, code, svg, moves, chance, winners } };
  }

  /** @param {any} draft a position that need not be sound @returns {Promise<string>} its drawing */
  async sketch(draft) {
    return (await this.engine.ask("sketch", { position: draft, columns: this.columns })).text;
  }

  /** @param {() => void} redraw draws anew when the table becomes narrow or wide */
  watch(redraw) {
    const prompt = byId("prompt"); // it hides nothing that the keyboard goes to
    let { height } = prompt.getBoundingClientRect();
    let scrolled = 0; // so that what was clicked on the board stays under the pointer
    let pressed = false; // whether the board is where one clicked last
    addEventListener("pointerdown", ({ target }) => {
      pressed = this.board.frame.contains(/** @type {any} */ (target));
    }, true);
    addEventListener("keydown", () => { pressed = false; }, true);
    new ResizeObserver(() => {
      const { height: now } = prompt.getBoundingClientRect();
      document.documentElement.style.scrollPaddingTop = `${now}px`;
      const chosen = isNarrow() && (this.picker.busy || this.refused) && pressed;
      const by = chosen ? now - height : Math.max(Math.min(now - height, 0), -scrolled);
      height = now;
      scrolled = Math.max(scrolled + by, 0);
      if (by) scrollBy(0, by);
    }).observe(prompt);
    let { columns } = this;
    new ResizeObserver(() => {
      if (this.columns === columns) return;
      columns = this.columns;
      redraw();
    }).observe(this.board.frame);
  }

  // -- moves on it -----------------------------------------------------------------------------

  /**
   * Let moves be made on the board; where the answer is told, they can only be tried.
   * @param {Choice[]} moves
   * @param {number|null} seat
   * @param {boolean} told
   */
  offer(moves, seat, told) {
    this.board.frame.classList.toggle("told", told);
    this.picker.offer(moves, seat, !told);
  }

  /** @param {string} move @returns {Choice|null} */
  choiceOf(move) {
    return this.page.shown()?.view?.moves.find((one) => one.move === move) ?? null;
  }

  /**
   * Say why what was clicked cannot be chosen, and what else is known of it: where nothing points,
   * nothing else tells it.
   * @param {any} element a tile or a space
   */
  async refuse(element) {
    const node = this.page.shown();
    const { picker } = this;
    const { moves } = picker;
    const { at, tile } = element.dataset;
    const known = element.matches(".short") ? sentence(element.querySelector("title").textContent) : "";
    const said = (/** @type {string} */ why) => this.page.remark(
      [moves.length ? sentence(why.startsWith(at) ? why : `${placeName(at)}: ${why}`) : "", known]
        .filter(Boolean).join(" "));
    const seat = element.closest(".seat")?.dataset.seat;
    const other = "nothing can be chosen here now";
    if (!node || !moves.length) said("");
    else if (seat === undefined) said(picker.refusal(at, tile) || other);
    else if (Number(seat) !== node.position.to_move) said(`this is the board of seat ${seat}`);
    else {
      const { why } = await this.engine.ask("why", { position: node.position, place: at,
        taken: picker.taken });
      if (node === this.page.shown() && moves === picker.moves) said(readable(why) || other);
    }
  }

  /** @param {string|null} move shown on the board as long as it is pointed at; null: nothing points */
  hover(move) {
    const node = this.page.shown();
    if (!node) return;
    this.board.clear("best");
    if (!node.view) return;
    const wanted = move ?? this.page.looked();
    const choice = wanted === null ? this.hinted : this.choiceOf(wanted);
    if (choice) this.board.light(choice, node.position.to_move, "best");
  }

  /** Mark a move as the best one. @param {Choice|null} choice */
  mark(choice) {
    this.hinted = choice;
    this.hover(null);
  }

  /** Forget what is half chosen. */
  letGo() {
    this.picker.letGo();
    this.focus.restore();
  }
}
