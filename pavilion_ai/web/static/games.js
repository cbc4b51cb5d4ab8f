/** Putting games on the table: new ones, saved ones, recorded ones; and keeping them. */

import { button, byId, isNarrow, isolated, make, question, readable, showTable, speak, toTop } from "./dom.js";
import { Refusal } from "./engine.js";
import { Game } from "./game.js";
import { LATE } from "./intake.js";
import { Review } from "./review.js";
import { GAME_NAMES, MAX_SEED, playerName, randomSeed } from "./settings.js";
import { ofTab, store } from "./store.js";

/** @typedef {import("./game.js").Node} Node */

const LISTED = 200; // games and positions of a file that are offered
export const LAST_GAME = "pavilion-game";
export const REVIEWED = "pavilion-reviewed"; // the record that is reviewed in this tab, and its notes

export class Games {
  /** @param {any} page what holds the table */
  constructor(page) {
    this.page = page;
    this.engine = page.engine;
    this.saving = Promise.resolve();
    this.unsaved = false; // whether the game on the table could not be kept as it is
  }

  /** Remember which game is on the table. @param {string} name */
  remember(name) {
    store(LAST_GAME, name);
    store(LAST_GAME, name, ofTab); // another tab may have another one
    if (location.search) history.replaceState(null, "", "/"); // a reload opens this game
  }

  /**
   * Begin a new game as it is set.
   * @returns {Promise<Game|null>} none if its seed is refused, or something else was begun meanwhile
   */
  async begin() {
    const { settings } = this.page;
    const seed = settings.takeSeed();
    if (seed === null) return null;
    const begun = this.page.asks();
    const { position } = await this.engine.ask("new", { ...settings.variant.request, seed });
    return begun() ? null : this.play(position, seed);
  }

  /** Let the game go on from the position on the table, with the players that are set. */
  async playOn() {
    const { node, settings } = this.page;
    if (!node.position) return;
    settings.goOnFrom(node.position);
    const seed = settings.takeSeed();
    if (seed === null) return;
    this.page.asks();
    await this.play(node.position, seed);
  }

  /**
   * Play from a position on, with the players that are set.
   * @param {any} position
   * @param {number} seed
   * @returns {Promise<Game>}
   */
  async play(position, seed) {
    const { settings, analysis } = this.page;
    settings.keep();
    const game = new Game(position, { id: newId(), seats: settings.specs, seed,
      names: [] });
    this.page.setGame(game);
    byId("found-card").hidden = true;
    analysis.set(false);
    byId("setup").open = !isNarrow();
    await this.page.refresh();
    showTable(); // it may be set far below the board
    this.save();
    return game;
  }

  /**
   * Put a position on the table, to be looked at: a reload shows it again.
   * @param {any} position
   * @param {boolean} puzzle whether it is a puzzle's, which nothing is to tell about
   * @param {string[]} names of the players
   */
  async load(position, puzzle = false, names = []) {
    const { page } = this;
    page.asks();
    const game = new Game(position, { id: newId(), seats: position.seats.map(() => "human"),
      seed: randomSeed(), names });
    game.posed = !puzzle;
    page.setGame(game);
    page.analysis.set(!puzzle, false);
    byId("setup").open = false;
    await page.refresh();
    showTable();
    if (page.game !== game || game.saved) return;
    const { view } = game.root;
    history.replaceState(null, "", view && !puzzle ? `/?position=${view.code}` : "/");
  }

  /** @param {{positions?: any[], records?: any[], notes: string[]}} found */
  async take(found) {
    const records = found.records ?? [];
    const positions = found.positions ?? [];
    const choices = [
      ...records.map((record) => ({ show: () => this.loadRecord(record, found.notes),
        title: outcome(record, record.agents.map((one, seat) =>
          agentName(one) || `seat ${seat}`)) })),
      ...positions.map((position) => ({ show: async () => {
        await this.load(position);
        this.page.status.note(found.notes);
      }, title: `${GAME_NAMES[position.game]}, position of round ${position.round}` })),
    ];
    const first = this.offer(choices);
    await choices[0].show();
    this.mark(first);
    const several = choices.length > 1;
    if (several) speak(byId("found-title").textContent);
    byId("found-card").open = several;
    if (several) scrollTo(0, 0); // the list stands there
    else this.showFound();
  }

  /**
   * List what was found, to choose from; the list folds when one is chosen.
   * @returns {any} the first item
   */
  offer(choices) {
    const list = byId("found");
    byId("found-card").hidden = choices.length < 2;
    list.replaceChildren(...choices.slice(0, LISTED).map((choice) => {
      const one = button(choice.title, async () => {
        await choice.show();
        this.mark(one);
        byId("found-title").focus({ preventScroll: true });
        this.showFound();
      });
      return make("li", {}, one);
    }));
    if (choices.length > LISTED) {
      list.append(make("li", { class: "fine", text: `${choices.length - LISTED} more are not listed` }));
    }
    this.mark(null);
    return list.querySelector("button");
  }

