/** The page as a whole: the game on the table, and everything that is done with it. */

import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { button, byId, make, percent, signed } from "./dom.js";
import { Editor } from "./editor.js";
import { Engine } from "./engine.js";
import { Game, Node } from "./game.js";
import { read, showProblems, watchIntake } from "./intake.js";
import { listGame, listMoves } from "./moves.js";
import { Picker, sentence } from "./picker.js";
import { Review, verdict } from "./review.js";
import { GAME_NAMES, Settings, playerName, randomSeed } from "./settings.js";

const NARROW = 700; // pixels of the table below which boards stand one above the other
const SHOW_MS = 600; // how long an engine's move is shown before it is played
const ENGINE_SECONDS = 2; // for a move of the best engine
const HINT_SECONDS = 2;
const LISTED = 200; // games and positions of a file that are offered
const DARK = matchMedia("(prefers-color-scheme: dark)");
const LAST_GAME = "pavilion-game";
const KEYS = [
  ["Tab, Enter", "choose tiles, spaces and moves"], ["Esc", "cancel a choice"],
  ["U or ←", "take back"], ["R or →", "play again"], ["H", "hint, a second time: why"],
  ["A", "analyse, stop"], ["N", "next mistake of a review"], ["?", "this list"],
];

class Page {
  constructor() {
    this.board = new Board();
    this.picker = new Picker(this.board, (move) => this.play(move));
    this.engine = new Engine((open) => {
      document.body.classList.toggle("offline", !open);
      if (!open) this.say("The engine is not there. Is pavilion web still running?");
      else if (this.game) this.refresh();
    });
    /** @type {Game|null} */
    this.game = null;
    /** @type {Review|null} */
    this.review = null;
    /** @type {Editor|null} */
    this.editor = null;
    this.turn = 0; // counts what is shown, so that late answers are dropped
    /** @type {import("./engine.js").Query|null} */
    this.thinking = null;
    this.saving = Promise.resolve();
  }

  async start() {
    const hello = await this.engine.ask("hello");
    this.settings = new Settings(hello.games);
    this.colours = hello.colours;
    this.analysis = new Analysis(this.engine, {
      threads: hello.threads ?? 1,
      hover: (move) => this.hover(move),
      play: (move) => this.play(move, true),
      words: (move) => this.choiceOf(move)?.words ?? "",
    });
    this.analysis.again = () => this.analyse();
    this.bind();
    watchIntake(this.engine, (found) => this.take(found));
    this.resizing();
    await this.first();
    this.listSaved();
  }

  /** Show what the address names, else the last game, else a new one. */
  async first() {
    const code = new URLSearchParams(location.search).get("position");
    if (code !== null) {
      try {
        return await this.load((await this.engine.ask("show", { position: code })).position);
      } catch (error) {
        showProblems([{ name: "position", place: "", message: error.message }]);
      }
    }
    const last = stored(LAST_GAME);
    if (last && code === null) {
      try {
        return await this.open(last);
      } catch { /* no longer there */ }
    }
    return this.begin();
  }

