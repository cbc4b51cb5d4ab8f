/** The game for one: the luck and the opponents of a seed, and a par to beat. */

import { button, byId, make, percent, showTable, signed } from "./dom.js";
import { select } from "./settings.js";
import { copied } from "./share.js";

const LEVEL = 5;
const RULE = "0"; // in place of a level
const BY_RULE = "rule"; // who sits there then

export class Solo {
  /** @param {any} page what holds the table */
  constructor(page) {
    this.page = page;
    this.engine = page.engine;
    /** @type {import("./game.js").Game|null} of which par could not be told */
    this.untold = null;
    this.result = ""; // of the game on the table, beside par
    this.level = select("Against", [...[...Array(9).keys()].map((index) =>
      [String(index + 1), `level ${index + 1}`]), [RULE, "the fixed rule"]]);
    this.level.field.value = String(LEVEL);
    this.level.field.id = "solo-level";
    byId("solo-settings").replaceChildren(
      make("p", { class: "row" }, this.level.label,
        button("Game of the day", () => this.begin(true), { id: "solo-daily" }),
        button("With the seed above", () => this.begin(false), { id: "solo-begin" })),
      make("p", { class: "fine", text: "You have seat 0. Everybody who takes the same seed has the "
        + "same luck and the same opponents. Unofficial: no rulebook has rules for it." }));
  }

  /** @returns {boolean} whether a solo game is on the table that is not over yet */
  get open() {
    const { game } = this.page;
    return !!game?.solo && game.tip.position?.phase !== "over";
  }

  /** @returns {boolean} whether a solo game is on the table that is over: now it is only looked at */
  get done() {
    return !!this.page.game?.solo && !this.open;
  }

  close() {
    byId("solo-card").hidden = true;
    this.result = "";
  }

  /** @param {boolean} daily whether to take the seed of the day */
  async begin(daily) {
    const { settings } = this.page;
    const seed = daily ? null : settings.takeSeed(Number.MAX_SAFE_INTEGER);
    if (seed === null && !daily) return;
    try {
      await this.show({ ...settings.variant.request, level: Number(this.level.field.value),
        ...(daily ? { daily } : { seed }) });
    } catch (error) {
      this.page.status.say(error.message);
    }
  }

  /**
   * Put a challenge on the table, where it stands.
   * @param {Record<string, any>} request
   * @param {() => boolean} begun as for `Games.replay`
   */
  async show(request, begun = this.page.asks()) {
    const { page } = this;
    const found = await this.engine.ask("solo", request);
    const { game, board, players, level, seed } = found;
    const rival = level ? `default:level=${level}` : BY_RULE;
    const seats = ["human", ...Array(players - 1).fill(rival)];
    await page.games.replay({ start: found.start, moves: found.moves, seed,
      agents: seats.map((spec) => ({ spec, name: spec === "human" ? "you" : undefined })) },
    seats, begun);
    page.game.solo = { game, board, players, level, seed };
    page.game.stamp = found.stamp;
    page.analysis.set(false);
    byId("setup").open = false;
    byId("solo-card").hidden = false;
    byId("solo").replaceChildren(
      make("p", { text: `${found.kind}, seed ${seed}. Moves cannot be taken back, and there are no `
        + "hints." }),
      make("p", { id: "solo-par", text: "Par is being computed …" }),
      make("p", { id: "solo-standing", class: "fine" }),
      make("div", { id: "solo-result" }));
    await page.go(page.game.tip);
    showTable();
    await page.games.save();
  }

  /**
   * Ask for what comes after moves; what is drawn then is what the seed gives.
   * @param {import("./game.js").Game} game
   * @param {import("./game.js").Node} node
   * @param {string[]} moves
   */
  async follow(game, node, moves) {
    const played = [...moves];
    for (;;) {
      const answer = await this.page.table.view(game, node.position, { moves: played, draw: false });
      if (!answer.view.chance) return answer;
      played.push(await this.due(game, [...node.moves, ...played]));
    }
  }

  /**
   * @param {import("./game.js").Game} game
   * @param {string[]} moves
   * @returns {Promise<string>} the draw or the opponent's move that follows
   */
  async due(game, moves) {
    return (await this.engine.ask("solo_move", { ...game.solo, moves })).move;
  }

  /** Keep the game; when it is over, compare it with par. @param {import("./game.js").Game} game */
  async save(game) {
    if (game.stamp === null) return;
    const begun = !game.saved;
    try {
      game.stamp = (await this.engine.ask("solo_save",
        { ...game.solo, moves: game.tip.moves, stamp: game.stamp })).stamp;
    } catch (error) {
      if (error.field !== "stamp") throw error;
      await this.giveWay(game);
      return;
    }
    if (begun || !this.open) this.tell(game);
  }

  /**
   * Continue with what another tab has played: a challenge is played once. What was played here is
   * kept too, as a game like others.
   * @param {import("./game.js").Game} game
   */
  async giveWay(game) {
    const { page } = this;
    await page.games.keepCopy(game, BY_RULE);
    game.stamp = null;
    if (page.game !== game) return;
    page.opponents.stop();
    // Not awaited: it waits for this save to be over.
    this.show(game.solo).then(() => {
      page.status.insist("This game was continued in another tab: here is how it stands there. What"
        + " you played in this tab is among the saved games.");
      page.describe(page.game, page.node);
    }, (error) => page.status.say(error.message));
  }

  /** Continue, if the engine was lost before par was told. */
  resume() {
    const { game } = this.page;
    if (this.untold !== game) return;
    this.untold = null;
    this.tell(game);
  }

  /** Tell par, the result and what was reached before. @param {import("./game.js").Game} game */
  async tell(game) {
    const { page } = this;
    let found;
    try {
      found = await this.engine.ask("solo_par", game.solo);
    } catch (error) {
      if (game !== page.game) return;
      byId("solo-par").textContent = `Par: ${error.message}`;
      this.untold = game;
      return;
    }
    if (game !== page.game) return;
    const { par, standing, result } = found;
    const [error, over] = par.points_error  // 0 if all games were equal, which tells nothing
      ? [` ± ${par.points_error.toFixed(1)}`, ` (standard error over searches of ${par.games} lengths)`] : ["", ""];
    byId("solo-par").textContent = `Par: ${par.points.toFixed(1)}${error} points${over}, `
      + `won ${percent(par.win)} (the best engine in your place, ${par.games} games).`;
    byId("solo-standing").textContent = [
      standing.games ? `Your games of this kind: ${standing.games}, best ${signed(standing.best)}, `
        + `mean ${signed(standing.mean)} points to par.` : "",
      standing.streak ? `Days in a row with the game of the day of this kind: ${standing.streak}.` : "",
    ].join(" ");
    if (!result) return;
    this.result = `You: ${result.points} points, ${signed(result.to_par)} to par; `
      + `${result.outcome}, ${signed(100 * result.win_to_par, 0)} % to par.`;
    if (page.node === page.laid && !page.editor) page.describe(game, page.node);
    byId("solo-result").replaceChildren(
      make("p", {}, make("b", { text: this.result })),
      make("pre", { id: "solo-table", tabindex: 0, text: result.table }),
      button("Copy table", async () => {
        if (await copied(result.table, "table")) {
          page.status.say("The table is copied. Others check it with pavilion verify --solo.");
        }
      }));
  }
}