  /** Say which of several is on the table. @param {any} chosen null: something else */
  mark(chosen) {
    const all = [...byId("found").querySelectorAll("button")];
    for (const one of all) one.setAttribute("aria-pressed", String(one === chosen));
    byId("found-title").textContent = chosen
      ? `${all.indexOf(chosen) + 1} of ${all.length} found: ${chosen.textContent}`
      : `${all.length} found: choose one`;
    byId("found-card").open = false;
  }

  /**
   * Review a record.
   * @param {any} found
   * @param {string[]} notes on how it was read
   * @param {() => boolean} begun as for `replay`
   */
  async loadRecord(found, notes = [], begun = this.page.asks()) {
    const { page } = this;
    const record = Number.isSafeInteger(found.seed) ? found
      : { ...found, seed: seedOfPage(found.seed) }; // else it would not come back as it was
    const decisions = await this.replay(record, record.agents.map(() => "human"), begun);
    page.analysis.set(false);
    page.status.note(notes);
    store(REVIEWED, JSON.stringify({ record, notes }), ofTab);
    if (location.search) history.replaceState(null, "", "/"); // a reload reviews it again
    page.review = new Review(this.engine, record, decisions, {
      go: (node) => page.go(node), say: (text) => page.status.say(text), refresh: () => page.refresh(),
      redraw: () => page.redraw(), step: (by) => page.step(by), seatName: (seat) => page.game.seatName(seat),
    });
    await page.go(page.game.root);
    this.showFound();
  }

  /** Bring in sight what was put on the table: a review stands above it where tools come below. */
  showFound() {
    if (isNarrow() && this.page.review) toTop("review-card");
    else showTable();
  }

  /**
   * @param {string} id of a saved game; it resumes where it stood
   * @param {() => boolean} begun as for `replay`
   * @param {boolean} set whether its players are set for the next game too
   */
  async open(id, begun = this.page.asks(), set = true) {
    const { record, stamp } = await this.engine.ask("open", { game: id });
    await this.replay(record, record.agents.map((agent) => agent.spec), begun);
    const { game } = this.page;
    game.id = id;
    game.stamp = stamp;
    game.saved = true;
    game.seconds = record.seconds;
    const gave = /^seat ([0-9]) resigned$/.exec(record.reason);
    if (gave) game.resigned = Number(gave[1]);
    game.ended = record.reason !== "unfinished";
    this.remember(id);
    if (set) this.page.settings.show(record.start, game.seats);
    this.page.analysis.set(false);
    if (isNarrow()) byId("setup").open = false;
    await this.page.go(game.tip);
    showTable();
  }

  /**
   * Put a recorded game on the table.
   * @param {any} record
   * @param {string[]} seats
   * @param {() => boolean} begun tells whether something else was requested since
   * @returns {Promise<any[]>} its decisions
   */
  async replay(record, seats, begun) {
    const { plies } = await this.engine.ask("replay",
      { position: record.start, moves: record.moves });
    if (begun()) throw new Refusal(LATE, "");
    const game = new Game(record.start, { id: newId(), seats, seed: seedOfPage(record.seed),
      names: record.agents.map(agentName) });
    const decisions = [];
    for (const ply of plies) {
      const node = game.step(ply.move, ply.seat, false);
      node.words = readable(ply.words);
      if (ply.seat !== null) decisions.push({ ...ply, words: node.words, node });
    }
    this.page.setGame(game);
    return decisions;
  }

  /** @returns {Promise<any>} the record of the game on the table */
  async record() {
    const { game, review } = this.page;
    if (review) return review.record;
    const kept = () => this.engine.ask("open", { game: game.id });
    await this.saving;
    if (this.unsaved || !game.saved) await this.save();
    else if (!game.solo && (await kept().catch(() => null))?.stamp !== game.stamp) {
      await this.save(); // it was continued elsewhere, or is gone
    }
    if (this.unsaved) {
      throw new Refusal("The game must be saved before it can be reviewed or written to a file.", "");
    }
    return (game.solo ? await this.engine.ask("solo", game.solo) : await kept()).record;
  }

  /** Review the game on the table. */
  async review() {
    const begun = this.page.asks();
    await this.loadRecord(await this.record(), [], begun);
  }

  /** Keep the game on disk; the last state is the one that stays. */
  save() {
    const { game } = this.page;
    if (!game) return this.saving;
    this.saving = this.saving.then(async () => {
      try {
        const { over } = game;
        let told = "";
        if (game.solo) await this.page.solo.save(game);
        else told = await this.keep(game);
        game.saved = true;
        if (this.unsaved) this.page.status.retract();
        this.unsaved = false;
        if (told) this.page.status.insist(told);
        this.remember(game.solo ? JSON.stringify(game.solo) : game.id);
        const { ended } = game;
        game.ended = over;
        if ((over || ended) && !game.solo) await this.listSaved().catch(() => {}); // they may be open
      } catch (error) {
        this.unsaved = game === this.page.game;
        const end = /[.?]$/.test(error.message) ? "" : ".";
        this.page.status.insist(`Not saved: ${error.message}${end}`);
      }
    });
    return this.saving;
  }

