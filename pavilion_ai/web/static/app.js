/** The page as a whole: the game on the table, and everything that is done with it. */

import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { button, byId, isolated, make, percent, putFirst, showTable, toTop } from "./dom.js";
import { Editor } from "./editor.js";
import { Engine, Refusal } from "./engine.js";
import { Node } from "./game.js";
import { Games, LAST_GAME, REVIEWED } from "./games.js";
import { read, showProblems, watchIntake } from "./intake.js";
import { Focus, bindKeys } from "./keys.js";
import { listGame, listMoves } from "./moves.js";
import { Opponents } from "./opponents.js";
import { Picker, sentence } from "./picker.js";
import { optionOf, reasons } from "./reasons.js";
import { verdict } from "./review.js";
import { Settings, playerName } from "./settings.js";
import { offerShare } from "./share.js";
import { Solo } from "./solo.js";
import { storeHere, stored, storedHere } from "./store.js";
import { Training } from "./train.js";

/** @typedef {import("./game.js").Game} Game */

const NARROW = 700; // pixels of the table below which boards stand one above the other
const HINT_SECONDS = 2;
const READ_MS = 10_000; // how long what is not to be missed stays at least
const OUTLOOK_MS = 200; // how long a position is shown before its outlook is asked for
const AGAIN_MS = 300; // until an engine that is not there is asked again
const DARK = matchMedia("(prefers-color-scheme: dark)");

class Page {
  constructor() {
    this.board = new Board();
    this.picker = new Picker(this.board, (move) => this.play(move));
    this.focus = new Focus({
      table: () => this.picker.firstClickable() ?? byId("choice").querySelector("button:enabled"),
      moves: () => byId("moves").querySelector("[data-move]:enabled"),
    });
    this.engine = new Engine((open) => {
      document.body.classList.toggle("offline", !open);
      if (!open) this.say("The engine is not there. Is pavilion web still running?");
      else if (this.game) this.goOn();
    });
    this.games = new Games(this);
    this.opponents = new Opponents(this);
    /** @type {Game|null} */
    this.game = null;
    /** @type {import("./review.js").Review|null} */
    this.review = null;
    /** @type {Editor|null} */
    this.editor = null;
    this.insisted = { text: "", until: 0 }; // what is not to be missed
    this.turn = 0; // counts what is shown, so that late answers are dropped
    addEventListener("unhandledrejection", (event) => {
      if (!(event.reason instanceof Refusal)) return;
      event.preventDefault();
      this.say(event.reason.message); // nobody else has told it
    });
  }

  async start() {
    const hello = await this.greeting();
    this.settings = new Settings(hello.games);
    this.colours = hello.colours;
    this.analysis = new Analysis(this.engine, {
      threads: hello.threads ?? 1,
      hover: (move) => this.hover(move),
      play: (move) => this.play(move, true),
      words: (move) => this.choiceOf(move)?.words ?? "",
    });
    this.analysis.again = () => this.analyse();
    this.training = new Training(this.engine, hello.games, {
      put: (puzzle, position) => this.putPuzzle(puzzle, position),
      say: (text) => this.say(text),
      mark: (best, other) => this.markPuzzle(best, other),
    });
    this.solo = new Solo(this);
    this.bind();
    watchIntake(this.engine, (found) => this.games.take(found));
    this.resizing();
    await this.first();
  }

