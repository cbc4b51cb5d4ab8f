/**
 * A game as a tree of positions: the game itself, and lines that were only looked at; and who plays it.
 */

import { isolated } from "./dom.js";
import { playerName } from "./settings.js";

/**
 * @typedef {object} Choice a legal move, as the engine describes it
 * @property {string} move
 * @property {string} words
 * @property {string} kind
 * @property {{place: string, own: boolean, pick: string, tiles: string}[]} steps
 * @property {string} rest
 * @property {number} wild
 */

/** A position, and the decision or the draw that led to it from the one before. */
export class Node {
  /**
   * @param {Node|null} parent
   * @param {string} played the move; nothing at the start
   * @param {number|null} seat who played it, null for a draw
   * @param {boolean} main whether it belongs to the game itself
   */
  constructor(parent, played, seat, main) {
    this.parent = parent;
    this.played = played;
    this.seat = seat;
    /** @type {any} JSON form, once it is known */
    this.position = null;
    this.main = main;
    /** @type {Node[]} */
    this.children = [];
    /** @type {Node|null} the child that was looked at last */
    this.next = null;
    /** @type {string} */
    this.words = "";
    /** @type {any} what the page shows of it, once it was requested */
    this.view = null;
    /** @type {Choice|null} how the decision was made, to show it on the board */
    this.choice = null;
    /** @type {any} what its final scores are expected to be, once they were requested */
    this.outlook = null;
  }

  /** @returns {Node[]} from the start to here */
  get path() {
    const nodes = [];
    for (let node = /** @type {Node|null} */ (this); node; node = node.parent) nodes.unshift(node);
    return nodes;
  }

  /** @returns {Node} where the last decision led to, before what was drawn after it */
  get decision() {
    let node = /** @type {Node} */ (this);
    while (node.seat === null && node.parent) node = node.parent;
    return node;
  }

  /** @returns {Node[]} what was drawn since the last decision */
  get draws() {
    return this.path.slice(this.decision.path.length);
  }

  /** @returns {string[]} all moves from the start to here */
  get moves() {
    return this.path.slice(1).map((node) => node.played);
  }

  /** @returns {Node|null} where it continued from here, when it was looked at last; else the game */
  get onwards() {
    return this.next ?? firstOf(this) ?? null;
  }

  /** @returns {boolean} whether it continues with a draw */
  get isDrawn() {
    return this.onwards?.seat === null;
  }
}

export class Game {
  /**
   * @param {any} start position in JSON form
   * @param {{id: string, seats: string[], seed: number, names: string[]}} settings `seats` are
   *   specs, "human" for people
   */
  constructor(start, settings) {
    this.root = new Node(null, "", null, true);
    this.root.position = start;
    this.current = this.root;
    this.id = settings.id;
    this.seats = settings.seats;
    this.seed = settings.seed;
    this.names = settings.names;
    /** @type {Record<string, any>|null} what a game for one is played on */
    this.solo = null;
    /** @type {boolean} whether it begins with a position that was put on the table to be looked at */
    this.posed = false;
    /** @type {boolean} whether it has been kept */
    this.saved = false;
    /** @type {boolean} whether it was over when it was kept last */
    this.ended = false;
    /** @type {string|null} tells what was kept last from what another tab keeps; nothing: not yet;
     * null: only the other tab's game is kept from now on */
    this.stamp = "";
    /** @type {number[]} how long the engines have thought, by seat */
    this.seconds = settings.seats.map(() => 0);
    /** @type {number|null} the seat that gave up */
    this.resigned = null;
  }

  /** @returns {boolean} whether an engine has a seat */
  get hasEngine() {
    return this.seats.some((spec) => spec !== "human");
  }

  /** @returns {boolean} whether it is over, also because somebody gave up */
  get over() {
    return this.resigned !== null || this.tip.position?.phase === "over";
  }

  /** @returns {number} the seat of the only person at this screen; -1 if there is no such seat */
  get you() {
    const people = this.seats.filter((spec) => spec === "human").length;
    return people === 1 ? this.seats.indexOf("human") : -1;
  }

  /** @param {number} seat @returns {string} who sits there, if that says more than its number */
  nameOf(seat) {
    if (this.names[seat] || !this.hasEngine) return this.names[seat] ?? "";
    return seat === this.you ? "you" : playerName(this.seats[seat]);
  }

  /** @param {number} seat @returns {string} what it is called everywhere */
  seatName(seat) {
    const name = this.nameOf(seat);
    return `seat ${seat}${name ? ` (${isolated(name)})` : ""}`;
  }

  /** @param {number} seat @returns {string} what it is called at the beginning of a sentence */
  who(seat) {
    return `S${this.seatName(seat).slice(1)}`;
  }

  /** @param {any} position of the end @param {number[]} winners @returns {string} who has won */
  result(position, winners) {
    const scores = position.seats.map((seat, number) => `seat ${number} ${seat.score}`);
    const { you } = this;
    const names = winners.map((seat) => (seat === you ? "you" : `seat ${seat}`)).join(" and ");
    let won = winners[0] === you ? "you win" : `${names} wins`;
    if (winners.length > 1) won = `${names} share the victory`;
    else if (you >= 0 && winners[0] !== you && position.seats.length === 2) won = "you lose";
    return `The game is over, ${won}: ${scores.join(", ")}.`;
  }

  /** @returns {Node} where the game itself stands */
  get tip() {
    let node = this.root;
    for (let next = mainChild(node); next; next = mainChild(node)) node = next;
    return node;
  }

  /** @returns {Node} the last position of the game itself on the way to the current one */
  get trunk() {
    let node = this.current;
    while (!node.main && node.parent) node = node.parent;
    return node;
  }

  /**
   * Add what was played in the current position, and go there.
   * @param {string[]} played a decision, if a seat is to move, and the draws after it
   * @param {any} position
   * @param {boolean} aside whether it is a line that is only looked at
   * @param {string[]} words of each draw, what it brought
   * @returns {Node}
   */
  add(played, position, aside, words) {
    let seat = this.current.position?.to_move ?? null;
    played.forEach((move, index) => {
      this.step(move, seat, aside).words ||= words[index];
      seat = null;
    });
    this.current.position ??= position;
    return this.current;
  }

  /** Forget what was drawn in the current position, unless somebody has decided something since. */
  forgetDraws() {
    const decided = (/** @type {Node} */ node) => node.seat !== null || node.children.some(decided);
    this.current.children = this.current.children.filter(decided);
  }

  /**
   * Add a decision or a draw in the current position, and go there.
   * @param {string} move
   * @param {number|null} seat who plays it, null for a draw
   * @param {boolean} aside
   * @returns {Node}
   */
  step(move, seat, aside) {
    const from = this.current;
    const main = from.main && !aside;
    let node = from.children.find((child) => child.played === move && (child.main || !main));
    if (!node) {
      if (main) for (const child of from.children) unmain(child);
      node = new Node(from, move, seat, main);
      from.children.push(node);
    }
    from.next = node;
    this.current = node;
    return node;
  }
}

/** @param {Node} node @returns {Node|undefined} */
function mainChild(node) {
  return node.children.find((child) => child.main);
}

/** @param {Node} node @returns {Node|undefined} the child that is the game, else the oldest line */
export function firstOf(node) {
  return mainChild(node) ?? node.children[0];
}

/** @param {Node} node the game went another way before it */
function unmain(node) {
  node.main = false;
  node.children.forEach(unmain);
}
