/** Putting games on the table: new ones, saved ones, recorded ones; and keeping them. */

import { button, byId, isNarrow, make } from "./dom.js";
import { Game } from "./game.js";
import { Review } from "./review.js";
import { GAME_NAMES, playerName, randomSeed } from "./settings.js";
import { store } from "./store.js";

const LISTED = 200; // games and positions of a file that are offered
export const LAST_GAME = "pavilion-game";

export class Games {
  /** @param {any} page what holds the table */
  constructor(page) {
    this.page = page;
    this.engine = page.engine;
    this.saving = Promise.resolve();
  }

  /** Begin a new game as it is set. @returns {Promise<Game|null>} none if its seed is refused */
  async begin() {
    const { settings, analysis } = this.page;
    const seed = settings.takeSeed();
    if (seed === null) return null;
    const { position } = await this.engine.ask("new", { ...settings.request, seed });
    const game = new Game(position, { id: newId(), seats: settings.specs, seed,
      names: [] });
    this.page.setGame(game);
    analysis.set(false);
    byId("setup").open = !isNarrow();
    await this.page.refresh();
    this.save();
    return game;
  }

  /**
   * Put a position on the table, to be looked at.
   * @param {any} position
   * @param {boolean} analysed whether to think about it
   */
  async load(position, analysed = true) {
    this.page.setGame(new Game(position, { id: newId(), seats: position.seats.map(() => "human"),
      seed: randomSeed(), names: [] }));
    this.page.analysis.set(analysed, false);
    byId("setup").open = false;
    await this.page.refresh();
  }

  /** @param {{positions?: any[], records?: any[], notes: string[]}} found */
  async take(found) {
    const records = found.records ?? [];
    const positions = found.positions ?? [];
    const choices = [
      ...records.slice(0, LISTED).map((record, index) => ({ show: () => this.loadRecord(record),
        title: `Game ${index + 1}: ${record.agents.map((one, seat) =>
          nameOf(one) || `seat ${seat}`).join(" – ")}, ${record.scores.join(" : ")}` })),
      ...positions.slice(0, LISTED).map((position, index) => ({ show: () => this.load(position),
        title: `Position ${index + 1}` })),
    ];
    this.offer(choices);
    if (choices.length) await choices[0].show();
    this.page.note(found.notes);
    byId("status").scrollIntoView({ block: "nearest" });
  }

  /** Let one of several be chosen; the first one is shown. */
  offer(choices) {
    byId("found-card").hidden = choices.length < 2;
    byId("found-title").textContent = `${choices.length} found: which one?`;
    byId("found").replaceChildren(...choices.map((choice, index) => {
      const one = button(choice.title, async () => {
        mark(one);
        await choice.show();
      }, { "aria-pressed": String(index === 0) });
      return make("li", {}, one);
    }));
    const mark = (/** @type {any} */ chosen) => byId("found").querySelectorAll("button")
      .forEach((one) => one.setAttribute("aria-pressed", String(one === chosen)));
  }

  /** @param {any} record */
  async loadRecord(record) {
    const { page } = this;
    const decisions = await this.replay(record, record.agents.map(() => "human"));
    page.analysis.set(false);
    page.review = new Review(this.engine, record, decisions, {
      go: (node) => page.go(node), say: (text) => page.say(text), refresh: () => page.refresh(),
      step: (by) => page.step(by), seatName: (seat) => page.seatName(seat),
    });
    await page.go(page.game.root);
  }

  /** @param {string} id of a saved game; it goes on where it stood */
  async open(id) {
    const { record } = await this.engine.ask("open", { game: id });
    await this.replay(record, record.agents.map((agent) => agent.spec));
    const { game } = this.page;
    game.id = id;
    const gave = /^seat ([0-9]) resigned$/.exec(record.reason);
    if (gave) game.resigned = Number(gave[1]);
    store(LAST_GAME, id);
    this.page.analysis.set(false);
    await this.page.go(game.tip);
  }

  /**
   * Put a recorded game on the table.
   * @param {any} record
   * @param {string[]} seats
   * @returns {Promise<any[]>} its decisions
   */
  async replay(record, seats) {
    const { plies } = await this.engine.ask("replay",
      { position: record.start, moves: record.moves });
    const game = new Game(record.start, { id: newId(), seats, seed: record.seed % 2 ** 48,
      names: record.agents.map(nameOf) });
    const decisions = [];
    for (const ply of plies) {
      const node = game.step(ply.move, ply.seat, false);
      node.words = ply.words;
      if (ply.seat !== null) decisions.push({ ...ply, node });
    }
    this.page.setGame(game);
    return decisions;
  }

  /** @returns {Promise<any>} the record of the game on the table */
  async record() {
    await this.saving;
    const { solo } = this.page.game;
    if (solo) return (await this.engine.ask("solo", solo)).record;
    if (!this.page.game.saved) await this.save();
    return (await this.engine.ask("open", { game: this.page.game.id })).record;
  }

  /** Review the game on the table. */
  async review() {
    await this.loadRecord(await this.record());
  }

  /** Keep the game on disk; the last state is the one that stays. */
  save() {
    const { game } = this.page;
    if (!game) return this.saving;
    this.saving = this.saving.then(async () => {
      try {
        if (game.solo) await this.page.solo.save(game);
        else {
          await this.engine.ask("save", { game: game.id, start: game.root.position,
            moves: game.tip.moves, agents: game.seats, seed: game.seed, resigned: game.resigned });
        }
        game.saved = true;
        store(LAST_GAME, game.solo ? JSON.stringify(game.solo) : game.id);
        if (location.search) history.replaceState(null, "", "/"); // a reload opens this game
      } catch (error) {
        this.page.say(`Not saved: ${error.message}`);
      }
    });
    return this.saving;
  }

  async listSaved() {
    const { games } = await this.engine.ask("saved");
    if (!games.length) return;
    const items = games.map((game) => make("li", {}, button(
      `${GAME_NAMES[game.game] ?? game.game}, ${game.agents.map(playerName).join(" – ")}, `
      + `${game.scores.join(" : ")}, ${game.reason}, ${new Date(1000 * game.time).toLocaleString()}`,
      () => this.open(game.id))));
    byId("saved").replaceChildren(make("details", {},
      make("summary", { text: `Saved games (${games.length})` }), make("ul", {}, ...items)));
  }
}

/** @param {any} agent of a record @returns {string} its name; nothing for a person without one */
export function nameOf(agent) {
  return agent.name ?? (agent.spec === "human" ? "" : playerName(agent.spec ?? ""));
}

/** @returns {string} the name of a new game */
function newId() {
  return `web-${Date.now().toString(36)}-${(randomSeed() % 46656).toString(36)}`;
}