  /** @returns {Promise<any>} what the engine says of itself, once it is there */
  async greeting() {
    for (;;) {
      try {
        return await this.engine.ask("hello");
      } catch {
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  /** Take up what was going on when the engine was lost. */
  goOn() {
    if (!this.editor) this.refresh();
    if (this.games.unsaved) this.games.save();
    this.review?.resume();
  }

  /** Show what the address names, else the last game or review of this tab, else a new one. */
  async first() {
    const code = new URLSearchParams(location.search).get("position");
    let broken = "";
    if (code !== null) {
      try {
        return await this.games.load((await this.engine.ask("show", { position: code })).position);
      } catch (error) {
        broken = error.message;
      }
    }
    const reviewed = storedHere(REVIEWED);
    if (reviewed && code === null) {
      try {
        return await this.games.loadRecord(JSON.parse(reviewed));
      } catch { /* no record any more */ }
    }
    const last = storedHere(LAST_GAME) ?? stored(LAST_GAME);
    if (last && code === null) {
      try {
        return await (last.startsWith("{") ? this.solo.show(JSON.parse(last))
          : this.games.open(last));
      } catch { /* no longer there */ }
    }
    const game = await this.games.begin();
    if (this.game !== game) return; // somebody was quicker
    byId("welcome").hidden = false;
    if (broken) this.note([`This is a new game, as the link cannot be opened: ${broken}`], true);
  }

  bind() {
    const begin = () => this.games.begin();
    const versus = () => {
      this.settings.againstEngine();
      begin();
    };
    const show = (/** @type {string} */ id) => {
      byId("welcome").hidden = true;
      toTop(id);
    };
    const open = () => {
      show("paste-card");
      byId("paste").focus({ preventScroll: true });
    };
    const train = () => {
      byId("welcome").hidden = true;
      putFirst(byId("train-card"));
      this.training.open();
    };
    const actions = {
      new: begin, undo: () => this.undo(), redo: () => this.redo(), hint: () => this.hint(),
      resign: () => this.resign(), edit: () => this.edit(), open, train,
      think: () => {
        show("analysis-card");
        this.analysis.set(true);
      },
      play: () => {
        byId("setup").open = true;
        show("setup");
      },
      "welcome-versus": versus, "welcome-open": open, "welcome-train": train,
      "welcome-two": () => { byId("welcome").hidden = true; },
    };
    for (const [id, action] of Object.entries(actions)) byId(id).onclick = action;
    this.settings.versus.onclick = versus;
    offerShare({
      code: () => this.board.frame.dataset.code ?? "",
      position: () => this.node.position,
      shown: async (format, look = {}) =>
        (await this.engine.ask("show", { position: this.node.position, format, ...look })).text,
      record: () => this.games.record(),
      say: (text) => this.say(text),
    });
    bindKeys({
      u: () => this.undo(), r: () => this.redo(), h: () => this.hint(),
      a: () => this.analysis.set(!this.analysis.on), n: () => this.review?.next(),
      e: () => this.edit(), t: train, Escape: () => this.picker.cancel(),
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
    }, () => this.editor);
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.analysis.pause();
      else if (this.analysis.on) this.analyse();
    });
  }

  /** Let the position on the table be changed in any way. */
  edit() {
    byId("welcome").hidden = true;
    this.closeEditor();
    this.opponents.stop();
    this.analysis.set(false);
    this.analysis.clear();
    this.analysis.fold();
    this.picker.offer([], null);
    listMoves(this.node.view?.moves ?? [], () => {}, () => {}, false);
    const { position } = this.node;
    this.editor = new Editor(position, {
      board: this.board,
      colours: this.colours[position.game],
      read: (text) => read(this.engine, text),
      draw: async (draft) => (await this.engine.ask("sketch", { position: draft,
        columns: this.columns, dark: DARK.matches })).text,
      done: (sound) => {
        this.closeEditor();
        this.games.load(sound);
      },
      cancel: () => {
        this.closeEditor();
        this.refresh();
      },
      say: (text) => this.say(text),
    });
  }

  closeEditor() {
    this.editor?.close();
    this.editor = null;
  }

  /** @returns {Node} */
  get node() {
    return /** @type {Game} */ (this.game).current;
  }

  /** @returns {number} boards side by side */
  get columns() {
    return this.board.frame.clientWidth < NARROW ? 1 : 2;
  }

  /** @param {Game} game */
  setGame(game) {
    byId("welcome").hidden = true;
    this.opponents.stop();
    this.closeEditor();
    this.review?.close();
    this.review = null;
    storeHere(REVIEWED, "");
    this.training.close();
    this.solo.close();
    this.games.mark(null);
    this.game = game;
    this.insisted = { text: "", until: 0 };
    this.hinted = null;
    showProblems([]); // what went wrong before is over
    this.note([]);
    this.analysis.clear();
    this.analysis.fold();
    this.games.saving.then(() => this.games.listSaved()).catch(() => {}); // with the one before
  }

  // -- puzzles -------------------------------------------------------------------------------

  /**
   * Put a puzzle on the table; from now on a click is an answer to it.
   * @param {any} puzzle
   * @param {any} position JSON form
   */
  async putPuzzle(puzzle, position) {
    const shown = this.games.load(position, false);
    this.training.puzzle = puzzle; // before anything can be clicked: the game has closed the training
    this.puzzled = this.node;
    this.marked = null;
    byId("train-card").hidden = false;
    await shown;
    showTable();
  }

  /** Show the two moves of a puzzle on the board. */
  markPuzzle(best, other) {
    if (this.node !== this.puzzled) return;
    this.marked = { best, other };
    const seat = this.node.position.to_move;
    this.offer(this.node.view.moves, seat, true);
    const played = this.choiceOf(other);
    this.board.clear("played");
    if (played && other !== best) this.board.light(played, seat, "played");
    this.hinted = this.choiceOf(best);
    this.hover(null);
  }

  // -- moves ---------------------------------------------------------------------------------

  /**
   * Play a move in the position on the table.
   * @param {string} move
   * @param {boolean} [aside] in a line of its own, not in the game
   */
  async play(move, aside = false) {
    const { game, node } = this;
    if (!game || this.editor || (game.resigned !== null && !aside && !this.apart)) return;
    if (this.solo.open && node !== game.tip) {
      this.say("Nothing is taken back in a solo game.");
      return;
    }
    const looking = aside || this.apart || this.solo.done;
    this.opponents.stop();
    try {
      if (this.training.puzzle && node === this.puzzled && await this.training.answer(move)) {
        this.letGo();
        return;
      }
    } catch (error) {
      this.say(error.message);
      return;
    }
    const told = await this.review?.answer(node, move);
    if (told) {
      await this.refresh();
      this.say(`${told} ${byId("status").textContent}`);
      return;
    }
    this.analysis.stop(); // its threads are free for the answer
    try {
      const answer = this.solo.open ? await this.solo.play(game, node, move)
        : await this.view(game, node.position, { moves: [move],
          seed: game.seed + node.moves.length });
      if (this.game !== game || game.current !== node) return;
      const choice = this.choiceOf(move);
      const child = game.add(answer.played, answer.position, looking, answer.drawn);
      child.view ??= answer.view;
      const { decision } = child;
      decision.choice = choice;
      decision.words = choice?.words ?? "";
      if (child.main && !this.apart) this.games.save();
      if (!this.isEngine(node)) showProblems([]);
      await this.arrive(node);
    } catch (error) {
      this.say(error.message);
    }
  }

  /** @returns {boolean} whether what is played is only looked at */
  get apart() {
    return this.review !== null || this.training.puzzle !== null;
  }

  /** Draw the tiles that are due, or show what was drawn. */
  async draw() {
    const { game, node } = this;
    if (!game) return;
    if (node.onwards) {
      await this.go(node.onwards);
      return;
    }
    const answer = await this.view(game, node.position,
      { moves: [], seed: game.seed + node.moves.length });
    if (this.game !== game || game.current !== node) return;
    game.add(answer.played, answer.position, this.apart, answer.drawn).view ??= answer.view;
    if (!this.apart) this.games.save();
    await this.arrive(node);
  }

  /**
   * Show where play has come to; or only the first step on the way there, if steps are wanted.
   * @param {Node} from
   */
  async arrive(from) {
    const game = /** @type {Game} */ (this.game);
    if (this.settings.stepping.checked && from.onwards) game.current = from.onwards;
    await this.show(from);
  }

  /** Show the current position; what was drawn on the way to it appears. @param {Node} from */
  async show(from) {
    const { node } = this;
    await this.refresh();
    if (this.node !== node) return;
    const { decision } = node;
    const draws = node.draws.map((draw) => draw.played);
    if (from === decision.parent) this.board.showDrawn(draws);
    else if (from.decision === decision) this.board.showDrawn(draws.slice(from.draws.length));
  }

  /** @param {Node} node to be shown */
  async go(node) {
    if (!this.game) return;
    this.closeEditor();
    this.opponents.stop();
    showProblems([]);
    const from = this.node;
    if (node.parent) node.parent.next = node;
    this.game.current = node;
    await this.show(from);
  }

  /** Forget a line. @param {Node} line its first node */
  drop(line) {
    const { parent } = line;
    if (!parent) return;
    const inside = this.node.path.includes(line);
    parent.children = parent.children.filter((child) => child !== line);
    if (parent.next === line) parent.next = null;
    if (inside) this.go(parent);
    else this.relist();
  }

  relist() {
    listGame(/** @type {Game} */ (this.game), (node) => this.go(node), (line) => this.drop(line));
  }

  /** @param {number} by 1 or -1 */
  step(by) {
    const { node } = this;
    const next = by < 0 ? node.parent : node.onwards;
    if (next) this.go(next);
  }

  undo() {
    if (this.solo.open) return;
    this.walk((node) => node.parent, true);
  }

  redo() {
    this.walk((node) => node.onwards, !this.settings.stepping.checked);
  }

  /**
   * Go on until somebody is to move, where engines play too until it is a person.
   * @param {(node: Node) => Node|null} next
   * @param {boolean} past whether to pass over draws
   */
  walk(next, past) {
    const game = this.game;
    if (!game) return;
    const passed = (/** @type {Node} */ node) => (past && node.isDrawn)
      || (game.hasEngine && node.main && this.isEngine(node));
    let node = next(this.node);
    while (node && next(node) && passed(node)) node = /** @type {Node} */ (next(node));
    if (node) this.go(node);
  }

  /** @param {Node} node @returns {boolean} whether an engine is to move there */
  isEngine(node) {
    const seat = node.position ? node.position.to_move : node.children[0]?.seat ?? null;
    return node.main && seat !== null && this.game?.seats[seat] !== "human";
  }

  /** Ask whether to give up. */
  resign() {
    const { node } = this;
    const no = button("No", () => {
      if (node === this.node) this.put(this.game, node);
    });
    byId("choice").replaceChildren(make("p", { class: "row" }, "Give up this game?",
      button("Yes", () => {
        if (node === this.node) this.close(node.position.to_move);
      }, { class: "strong", id: "resign-yes" }), no));
    no.focus();
  }

  /** @param {number|null} seat that gives up; null: the game goes on after all */
  close(seat) {
    const game = /** @type {Game} */ (this.game);
    game.resigned = seat;
    this.opponents.stop();
    this.games.save();
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
    this.describe(game, node);
    this.put(game, node);
    this.relist();
    const { position } = node;
    const engine = this.awaitsEngine(game, node);
    byId("undo").disabled = !node.parent || this.solo.open;
    byId("redo").disabled = !node.children.length;
    byId("hint").disabled = position.to_move === null || engine || this.solo.open || this.closed;
    byId("resign").hidden = !game.hasEngine || game.seats[position.to_move] !== "human" || !node.main
      || game.resigned !== null || game.solo !== null;
    if (engine) this.opponents.move(game, node);
    else if (this.analysis.on) this.analyse();
  }

  /** @returns {boolean} whether somebody has given up the game on the table */
  get closed() {
    return this.game !== null && this.game.resigned !== null && !this.apart;
  }

  /** @returns {boolean} whether an engine is to move here, and will */
  awaitsEngine(game, node) {
    return this.isEngine(node) && game.resigned === null && node === game.tip;
  }

  /** Put a position on the table, with what can be done in it. */
  put(game, node) {
    const { position, view } = node;
    this.board.show(view, position);
    this.board.frame.classList.toggle("closed", this.closed);
    const open = !this.awaitsEngine(game, node) && !this.closed;
    listMoves(view.moves, (move) => this.play(move), (move) => this.hover(move), open);
    const judged = this.review?.look(node) ?? null;
    const told = this.review ? judged?.hidden !== true : node === this.puzzled && this.marked !== null;
    this.offer(open ? view.moves : [], position.to_move, told);
    const { choice, seat } = node.decision;
    if (choice && seat !== null) this.board.light(choice, seat, "last");
    if (view.chance) {
      byId("choice").replaceChildren(make("p", {}, "Tiles are to be drawn. ",
        button(node.onwards ? "Next" : "Draw them", () => this.draw(), { class: "strong" })));
    }
    if ((position.phase === "over" || this.closed) && !this.apart) {
      byId("choice").replaceChildren(make("p", { class: "row" },
        button("Review this game", () => this.games.review(), { class: "strong" }),
        ...this.closed ? [button("Continue anyway", () => this.close(null), { id: "continue" })] : []));
    }
    if (judged) this.judge(node, judged);
    this.focus.restore();
  }

  /**
   * Let moves be made on the board; where the answer is told, they can only be tried.
   * @param {import("./game.js").Choice[]} moves
   * @param {number|null} seat
   * @param {boolean} told
   */
  offer(moves, seat, told) {
    this.board.frame.classList.toggle("told", told);
    this.picker.offer(moves, seat, !told);
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
    if (node.view && this.fits(node.view)) return;
    node.view = (await this.view(game, position)).view;
  }

  /** @returns {boolean} whether a view is drawn for the table as it is now */
  fits(view) {
    return view.columns === this.columns && view.dark === DARK.matches;
  }

  /**
   * Ask for all that is shown of a position, after moves if there are any.
   * @param {Game} game
   * @param {any} position
   * @param {Record<string, any>} moves
   */
  async view(game, position, moves = {}) {
    const { columns } = this;
    const dark = DARK.matches;
    const known = game.seats.map((_, seat) => this.nameOf(game, seat));
    const names = known.some(Boolean) ? known : null;
    const people = columns > 1 ? null
      : game.seats.flatMap((spec, seat) => spec === "human" ? [seat] : []);
    const { played, drawn, code, svg, chance, winners, moves: described, position: after } =
      await this.engine.ask("view", { position, columns, dark, names, people, ...moves });
    return { played, drawn, position: after,
      view: { columns, dark, code, svg, moves: described, chance, winners } };
  }

  /** Show what the review says of the decision that was made here. */
  judge(node, { decision, hidden, ply }) {
    const seat = node.position.to_move;
    if (hidden) {
      this.say(`${this.who(seat)} went wrong here. Find a better move: play it.`);
      return;
    }
    this.board.clear("last");
    const played = this.choiceOf(ply.node.played);
    if (played) this.board.light(played, seat, "played");
    this.hinted = decision.agrees ? null : this.choiceOf(decision.moves[0].move);
    this.hover(null);
    this.say(`${drawn(node)}Ply ${decision.ply}, ${this.seatName(seat)}. `
      + verdict(decision, (move) => this.choiceOf(move)?.words ?? move));
  }

  /** Tell, a moment after a position is shown, what its final scores are expected to be. */
  async outlook(node) {
    await new Promise((resolve) => setTimeout(resolve, OUTLOOK_MS));
    if (node !== this.node || !node.position || this.editor) return;
    node.outlook ??= await this.engine.ask("outlook", { position: node.position }).catch(() => null);
    if (node !== this.node || !node.outlook || this.editor) return;
    this.analysis.showOutlook(node.outlook.parts);
    this.board.markShort(node.outlook.short);
  }

  /** Say what happened and who is to move. */
  describe(game, node) {
    const { position } = node;
    const said = [];
    const { seat, words } = node.decision;
    if (words && seat !== null) said.push(`${this.who(seat)}: ${words}.`);
    said.push(drawn(node).trim());
    if (node.isDrawn) said.push("Next, tiles are drawn.");
    if (game.resigned !== null) said.push(`${this.who(game.resigned)} has resigned: the game is over.`);
    else if (position.phase === "over") said.push(this.result(position, node.view.winners));
    else if (position.to_move !== null) {
      said.push(position.to_move === this.you ? "Your turn."
        : `${this.who(position.to_move)} to move.`);
    }
    if (!node.main) said.push("This is a line beside the game.");
    this.say(said.filter(Boolean).join(" "));
  }

  /** @returns {number} the seat of the only person at this screen; -1 if there is no such seat */
  get you() {
    const seats = this.game?.seats ?? [];
    const people = seats.filter((spec) => spec === "human").length;
    return people === 1 ? seats.indexOf("human") : -1;
  }

  /** @returns {string} who sits there, if that is known and says more than the number of the seat */
  nameOf(/** @type {Game} */ game, /** @type {number} */ seat) {
    if (game.names[seat] || !game.hasEngine) return game.names[seat] ?? "";
    return seat === this.you ? "you" : playerName(game.seats[seat]);
  }

  /** @param {number} seat @returns {string} what it is called everywhere */
  seatName(seat) {
    const name = this.nameOf(/** @type {Game} */ (this.game), seat);
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

  /** @param {string} text that takes the place of the last one, but not of what must be read */
  say(text) {
    const { insisted } = this;
    if (performance.now() > insisted.until) insisted.text = "";
    byId("status").textContent = insisted.text && !text.includes(insisted.text)
      ? `${insisted.text} ${text}` : text;
  }

  /** Say what is not to be missed: it stays before what is said next. @param {string} text */
  insist(text) {
    this.insisted = { text, until: performance.now() + READ_MS };
    byId("status").textContent = text;
  }

  /** Take back what is not to be missed: it holds no longer. */
  retract() {
    const status = byId("status");
    status.textContent = (status.textContent ?? "").replace(this.insisted.text, "").trim();
    this.insisted = { text: "", until: 0 };
  }

  /**
   * @param {string[]} notes on how what is shown was read; they stay as long as its game does
   * @param {boolean} wrong whether it could not be read
   */
  note(notes, wrong = false) {
    byId("notes").className = wrong ? "notice" : "fine";
    byId("notes").textContent = notes.join("; ");
    byId("notes").hidden = !notes.length;
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

  // -- thinking ------------------------------------------------------------------------------

  /** @param {Node} node @returns {any} the game up to there, for the engine */
  past(node) {
    return { start: /** @type {Game} */ (this.game).root.position, moves: node.moves };
  }

  /** Think about the position on the table. */
  analyse() {
    const { node } = this;
    if (!node.position || this.editor) return;
    if (this.solo.open) {
      this.analysis.set(false);
      this.say("There are no hints in a solo game.");
      return;
    }
    this.outlook(node);
    if (node.position.to_move !== null) this.analysis.think(node.position, this.past(node));
  }

  /** Show the best move; when asked again, say why. */
  async hint() {
    const { node } = this;
    if (!node.position || node.position.to_move === null || this.editor || this.solo.open
      || this.closed) return;
    if (this.hinted) {
      this.explain();
      return;
    }
    this.letGo();
    showProblems([]);
    this.say("Looking for the best move …");
    const answer = (this.analysis.on && this.analysis.found)
      || await this.analysis.think(node.position, this.past(node), HINT_SECONDS);
    if (!answer || node !== this.node) return;
    this.hinted = this.choiceOf(answer.moves[0].move);
    this.hover(null);
    this.say("Hint: the best move is marked on the board. Press Hint again for why.");
  }

  /** Forget what is half chosen. */
  letGo() {
    this.picker.letGo();
    this.focus.restore();
  }

  /** Say in words why the best move is better than the next one. */
  async explain() {
    const { node } = this;
    const [best, second] = this.analysis.found?.moves ?? [];
    if (!best || !this.hinted) return;
    const words = this.hinted.words;
    this.say(`The best move wins ${percent(best.win_prob)} of the time.`);
    if (!second?.pv.length) {
      this.say(`${sentence(`The best move: ${words}`)} It wins ${percent(best.win_prob)} of the time.`);
      return;
    }
    try {
      const told = await reasons(this.engine, node.position, optionOf(best), optionOf(second),
        "Next best");
      if (node !== this.node || !this.hinted) return;
      byId("choice").replaceChildren(make("div", { class: "reasons" }, ...told));
    } catch (error) {
      this.say(error.message);
    }
  }

  /** Draw anew when the table becomes narrow or wide. */
  resizing() {
    const prompt = byId("prompt"); // it hides nothing that the keyboard goes to
    new ResizeObserver(() => {
      document.documentElement.style.scrollPaddingTop = `${prompt.offsetHeight}px`;
    }).observe(prompt);
    let { columns } = this;
    new ResizeObserver(() => {
      if (this.columns === columns) return;
      columns = this.columns;
      this.redraw();
    }).observe(this.board.frame);
    DARK.addEventListener("change", () => this.redraw());
  }

  /** Draw anew what is shown; what is known of it, and said, stays. */
  async redraw() {
    const { game, turn, hinted } = this;
    if (this.editor) this.editor.sketch();
    if (this.editor || !game?.current.view) return;
    const node = game.current;
    try {
      do await this.look(game, node);
      while (!this.fits(node.view)); // it has changed once more meanwhile
    } catch {
      return; // it is drawn when the engine is back
    }
    if (turn !== this.turn || node !== this.node || this.editor) return;
    const resume = this.picker.pause();
    this.put(game, node);
    resume();
    this.hinted = hinted;
    if (this.marked && node === this.puzzled) this.markPuzzle(this.marked.best, this.marked.other);
    this.hover(null);
    if (node.outlook && this.analysis.found) this.board.markShort(node.outlook.short);
  }
}

/** @param {Node} node @returns {string} what was drawn since the last decision, in sentences */
function drawn(node) {
  return node.draws.map((draw) => `${sentence(draw.words)} `).join("");
}

new Page().start();
