/** What a new game is to be: game, board, seats and who sits there, seed. */

import { button, byId, entries, make } from "./dom.js";
import { ofTab, store, stored, storedValue } from "./store.js";

export const HUMAN = "human";
const STEPPING = "pavilion-stepping"; // what the browser keeps of the checkboxes
const COACHING = "pavilion-coaching";
const CHOSEN = "pavilion-chosen"; // what the tab keeps of game, boards, and who sits where
const YES = "yes";
const EASY = "default:level=3";
export const MAX_SEED = 10 ** 15 - 1; // so that a seed and the number of a move are added exactly
const LEVELS = ["beginner", "", "casual", "", "regular", "", "strong", "", "expert", ""];

/** Names of things for people, by their name in the notation. */
export const GAME_NAMES = { summer: "Summer Pavilion", azul: "Azul" };

/** @param {string} spec @returns {string} who that is, for people */
export function playerName(spec) {
  if (spec === HUMAN) return "person";
  const level = /^default:level=([0-9]+)$/.exec(spec);
  if (level) return `level ${level[1]}`;
  if (spec === "rule") return "fixed rule";
  const called = /^([^=:]+)=/.exec(spec);
  if (called) return called[1].trim();
  return spec === "default" ? "best engine" : spec;
}

/** Lets a variant be chosen: a game, its boards, a number of players. */
export class Variant {
  /**
   * @param {string[]} games names in the notation
   * @param {() => void} onChange told of each choice
   */
  constructor(games, onChange) {
    this.game = select("Game", games.map((name) => [name, GAME_NAMES[name] ?? name]), onChange);
    this.board = select("Boards", [["coloured", "coloured"], ["grey", "grey"]], onChange);
    this.players = select("Players", [["2", "2"], ["3", "3"], ["4", "4"]], onChange);
    this.labels = [this.game, this.board, this.players].map((one) => one.label);
  }

  /** @returns {{game: string, board: string, players: number}} fields of a request for it */
  get request() {
    return { game: this.game.field.value, board: this.board.field.value,
      players: Number(this.players.field.value) };
  }
}

export class Settings {
  /** @param {string[]} games names in the notation */
  constructor(games) {
    this.variant = new Variant(games, () => this.fill());
    this.seed = make("input", { inputmode: "numeric", pattern: "[0-9]*", size: "10",
      placeholder: "random", autocomplete: "off", oninput: () => this.refuseSeed("") });
    this.seedWrong = make("p", { class: "notice", id: "seed-wrong", role: "alert", hidden: true });
    this.seed.setAttribute("aria-describedby", this.seedWrong.id);
    this.seats = make("div", { class: "seats" });
    this.versus = make("button", { type: "button", class: "strong", id: "versus",
      text: "Play the computer" });
    this.stepping = remembered(STEPPING);
    this.coaching = remembered(COACHING);
    this.later = make("p", { id: "next-game", class: "notice", role: "status" });
    byId("settings").onchange = () => {
      this.keep();
      this.compare();
    };
    byId("settings").replaceChildren(this.versus, ...this.variant.labels,
      make("label", {}, "Seed ", this.seed), this.seedWrong, this.seats, this.later,
      make("label", {}, this.stepping, " Step through draws and moves of engines"),
      make("label", {}, this.coaching, " Warn me of mistakes"));
    this.fill();
    const { game, board, seats } = storedValue(CHOSEN, {}, ofTab);
    if (Array.isArray(seats)) this.show({ game, board, seats }, seats);
  }

  /** @type {boolean} whether the tab keeps what is set */
  kept = false;

  /** Let a reload find what is set: also where it shows no game that has it. */
  keep() {
    this.kept = true;
    const { game, board } = this.variant.request;
    store(CHOSEN, JSON.stringify({ game, board, seats: this.specs }), ofTab);
  }

  /** Show a choice for each seat; the others keep what they have. */
  fill() {
    const before = this.specs;
    const options = [[HUMAN, "person at this screen"],
      ...LEVELS.map((word, index) => index === 9 ? ["default", "level 10, the best engine"]
        : [`default:level=${index + 1}`, `level ${index + 1}${word ? `, ${word}` : ""}`])];
    this.fields = [...Array(this.variant.request.players).keys()].map((seat) => {
      const one = select(`Seat ${seat}`, options);
      one.field.value = before[seat] ?? HUMAN;
      one.field.dataset.seatAgent = String(seat);
      return one;
    });
    this.seats.replaceChildren(...this.fields.map((one) => one.label));
  }