  bind() {
    byId("new").onclick = () => this.begin();
    this.settings.versus.onclick = () => {
      this.settings.againstEngine();
      this.begin();
    };
    byId("undo").onclick = () => this.undo();
    byId("redo").onclick = () => this.redo();
    byId("hint").onclick = () => this.hint();
    byId("resign").onclick = () => this.resign();
    byId("help").onclick = () => this.help();
    const copy = (/** @type {string} */ title, /** @type {() => Promise<string>|string} */ text) =>
      button(title, async () => {
        await navigator.clipboard.writeText(await text());
        this.say(`${title.replace("Copy", "Copied")}.`);
      });
    const shown = async (/** @type {string} */ format) => (await this.engine.ask("show",
      { position: this.node.position, format })).text;
    byId("share").append(
      copy("Copy link", () => `${location.origin}/?position=${this.board.frame.dataset.code}`),
      copy("Copy code", () => this.board.frame.dataset.code ?? ""),
      copy("Copy text", () => shown("text")),
      copy("Copy JSON", () => JSON.stringify(this.node.position)),
      button("Save picture", async () => download("position.svg", await shown("svg"),
        "image/svg+xml")),
      button("Save game", async () => {
        const { record } = await this.engine.ask("open", { game: this.game?.id });
        download(`${record.id}.jsonl`, `${JSON.stringify(record)}\n`, "application/json");
      }));
    byId("share").prepend(button("Edit", () => this.edit(), { id: "edit", class: "strong" }));
    addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {any} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest?.("input, textarea, select, dialog")) return;
    const actions = {
      u: () => this.undo(), r: () => this.redo(), h: () => this.hint(), "?": () => this.help(),
      a: () => this.analysis?.set(!this.analysis.on), n: () => this.review?.next(), Escape: () => this.picker.cancel(),
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** Let the position on the table be changed in any way. */
  edit() {
    this.editor?.close();
    this.analysis.set(false);
    this.analysis.clear();
    const shown = this.node;
    const close = () => {
      this.editor?.close();
      this.editor = null;
    };
    this.editor = new Editor(shown.position, {
      colours: this.colours[shown.position.game],
      read: (text) => read(this.engine, text),
      preview: async (position) => {
        const node = new Node(null, [], position, true);
        await this.look(/** @type {Game} */ (this.game), node);
        if (this.editor) this.board.show(node.view, position);
      },
      done: (position) => {
        close();
        this.load(position);
      },
      cancel: () => {
        close();
        this.refresh();
      },
    });
  }

  help() {
    const list = make("dl", {}, ...KEYS.flatMap(([keys, what]) =>
      [make("dt", { text: keys }), make("dd", { text: what })]));
    byId("keys").replaceChildren(make("h2", { id: "keys-title", text: "Keys" }), list,
      button("Close", () => byId("keys").close(), { class: "strong" }));
    byId("keys").showModal();
  }

  /** @returns {Node} */
  get node() {
    return /** @type {Game} */ (this.game).current;
  }

  // -- games ---------------------------------------------------------------------------------

  /** Begin a new game as it is set. */
  async begin() {
    const request = this.settings.request;
    const { position } = await this.engine.ask("new", request);
    this.setGame(new Game(position, { id: newId(), seats: this.settings.specs,
      seed: request.seed, names: [] }));
    this.analysis.set(false);
    byId("setup").open = !matchMedia("(max-width: 60rem)").matches;
    await this.refresh();
    this.save();
  }

  /**
   * Put a position on the table, to be looked at.
   * @param {any} position
   */
  async load(position) {
    this.setGame(new Game(position, { id: newId(), seats: position.seats.map(() => "human"),
      seed: randomSeed(), names: [] }));
    this.analysis.set(true, false);
    byId("setup").open = false;
    await this.refresh();
  }

  /** @param {Game} game */
  setGame(game) {
    this.thinking?.stop();
    this.thinking = null;
    this.editor?.close();
    this.editor = null;
    this.review?.close();
    this.review = null;
    this.game = game;
    this.hinted = null;
    this.analysis.clear();
  }

  /** @param {{positions?: any[], records?: any[], notes: string[]}} found */
  async take(found) {
    const records = found.records ?? [];
    const positions = found.positions ?? [];
    const several = records.length + positions.length > 1;
    byId("found").replaceChildren(...several ? [
      ...records.slice(0, LISTED).map((record, index) => make("li", {}, button(
        `Game ${index + 1}: ${record.agents.map((one) => one.name ?? playerName(one.spec ?? ""))
          .join(" – ")}, ${record.scores.join(" : ")}`, () => this.loadRecord(record)))),
      ...positions.slice(0, LISTED).map((position, index) => make("li", {}, button(
        `Position ${index + 1}`, () => this.load(position)))),
    ] : []);
    if (found.records?.length) await this.loadRecord(found.records[0]);
    else if (found.positions?.length) await this.load(found.positions[0]);
    if (found.notes.length) this.say(found.notes.join("; "));
    byId("table").scrollIntoView({ block: "nearest" });
  }

  /** @param {any} record */
  async loadRecord(record) {
    const decisions = await this.replay(record, record.agents.map(() => "human"));
    this.analysis.set(false);
    this.review = new Review(this.engine, record, decisions, {
      go: (node) => this.go(node), say: (text) => this.say(text), refresh: () => this.refresh(),
    });
    await this.go(this.game.root);
  }

  /** @param {string} id of a saved game; it goes on where it stood */
  async open(id) {
    const { record } = await this.engine.ask("open", { game: id });
    await this.replay(record, record.agents.map((agent) => agent.spec));
    this.game.id = id;
    store(LAST_GAME, id);
    this.analysis.set(false);
    await this.go(this.game.tip);
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
      names: record.agents.map((agent) => agent.name ?? playerName(agent.spec)) });
    const decisions = [];
    for (const ply of plies) {
      if (ply.seat === null && game.current.parent) {
        game.current.played.push(ply.move);
        continue;
      }
      const node = game.add([ply.move], null, false);
      node.seat = ply.seat;
      node.words = ply.words;
      if (ply.seat !== null) decisions.push({ ...ply, node });
    }
    this.setGame(game);
    return decisions;
  }

  /** Review the game on the table. */
  async reviewGame() {
    await this.saving;
    const { record } = await this.engine.ask("open", { game: this.game?.id });
    await this.loadRecord(record);
  }

  /** Keep the game on disk; the last state is the one that stays. */
  save() {
    const game = this.game;
    if (!game) return;
    this.saving = this.saving.then(async () => {
      try {
        await this.engine.ask("save", { game: game.id, start: game.root.position,
          moves: game.tip.moves, agents: game.seats, seed: game.seed, resigned: game.resigned });
        store(LAST_GAME, game.id);
        if (location.search) history.replaceState(null, "", "/"); // a reload opens this game
      } catch (error) {
        this.say(`Not saved: ${error.message}`);
      }
    });
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

  // -- moves ---------------------------------------------------------------------------------

  /**
   * Play a move in the position on the table.
   * @param {string} move
   * @param {boolean} [aside] in a line of its own, not in the game
   */
  async play(move, aside = false) {
    const { game, node } = this;
    if (!game) return;
    this.thinking?.stop();
    this.thinking = null;
    const told = await this.review?.answer(node, move);
    if (told) {
      await this.refresh();
      this.say(`${told} ${byId("status").textContent}`);
      return;
    }
    try {
      const answer = await this.engine.ask("apply", { position: node.position, moves: [move],
        seed: game.seed + node.moves.length });
      if (this.game !== game || game.current !== node) return;
      const choice = this.choiceOf(move);
      const child = game.add(answer.played, answer.position, aside || this.review !== null);
      child.choice = choice;
      child.words = choice?.words ?? "";
      await this.refresh();
      if (child.main && !this.review) this.save();
    } catch (error) {
      this.say(error.message);
    }
  }

  /** Draw the tiles that are due. */
  async draw() {
    const { game, node } = this;
    if (!game) return;
    const answer = await this.engine.ask("apply", { position: node.position, moves: [],
      seed: game.seed + node.moves.length });
    game.add(answer.played, answer.position, false);
    await this.refresh();
    this.save();
  }

  /** @param {Node} node to be shown */
  async go(node) {
    if (!this.game) return;
    this.thinking?.stop();
    this.thinking = null;
    if (node.parent) node.parent.next = node;
    this.game.current = node;
    await this.refresh();
  }

  /** @param {number} by 1 or -1 */
  step(by) {
    const { node } = this;
    const next = by < 0 ? node.parent : node.next ?? node.children[0];
    if (next) this.go(next);
  }

  undo() {
    this.walk((node) => node.parent);
  }

  redo() {
    this.walk((node) => node.next ?? node.children[0] ?? null);
  }

  /** Go on until a person is to move, where engines play too. */
  walk(next) {
    const game = this.game;
    if (!game) return;
    let node = next(this.node);
    while (node && game.hasEngine && node.main && next(node) && this.isEngine(node)) node = next(node);
    if (node) this.go(node);
  }

  /** @param {Node} node @returns {boolean} whether an engine is to move there */
  isEngine(node) {
    const seat = node.position ? node.position.to_move : node.children[0]?.seat ?? null;
    return node.main && seat !== null && this.game?.seats[seat] !== "human";
  }

  resign() {
    if (!this.game) return;
    this.game.resigned = this.node.position.to_move;
    this.thinking?.stop();
    this.save();
    this.refresh();
  }

  // -- what is shown -------------------------------------------------------------------------

  /** Show the current position. */
  async refresh() {
    const game = /** @type {Game} */ (this.game);
    const { node } = this;
    const turn = ++this.turn;
    this.hinted = null;
    this.analysis.clear();
    try {
      await this.look(game, node);
    } catch (error) {
      this.say(error.message);
      return;
    }
    if (turn !== this.turn) return;
    const { position, view } = node;
    this.board.show(view, position);
    const engine = this.isEngine(node) && game.resigned === null && node === game.tip;
    listMoves(view.moves, (move) => this.play(move), (move) => this.hover(move), !engine);
    this.picker.offer(engine ? [] : view.moves, position.to_move);
    if (node.choice && node.seat !== null) this.board.light(node.choice, node.seat, "last");
    if (view.chance) {
      byId("choice").replaceChildren(make("p", {}, "Tiles are to be drawn. ",
        button("Draw them", () => this.draw(), { class: "strong" })));
    }
    if (position.phase === "over" && !this.review) {
      byId("choice").replaceChildren(button("Review this game", () => this.reviewGame(),
        { class: "strong" }));
    }
    listGame(game, (target) => this.go(target));
    this.describe(game, node);
    this.judge(node);
    byId("undo").disabled = !node.parent;
    byId("redo").disabled = !node.children.length;
    byId("hint").disabled = position.to_move === null || engine;
    byId("resign").hidden = !game.hasEngine || position.phase === "over" || engine
      || game.resigned !== null;
    if (engine) this.engineMoves(game, node);
    else if (this.analysis.on) this.analyse();
  }

  /**
   * Ask for everything that is shown of a position, once.
   * @param {Game} game
   * @param {Node} node
   */
  async look(game, node) {
    if (!node.position) {
      node.position = (await this.engine.ask("apply", { position: game.root.position,
        moves: node.moves, draw: false })).position;
    }
    const { position } = node;
    const columns = this.board.frame.clientWidth < NARROW ? 1 : 2;
    const dark = DARK.matches;
    const first = columns > 1 ? 0 : this.ownSeat(node) ?? 0;
    if (node.view?.columns === columns && node.view.dark === dark) return;
    const names = game.names.length ? game.names : game.hasEngine ? game.seats.map(playerName) : null;
    const [code, svg, moves] = await Promise.all([
      this.engine.ask("show", { position, format: "code" }),
      this.engine.ask("show", { position, format: "svg", columns, first, names, dark }),
      this.engine.ask("moves", { position, describe: true }),
    ]);
    node.view = { columns, dark, code: code.text, svg: svg.text, moves: moves.described ?? [],
      chance: moves.chance };
  }

  /** Show what the review says of the decision that was made here. */
  judge(node) {
    const found = this.review?.look(node);
    if (!found) return;
    const { decision, hidden, ply } = found;
    const seat = node.position.to_move;
    if (hidden) {
      this.say(`Seat ${seat} went wrong here. Find a better move: play it.`);
      return;
    }
    this.board.clear("last");
    const played = this.choiceOf(ply.node.played[0]);
    if (played) this.board.light(played, seat, "played");
    this.hinted = decision.agrees ? null : this.choiceOf(decision.moves[0].move);
    this.hover(null);
    this.say(`Decision ${decision.ply}, seat ${seat}. `
      + verdict(decision, (move) => this.choiceOf(move)?.words ?? move));
  }

  /** Return the seat of the person who sits at the screen. */
  ownSeat(node) {
    const people = this.game?.seats.flatMap((spec, seat) => spec === "human" ? [seat] : []) ?? [];
    const mover = node.position.to_move;
    return people.includes(mover) ? mover : people[0] ?? mover;
  }

  /** Say what happened and who is to move. */
  describe(game, node) {
    const { position } = node;
    const said = [];
    if (node.words && node.seat !== null) said.push(`${this.who(node.seat)}: ${node.words}.`);
    if (node.played.length > 1) said.push(`Drawn: ${node.played.slice(1).join(", ")}.`);
    if (game.resigned !== null) said.push(`${this.who(game.resigned)} has resigned.`);
    else if (position.phase === "over") said.push(this.result(position));
    else if (position.to_move !== null) said.push(`${this.who(position.to_move)} to move.`);
    if (!node.main) said.push("This is a line beside the game.");
    this.say(said.join(" "));
  }

  /** @param {number} seat */
  who(seat) {
    const spec = this.game?.seats[seat];
    const name = this.game?.hasEngine ? (spec === "human" ? "you" : playerName(spec ?? "")) : "";
    return name ? `Seat ${seat} (${name})` : `Seat ${seat}`;
  }

  result(position) {
    const scores = position.seats.map((seat) => seat.score);
    return `The game is over: ${scores.map((score, seat) => `seat ${seat} ${score}`).join(", ")}.`;
  }

  /** @param {string} text */
  say(text) {
    byId("status").textContent = text;
  }

  /** @param {string} move @returns {import("./game.js").Choice|null} */
  choiceOf(move) {
    return this.node.view?.moves.find((one) => one.move === move) ?? null;
  }

  /** @param {string|null} move shown on the board as long as it is pointed at */
  hover(move) {
    if (!this.game) return;
    this.board.clear("best");
    if (!this.node.view) return;
    const choice = move === null ? this.hinted : this.choiceOf(move);
    if (choice) this.board.light(choice, this.node.position.to_move, "best");
  }

  // -- engines -------------------------------------------------------------------------------

  /** @param {Node} node @returns {any} the game up to there, for the engine */
  past(node) {
    return { start: /** @type {Game} */ (this.game).root.position, moves: node.moves };
  }

  /** Think about the position on the table. */
  analyse() {
    const { node } = this;
    if (!node.position || node.position.to_move === null) return;
    this.analysis.think(node.position, this.past(node));
  }

  /**
   * Let an engine move, and show what it does before it is done.
   * @param {Game} game
   * @param {Node} node
   */
  async engineMoves(game, node) {
    const seat = node.position.to_move;
    const spec = game.seats[seat];
    this.say(`${byId("status").textContent ?? ""} Thinking …`);
    const query = this.engine.query("choose", { position: node.position, agent: spec,
      past: this.past(node), seed: game.seed + node.moves.length,
      ...(spec === "default" ? { limits: { seconds: ENGINE_SECONDS } } : {}) }, (answer) => {
      if (answer.waiting !== undefined) this.say("Waiting for other searches to end.");
    });
    this.thinking = query;
    try {
      const { move } = await query.answer;
      const choice = this.choiceOf(move);
      if (this.thinking !== query || !choice) return;
      this.board.light(choice, seat, "last");
      this.say(sentence(`${this.who(seat)}: ${choice.words}`));
      if (this.settings.stepping.checked) await this.pressed("Next");
      else await wait(matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : SHOW_MS);
      if (this.thinking === query) await this.play(move);
    } catch (error) {
      if (this.thinking === query) this.say(error.message);
    }
  }

  /** Wait for a press of a button of this name. */
  pressed(name) {
    return new Promise((resolve) => {
      const next = button(name, () => {
        byId("choice").replaceChildren();
        resolve(undefined);
      }, { class: "strong" });
      byId("choice").replaceChildren(next);
      next.focus();
    });
  }

  /** Show the best move; when asked again, say why. */
  async hint() {
    const { node } = this;
    if (!node.position || node.position.to_move === null) return;
    if (this.hinted) {
      this.explain();
      return;
    }
    const answer = await this.analysis.think(node.position, this.past(node), HINT_SECONDS);
    if (!answer || node !== this.node) return;
    this.hinted = this.choiceOf(answer.moves[0].move);
    this.hover(null);
    this.say("Hint: the best move is marked on the board. Press Hint again for why.");
  }

  explain() {
    const [best, second] = this.analysis.found?.moves ?? [];
    if (!best || !this.hinted) return;
    let text = `${sentence(this.hinted.words)} It wins ${percent(best.win_prob)} of the time, with `
      + `a lead of ${signed(best.score_lead)} points.`;
    if (second) {
      const words = this.choiceOf(second.move)?.words ?? second.move;
      text += ` Next best: ${words} (${percent(second.win_prob)}, ${signed(second.score_lead)}).`;
    }
    this.say(text);
  }

  /** Draw anew when the table becomes narrow or wide. */
  resizing() {
    let columns = this.board.frame.clientWidth < NARROW ? 1 : 2;
    new ResizeObserver(() => {
      const now = this.board.frame.clientWidth < NARROW ? 1 : 2;
      if (now === columns) return;
      columns = now;
      if (this.game) this.refresh();
    }).observe(this.board.frame);
    DARK.addEventListener("change", () => this.game && this.refresh());
  }
}

/** @returns {string} the name of a new game */
function newId() {
  return `web-${Date.now().toString(36)}-${(randomSeed() % 46656).toString(36)}`;
}

/** @param {number} milliseconds */
function wait(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** @param {string} name @returns {string|null} */
function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} value */
function store(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch { /* the browser keeps nothing */ }
}

/** @param {string} name @param {string} text @param {string} type */
function download(name, text, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

new Page().start();