  /**
   * Keep a game; one continued in another tab as a game of its own.
   * @param {Game} game
   * @returns {Promise<string>} what became of the one that was kept; nothing: it was replaced
   */
  async keep(game) {
    try {
      const { stamp, anew } = await this.engine.ask("save",
        { ...contents(game), game: game.id, stamp: game.stamp });
      game.stamp = stamp;
      return anew ? "This game had been removed: it is saved again." : "";
    } catch (error) {
      if (error.field !== "stamp") throw error;
      this.part(game);
      await this.keep(game);
      return "This game was continued in another tab too: both are kept.";
    }
  }

  /** Keep a game that was finished as it is, if it went on elsewhere. @param {Game} game @param {Node} tip before */
  goOn(game, tip) {
    if (game.tip !== tip && tip.position?.phase === "over") this.part(game);
  }

  /** Continue a game as another one: the one that is kept stays as it is. @param {Game} game */
  part(game) {
    game.id = newId();
    game.stamp = "";
    game.saved = false;
  }

  /**
   * Keep what was played so far as a game of its own, in which people have these seats.
   * @param {Game} game
   * @param {string} person the spec of who sits there
   */
  async keepCopy(game, person) {
    const agents = game.seats.map((spec) => (spec === person ? "human" : spec));
    await this.engine.ask("save", { ...contents(game), agents, game: newId(), stamp: "" });
    await this.listSaved();
  }

  /** @returns {Promise<any[]>} the entries of the saved games */
  async listSaved() {
    const { games } = await this.engine.ask("saved");
    const saved = byId("saved");
    const had = saved.contains(document.activeElement);
    if (!games.length) {
      saved.replaceChildren();
      if (had) byId("setup").querySelector("summary").focus({ preventScroll: true });
      return games;
    }
    const open = saved.querySelector("details")?.open;
    const items = games.map((game) => this.savedItem(game));
    saved.replaceChildren(make("details", { open },
      make("summary", { text: `Saved games (${games.length})` }), make("ul", {}, ...items)));
    if (had) saved.querySelector("summary").focus({ preventScroll: true });
    return games;
  }

  /**
   * @param {any} game the entry of a saved one
   * @returns {HTMLElement} opens it, and removes it after a question
   */
  savedItem(game) {
    const title = `${outcome(game, game.agents.map(playerName))}, `
      + new Date(1000 * game.time).toLocaleString();
    const item = make("li", {});
    const ask = button("×", () => {
      const keep = button("Keep", () => {
        offer();
        ask.focus({ preventScroll: true });
      }, { class: "quiet" });
      const here = this.page.game?.id === game.id
        ? " It is on the table: when it goes on, it is saved again." : "";
      item.replaceChildren(question(`${title}: remove it for ever?${here}`,
        button("Remove", () => this.remove(game.id), { class: "quiet" }), keep));
      keep.focus({ preventScroll: true });
    }, { class: "quiet", title: "Remove this game", "aria-label": `Remove: ${title}` });
    const offer = () => item.replaceChildren(button(title, () => this.open(game.id)), " ", ask);
    offer();
    return item;
  }

  /** @param {string} id of a saved game; it may be gone already */
  async remove(id) {
    const refused = await this.engine.ask("remove", { game: id }).catch((error) => error);
    const left = await this.listSaved();
    if (left.some((game) => game.id === id)) throw refused;
    if (this.page.game?.id === id) this.part(this.page.game);
  }
}

/** @param {Game} game @returns {Record<string, any>} what is kept of it */
function contents(game) {
  return { start: game.root.position, moves: game.tip.moves, agents: game.seats, seed: game.seed,
    resigned: game.resigned, seconds: game.seconds };
}

/**
 * Say in a line what a game was, and how it ended.
 * @param {any} game a record, or the entry of a saved one
 * @param {string[]} names of the players
 * @returns {string}
 */
function outcome({ game, scores, winners, reason }, names) {
  const players = names.map(isolated);
  const won = winners.map((seat) => (players.filter((one) => one === players[seat]).length > 1
    ? `seat ${seat}` : players[seat])).join(" and ");
  const end = won ? [`${won} ${winners.length > 1 ? "share the victory" : "wins"}`] : [];
  if (reason !== "finished") end.push(reason);
  return `${GAME_NAMES[game]}, ${players.join(" – ")}, ${scores.join(" : ")}, ${end.join(", ")}`;
}

/** @param {any} agent of a record @returns {string} its name; nothing for a person without one */
export function agentName(agent) {
  return agent.name ?? (agent.spec === "human" ? "" : playerName(agent.spec ?? ""));
}

/** @param {number} seed of a record @returns {number} one that a new game could have; mostly the same */
function seedOfPage(seed) {
  if (Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED) return seed;
  return Math.abs(seed) % 2 ** 48 || 0; // one of hundreds of digits is infinite here
}

/** @returns {string} the name of a new game */
function newId() {
  return `web-${Date.now().toString(36)}-${(randomSeed() % 46656).toString(36)}`;
}