  /** @type {{start: any, seats: string[]}|null} what is played, and by whom */
  played = null;

  /** Say so if what is set is not what is played with. @param {{start: any, seats: string[]}|null} played */
  compare(played = this.played) {
    this.played = played;
    const { game, board, players } = this.variant.request;
    const same = !played || (game === played.start.game && board === played.start.board
      && players === played.seats.length && this.fields.every(({ field }, seat) =>
        field.value === played.seats[seat] || !offers(field, played.seats[seat])));
    this.later.hidden = same;
    if (same) this.later.replaceChildren();
    else if (!this.later.childElementCount) {
      this.later.append("What you have set counts for the next game. ",
        button("New game", () => byId("new").click(), { class: "strong" }));
    }
  }

  /**
   * Show what a game is played with; what cannot be chosen here leaves a field as it is.
   * @param {{game: string, board: string, seats: any[]}} start position in JSON form
   * @param {string[]} specs who sits where
   */
  show(start, specs) {
    const { game, board, players } = this.variant;
    choose(game.field, start.game);
    choose(board.field, start.board);
    choose(players.field, String(start.seats.length));
    this.fill();
    this.fields.forEach(({ field }, seat) => choose(field, specs[seat]));
    this.keep();
  }

  /** @type {{label: HTMLElement, field: HTMLSelectElement}[]} */
  fields = [];

  /**
   * Set what a position is played on with: who is chosen for its seats, and easy engines for more of
   * them; if these are people only, one for the seat to move, against easy engines.
   * @param {any} position in JSON form
   */
  goOnFrom(position) {
    const chosen = this.specs.slice(0, position.seats.length);
    this.show(position, position.seats.map((_, seat) => chosen[seat] ?? EASY));
    if (chosen.every((spec) => spec === HUMAN)) this.againstEngine(position.to_move ?? 0);
  }

  /** Let one person play, where one sits or else in the first seat; other people become easy engines. */
  againstEngine(person = Math.max(0, this.specs.indexOf(HUMAN))) {
    this.fields.forEach((one, seat) => {
      if (seat === person) one.field.value = HUMAN;
      else if (one.field.value === HUMAN) one.field.value = EASY;
    });
  }

  /** @returns {string[]} who sits where */
  get specs() {
    return this.fields.map((one) => one.field.value);
  }

  /**
   * @param {number} most the largest one that is taken
   * @returns {number|null} the seed, one by chance if the field is empty; null: it is refused there
   */
  takeSeed(most = MAX_SEED) {
    const seed = this.seed.value.trim();
    const sound = /^[0-9]+$/.test(seed) && Number(seed) <= most;
    this.refuseSeed(sound || !seed ? "" : `'${seed.slice(0, 40)}' is not a whole number from 0 to ${most}`);
    if (!seed) return randomSeed();
    return sound ? Number(seed) : null;
  }

  /** @param {string} words what is wrong with the seed; nothing: it is not refused any more */
  refuseSeed(words) {
    this.seedWrong.textContent = words;
    this.seedWrong.hidden = !words;
    this.seed.setAttribute("aria-invalid", String(words !== ""));
    if (!words) return;
    byId("setup").open = true;
    this.seed.focus();
  }
}

/** @param {string} name under which the browser keeps it @returns {any} a checkbox */
export function remembered(name) {
  const box = make("input", { type: "checkbox", checked: stored(name) === YES,
    onchange: () => store(name, box.checked ? YES : "") });
  return box;
}

/** @param {HTMLSelectElement} field @param {string} value @returns {boolean} whether it can be chosen there */
function offers(field, value) {
  return [...field.options].some((one) => one.value === value);
}

/** @param {HTMLSelectElement} field @param {string} value to choose, if it is offered */
function choose(field, value) {
  if (offers(field, value)) field.value = value;
}

/** @returns {number} below 2 ** 48, so that there is room for the number of a move */
export function randomSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 65536) * 2 ** 32 + low;
}

/**
 * @param {string} title
 * @param {string[][]} options values and words
 * @param {() => void} onChange
 */
export function select(title, options, onChange = () => {}) {
  let pointed = false; // else keys choose, and continue with it
  const field = make("select", {
    onpointerdown: () => { pointed = true; },
    onkeydown: () => { pointed = false; },
    onchange: () => {
      if (pointed) field.blur(); // so that the keys of the page work
      onChange();
    },
  }, ...entries(options));
  return { field, label: make("label", {}, `${title} `, field) };
}
