/** The page as a whole: the game on the table, and everything that is done with it. */

import { Analysis } from "./analysis.js";
import { Coach } from "./coach.js";
import { button, byId, isNarrow, make, question, showTable, speak, toTop, wait } from "./dom.js";
import { drawnField } from "./drawn.js";
import { Editor } from "./editor.js";
import { Engine, Refusal } from "./engine.js";
import { firstOf } from "./game.js";
import { agentName, Games, LAST_GAME, REVIEWED } from "./games.js";
import { Hints } from "./hints.js";
import { forgetLost, problemWords, read, showPasted, watchIntake } from "./intake.js";
import { bindKeys } from "./keys.js";
import { listGame, listMoves } from "./moves.js";
import { Opponents } from "./opponents.js";
import { sentence } from "./picker.js";
import { next } from "./reasons.js";
import { verdict } from "./review.js";
import { Settings } from "./settings.js";
import { offerShare } from "./share.js";
import { Solo } from "./solo.js";
import { Status } from "./status.js";
import { ofTab, store, stored, storedValue } from "./store.js";
import { Table } from "./table.js";
import { TRAINED, Training } from "./train.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./game.js").Node} Node */

const ANOTHER = "#new, #train, #versus, #solo-daily, #solo-begin, #saved li button:not(.quiet)";
const OF_GAME = "#edit, #think, #analyse, #share button"; // what needs one
const OF_POSITION = ["undo", "redo", "hint", "resign", "play-from"]; // buttons that need one
const AGAIN_MS = 300; // until an engine that is not there is asked again

class Page {
  constructor() {
    const unmark = () => { // what is looked at is told as long as it is marked, and no longer
      if (this.analysis?.looked) this.analysis.look(null);
    };
    this.status = new Status(unmark);
    this.engine = new Engine((open, words) => {
      this.status.offline(words);
      if (!open) return;
      if (this.game) this.goOn();
      else if (this.settings) this.first(); // it was lost before there was a game
    });
    this.table = new Table(this.engine, { play: (move) => this.play(move),
      remark: (text) => {
        unmark();
        this.status.remark(text);
      },
      shown: () => this.game?.current, looked: () => this.analysis?.looked ?? null });
    this.hints = new Hints(this);
    this.games = new Games(this);
    this.opponents = new Opponents(this);
    this.coach = new Coach(this);
    /** @type {Game|null} */
    this.game = null;
    /** @type {import("./review.js").Review|null} */
    this.review = null;
    /** @type {Editor|null} */
    this.editor = null;
    /** @type {Node|null} whose drawing is on the table: for a moment the one before */
    this.laid = null;
    this.turn = 0; // counts what is shown, so that late answers are dropped
    this.asked = 0; // counts what was to be put on the table, for the same
    addEventListener("beforeunload", (event) => {
      if (this.editor?.changed) event.preventDefault();
    });
    addEventListener("unhandledrejection", (event) => {
      if (!(event.reason instanceof Refusal)) return;
      event.preventDefault();
      this.status.say(event.reason.message); // nobody else has told it
    });
  }

  async start() {
    const hello = await this.greeting();
    this.settings = new Settings(hello.games);
    this.colours = hello.colours;
    this.phases = hello.phases;
    this.analysis = new Analysis(this.engine, {
      threads: hello.threads ?? 1,
      hover: (move) => this.table.hover(move),
      remark: (text) => this.status.remark(text),
      play: async (move) => {
        await this.play(move, true);
        if (isNarrow()) showTable(); // where the way out of the line is
      },
      words: (move) => this.table.choiceOf(move)?.words ?? "",
      again: () => this.hints.analyse(),
    });
    this.training = new Training(this.engine, hello.games, {
      put: (puzzle, position) => this.putPuzzle(puzzle, position),
      say: (text) => this.status.say(text),
      who: (seat) => /** @type {Game} */ (this.game).who(seat),
      mark: (best, other) => this.markPuzzle(best, other),
      asks: () => this.asks(),
    });
    this.solo = new Solo(this);
    this.bind();
    watchIntake(this.engine, {
      found: async (found) => {
        if (!this.editor?.changed) return this.games.take(found);
        this.status.say("What was read takes the place of what is edited.");
        this.editor.leave(() => this.games.take(found));
      },
      begun: () => this.begun(),
      status: this.status,
    });
    this.table.watch(() => this.redraw());
    await this.first();
  }

  /** @returns {Promise<any>} what the engine says of itself, once it is there */
  async greeting() {
    for (;;) {
      try {
        return await this.engine.ask("hello");
      } catch {
        await wait(AGAIN_MS);
      }
    }
  }

  /** Take up what was running when the engine was lost. */
  goOn() {
    forgetLost();
    if (this.editor) this.editor.render();
    else this.refresh();
    if (this.games.unsaved) this.games.save();
    this.review?.resume();
    this.solo?.resume();
  }

  /** Show what the address names, else the last game, review or puzzle of this tab, else a new game. */
  async first() {
    const begun = this.asks();
    const code = new URLSearchParams(location.search).get("position");
    let broken = "";
    if (code !== null) {
      try {
        let found = await read(this.engine, code);
        const [{ name, place }] = found.problems ?? [{}];
        if (name === "type" && !place) found = await read(this.engine, location.href); // it lacks a code
        const { positions, problems } = found;
        if (positions) return begun() ? undefined : await this.games.load(positions[0]);
        broken = problems ? problemWords(problems[0]) : "it names no position";
      } catch (error) {
        broken = error.message;
      }
    }
    const reviewed = stored(REVIEWED, ofTab);
    if (reviewed && code === null) {
      try {
        const kept = JSON.parse(reviewed);
        return await this.games.loadRecord(kept.record ?? kept, kept.notes, begun); // of 0.4: the record
      } catch { /* no record any more */ }
    }
    const { name } = storedValue(TRAINED, {}, ofTab);
    if (name && code === null) {
      try {
        await this.training.open(name, begun);
      } catch { /* there are none any more */ }
      if (this.game) return;
    }
    const last = stored(LAST_GAME, ofTab) ?? stored(LAST_GAME);
    if (last && code === null) {
      try {
        return await (last.startsWith("{") ? this.solo.show(JSON.parse(last), begun)
          : this.games.open(last, begun, !this.settings.kept));
      } catch { /* no longer there */ }
    }
    if (begun()) return; // somebody was quicker
    const game = await this.games.begin();
    if (this.game !== game) return; // somebody was quicker
    byId("welcome").hidden = false;
    if (broken) this.status.note([`This is a new game, as the link cannot be opened: ${broken}`], true);
  }

  bind() {
    const begin = () => this.games.begin();
    const versus = () => {
      if (this.posed && this.node.position?.phase !== "over") this.askFrom();
      else this.beginVersus();
    };
    const show = (/** @type {string} */ card, /** @type {string} */ control) => {
      toTop(card);
      /** @type {any} */ (document.querySelector(control)).focus({ preventScroll: true });
    };
    const open = () => {
      byId("welcome").hidden = true;
      show("paste-card", "#paste");
    };
    const train = () => {
      byId("welcome").hidden = true;
      this.training.open();
    };
    const actions = {
      new: begin, undo: () => this.undo(), redo: () => this.redo(), hint: () => this.hints.hint(),
      resign: () => this.resign(), "play-from": () => this.games.playOn(), edit: () => this.edit(), open, train,
      think: () => {
        byId("welcome").hidden = true;
        if (!this.editor) show("analysis-card", "#analyse");
        if (!this.analysis.on || !this.analysis.query) this.analysis.set(true);
      },
      play: () => {
        byId("setup").open = true;
        show("setup", "#setup > summary");
      },
      "welcome-versus": versus, "welcome-open": open, "welcome-train": train,
      "welcome-two": () => {
        byId("welcome").hidden = true;
        this.table.focus.restore();
      },
    };
    for (const [id, action] of Object.entries(actions)) byId(id).onclick = action;
    for (const one of document.querySelectorAll("header button, #welcome button, #load, #file")) {
      /** @type {any} */ (one).disabled = OF_POSITION.includes(one.id);
    }
    this.settings.versus.onclick = versus;
    addEventListener("click", (event) => {
      const other = /** @type {any} */ (event.target).closest?.(ANOTHER);
      if (!other || !this.editor?.changed) return;
      event.stopPropagation();
      this.editor.leave(() => other.click());
    }, true);
    offerShare({
      code: () => this.table.board.frame.dataset.code ?? "",
      position: () => this.node.position,
      shown: async (format, look = {}) =>
        (await this.engine.ask("show", { position: this.node.position, format, ...look })).text,
      record: () => this.games.record(),
      say: (text) => this.status.say(text),
    });
    for (const one of document.querySelectorAll(OF_GAME)) /** @type {any} */ (one).disabled = true;
    // A key does what its button does: nothing where that is not there, or disabled.
    const press = (/** @type {string} */ id) => () => document.getElementById(id)?.click();
    const analyse = () => {
      press("analyse")();
      if (this.analysis.on) byId("analysis-card").scrollIntoView({ block: "nearest" });
    };
    bindKeys({
      u: press("undo"), r: press("redo"), h: press("hint"), a: analyse,
      n: press("next-mistake"), e: press("edit"), t: press("train"),
      Escape: () => {
        const asked = byId("choice").querySelector(".question");
        document.querySelector("#drawn > .fault")?.replaceChildren();
        if (asked) asked.lastElementChild.click(); // what leaves all as it is
        else this.table.picker.cancel();
      },
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
    }, () => this.editor, this.table.picker);
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.analysis.pause();
      else if (this.analysis.on) this.hints.analyse();
    });
  }

  /** @returns {() => boolean} tells whether another game, or the editor, was requested since */
  begun() {
    const { asked } = this;
    return () => asked !== this.asked;
  }

  /** Ask for another game, or the editor. @returns {() => boolean} as `begun` */
  asks() {
    this.asked++;
    return this.begun();
  }

  /** Let the position on the table be changed in any way. */
  edit() {
    if (this.editor || !this.node.position) return;
    byId("welcome").hidden = true;
    this.asks();
    this.turn++; // what is still to be shown waits until the editor is closed
    this.table.hinted = null;
    for (const id of OF_POSITION) byId(id).disabled = true;
    this.opponents.stop();
    const { on } = this.analysis;
    this.analysis.set(false);
    this.analysis.clear();
    this.analysis.fold();
    this.table.picker.offer([], null);
    entitle("");
    listMoves(this.node.view?.moves ?? [], () => {}, () => {}, false);
    const { position } = this.node;
    this.editor = new Editor(position, {
      board: this.table.board,
      colours: this.colours,
      phases: this.phases,
      fresh: async (kind) => (await this.engine.ask("new", kind)).position,
      read: (text) => read(this.engine, text),
      draw: (draft) => this.table.sketch(draft),
      done: (sound) => {
        this.closeEditor();
        this.games.load(sound);
      },
      cancel: () => {
        this.closeEditor();
        this.analysis.set(on || this.analysis.on, false);
        return this.refresh();
      },
      say: (text) => this.status.say(text),
    });
    this.table.focus.restore();
  }

  closeEditor() {
    this.editor?.close();
    this.editor = null;
  }

  /** @returns {Node} */
  get node() {
    return /** @type {Game} */ (this.game).current;
  }

  /** @param {Game} game */
  setGame(game) {
    byId("welcome").hidden = true;
    this.opponents.stop();
    this.closeEditor();
    this.review?.close();
    this.review = null;
    store(REVIEWED, "", ofTab);
    this.training.close();
    this.solo.close();
    this.games.mark(null);
    this.game = game;
    for (const one of document.querySelectorAll(OF_GAME)) /** @type {any} */ (one).disabled = false;
    this.games.unsaved = false;
    this.status.forget();
    this.table.hinted = null;
    showPasted([]); // what went wrong before is over
    this.status.note([]);
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
    const shown = this.games.load(position, true, puzzle.agents?.map(agentName));
    this.training.begin(puzzle); // before anything can be clicked: the game has closed the training
    this.puzzled = this.node;
    this.marked = null;
    await shown;
  }

  /** Show the two moves of a puzzle on the board. */
  markPuzzle(best, other) {
    if (this.node !== this.puzzled) return;
    this.marked = { best, other };
    this.analysis.look(null);
    if (this.editor || this.node !== this.laid) return; // it is marked when it is drawn
    const seat = this.node.position.to_move;
    this.table.offer(this.node.view.moves, seat, true);
    const played = this.table.choiceOf(other);
    this.table.board.clear("played");
    if (played && other !== best) this.table.board.light(played, seat, "played");
    this.table.mark(this.table.choiceOf(best));
  }

  // -- moves ---------------------------------------------------------------------------------

  /**
   * Play a move in the position on the table; what people play in an engine's place is only a line.
   * @param {string} move
   * @param {boolean} [aside] in a line of its own, not in the game
   * @param {number} [seconds] for which an engine has thought about it
   */
  async play(move, aside = false, seconds = undefined) {
    const { game, node } = this;
    if (!game || this.editor || node !== this.laid || (this.closed && !aside)) return;
    if (this.solo.open && node !== game.tip) {
      this.status.say("Moves cannot be taken back in a solo game.");
      return;
    }
    const looking = aside || this.apart || this.solo.done
      || (seconds === undefined && this.isEngine(node));
    byId("welcome").hidden = true;
    this.opponents.stop();
    if (this.training.asking && node === this.puzzled) {
      this.table.letGo(); // now: whatever is chosen when the answer comes is another choice
      await this.training.answer(move).catch((error) => this.status.say(error.message));
      return;
    }
    const told = await this.review?.answer(node, move);
    if (told) {
      if (this.node !== node) return;
      await this.refresh();
      this.status.say(`${told} ${this.status.text}`);
      return;
    }
    this.analysis.stop(); // its threads are free for the answer
    try {
      const answer = await this.follow(game, node, [move]);
      if (this.game !== game || game.current !== node) return;
      const choice = this.table.choiceOf(move);
      const { tip } = game;
      const child = game.add(answer.played, answer.position, looking, answer.drawn);
      child.view ??= answer.view;
      game.seconds[node.position.to_move] += seconds ?? 0;
      this.games.goOn(game, tip);
      const { decision } = child;
      decision.choice = choice;
      decision.words = choice?.words ?? "";
      if (child.main && !this.apart) {
        this.games.save();
        this.coach.judge(decision, seconds === undefined);
      }
      await this.arrive(node);
    } catch (error) {
      this.status.say(error.message);
    }
  }

  /** @returns {boolean} whether what is played is only looked at */
  get apart() {
    return this.review !== null || this.training.puzzle !== null;
  }

  /** Ask for what comes after moves and the draws that follow them. */
  follow(game, node, moves) {
    return this.solo.open ? this.solo.follow(game, node, moves)
      : this.table.view(game, node.position, { moves, past: this.hints.past(node),
        seed: game.seed + node.moves.length });
  }

  /** Draw the tiles that are due, or show what was drawn. */
  async draw() {
    const { game, node } = this;
    if (!game || node !== this.laid) return;
    const onwards = this.walk((one) => one.onwards, false);
    if (onwards) {
      await this.go(onwards);
      return;
    }
    const answer = await this.follow(game, node, []);
    if (this.game !== game || game.current !== node) return;
    game.add(answer.played, answer.position, this.apart, answer.drawn).view ??= answer.view;
    if (!this.apart) this.games.save();
    await this.arrive(node);
  }

  /**
   * Take what was drawn at a real table.
   * @param {string} move
   * @returns {Promise<string>} why it cannot have been drawn, if that is so
   */
  async enter(move) {
    const { game, node } = this;
    if (!game || node !== this.laid) return "";
    try {
      const answer = await this.table.view(game, node.position,
        { moves: [move], past: this.hints.past(node), draw: false });
      if (this.game !== game || game.current !== node) return "";
      const { tip } = game;
      game.forgetDraws();
      game.add(answer.played, answer.position, false, answer.drawn).view ??= answer.view;
      this.games.goOn(game, tip);
      this.games.save();
      await this.arrive(node);
    } catch (error) {
      if (error.field !== "moves") throw error;
      return sentence(error.message.replace(/^.*?(?: is not legal: |': (?=found ))/, ""));
    }
    return "";
  }

  /**
   * Show where play has come to, and what an engine has answered to the same before; or only the
   * first step on the way there, if steps are wanted.
   * @param {Node} from
   */
  async arrive(from) {
    const game = /** @type {Game} */ (this.game);
    const stepping = this.settings.stepping.checked;
    if (stepping && from.onwards) game.current = from.onwards;
    const { node } = this;
    const later = node !== game.tip && this.isEngine(node)
      ? this.walk((one) => firstOf(one) ?? null, !stepping) : null;
    if (later) game.current = later;
    for (let one = later; one?.parent && one !== node; one = one.parent) one.parent.next = one;
    await this.show(later ? node : from);
  }

  /** Show the current position; what was drawn on the way to it appears. @param {Node} from */
  async show(from) {
    const { node } = this;
    await this.refresh();
    if (this.node !== node || this.editor) return;
    const { decision } = node;
    const draws = node.draws.map((draw) => draw.played);
    if (from === decision.parent) this.table.board.showDrawn(draws);
    else if (from.decision === decision) this.table.board.showDrawn(draws.slice(from.draws.length));
  }

  /** @param {Node} node to be shown, unless the position is being edited */
  async go(node) {
    if (!this.game || this.editor) return;
    this.opponents.stop();
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
    else {
      this.relist();
      this.table.focus.restore();
    }
  }

  relist() {
    listGame(/** @type {Game} */ (this.game), (node) => this.go(node), (line) => this.drop(line));
  }

  /** @param {number} by 1 or -1 */
  step(by) {
    if (!this.game) return;
    const { node } = this;
    const next = by < 0 ? node.parent : node.onwards;
    if (next) this.go(next);
  }

  undo() {
    const { earlier } = this;
    if (earlier) this.go(earlier);
  }

  redo() {
    const later = this.walk((node) => node.onwards, !this.settings.stepping.checked);
    if (later) this.go(later);
  }

  /** @returns {Node|null} where Undo goes: not to the first move of an engine that begins */
  get earlier() {
    const { game } = this;
    if (this.solo.open) return null;
    const node = this.walk((one) => one.parent, true);
    const first = node && !node.parent && this.node.main && this.isEngine(node);
    return first && game?.seats.includes("human") ? null : node;
  }

  /**
   * Look for the next position where somebody is to move; where engines play too, where a person is.
   * @param {(node: Node) => Node|null} next
   * @param {boolean} past whether to pass over draws
   * @returns {Node|null} it, or the last one there is
   */
  walk(next, past) {
    const game = this.game;
    if (!game) return null;
    const passed = (/** @type {Node} */ node) => (past && node.isDrawn)
      || (game.hasEngine && node.main && this.isEngine(node));
    let node = next(this.node);
    while (node && next(node) && passed(node)) node = /** @type {Node} */ (next(node));
    return node;
  }

  /** @param {Node} node @returns {boolean} whether an engine is to move there */
  isEngine(node) {
    const seat = node.position ? node.position.to_move : node.children[0]?.seat ?? null;
    return node.main && seat !== null && this.game?.seats[seat] !== "human";
  }

  /** Ask whether to give up. */
  resign() {
    const { node } = this;
    if (node !== this.laid) return; // it is not shown yet
    const no = button("No", () => {
      if (node === this.node) this.put(this.game, node);
    });
    byId("choice").replaceChildren(question("Resign this game?",
      button("Yes", () => {
        if (node === this.node) this.close(node.position.to_move);
      }, { class: "strong", id: "resign-yes" }), no));
    no.focus({ preventScroll: true });
  }

  /** Begin a new game against the computer. */
  beginVersus() {
    this.settings.againstEngine();
    return this.games.begin();
  }

  /** Ask whether the computer is to play on from the position that is looked at. */
  async askFrom() {
    if (this.editor) { // nothing is changed in it
      this.closeEditor();
      await this.refresh();
    }
    const { node } = this;
    const from = button("Play on from here", () => this.games.playOn(), { class: "strong" });
    byId("choice").replaceChildren(question("Play on from this position, or begin a new game?", from,
      button("New game", () => this.beginVersus(), { id: "versus-new" }), button("Cancel", () => {
        if (node === this.node) this.put(this.game, node);
      }, { class: "quiet" })));
    byId("prompt").scrollIntoView({ block: "nearest" });
    from.focus({ preventScroll: true });
  }

  /** @param {number|null} seat that gives up; null: the game continues after all */
  close(seat) {
    const game = /** @type {Game} */ (this.game);
    game.resigned = seat;
    this.opponents.stop();
    this.games.save();
    this.refresh();
  }

  // -- what is shown -------------------------------------------------------------------------

  /** Show the current position; an editor that is open stays. */
  async refresh() {
    if (this.editor) return;
    const game = /** @type {Game} */ (this.game);
    const { node } = this;
    const turn = ++this.turn;
    this.table.hinted = this.hints.told = null;
    this.analysis.clear();
    try {
      await this.table.look(game, node);
    } catch (error) {
      this.status.say(error.message);
      return;
    }
    if (turn !== this.turn) return;
    this.describe(game, node);
    const played = !this.posed && !this.apart && !game.solo && !game.over;
    this.settings.compare(played ? { start: game.root.position, seats: game.seats } : null);
    this.relist();
    const { position } = node;
    const engine = this.awaitsEngine(game, node);
    byId("undo").disabled = !this.earlier;
    byId("redo").disabled = !node.children.length;
    byId("hint").disabled = position.to_move === null || engine || this.solo.open || this.closed
      || this.coach.asks(node) !== null;
    // It keeps its place while others move, or the buttons beside it would move under the pointer.
    byId("resign").hidden = !game.hasEngine || game.over || game.solo !== null;
    byId("resign").disabled = game.seats[position.to_move] !== "human" || !node.main;
    byId("play-from").hidden = !this.posed;
    byId("play-from").disabled = position.phase === "over";
    this.put(game, node); // last: then what has lost the focus is known
    if (engine) {
      if (!this.coach.holds(node)) this.opponents.move(game, node);
    } else if (this.analysis.on && !document.hidden) this.hints.analyse();
  }

  /** @returns {boolean} whether what is on the table is looked at, and can be played on from there */
  get posed() {
    return this.review !== null || this.game?.posed === true;
  }

  /** @returns {boolean} whether somebody has given up the game on the table, but not the lines beside it */
  get closed() {
    return this.game !== null && this.game.resigned !== null && this.node.main && !this.apart;
  }

  /** @returns {boolean} whether an engine is to move here, and will */
  awaitsEngine(game, node) {
    return this.isEngine(node) && game.resigned === null && node === game.tip;
  }

  /** Put a position on the table, with what can be done in it. */
  put(game, node) {
    const { position, view } = node;
    this.laid = node;
    this.table.board.show(view, position);
    this.table.board.frame.classList.toggle("closed", this.closed);
    const asked = this.coach.asks(node);
    const open = !this.awaitsEngine(game, node) && !this.closed && !asked;
    listMoves(view.moves, (move) => this.play(move), (move) => this.table.hover(move), open);
    const judged = this.review?.look(node) ?? null;
    const told = this.review ? judged?.hidden !== true : node === this.puzzled && this.marked !== null;
    this.table.offer(open ? view.moves : [], position.to_move, told);
    for (const { choice, seat } of this.news(game, node)) {
      if (choice && seat !== null) this.table.board.light(choice, seat, "last", true);
    }
    if (view.chance) {
      byId("choice").replaceChildren(make("p", {}, "Tiles are to be drawn. ",
        button(node.onwards ? "Next" : "Draw them", () => this.draw(), { class: "strong" })));
      if (!this.apart && !this.solo.open) {
        byId("choice").append(drawnField(position, view.chance, this.colours[position.game],
          (move) => this.enter(move)));
      }
    }
    if ((position.phase === "over" || this.closed) && !this.apart) {
      byId("choice").replaceChildren(make("p", { class: "row" },
        button("Review this game", () => this.games.review(), { class: "strong" }),
        ...this.closed ? [button("Continue anyway", () => this.close(null), { id: "continue" })] : []));
    }
    if (asked) byId("choice").replaceChildren(asked);
    if (judged) this.judge(game, node, judged);
    if (this.marked && node === this.puzzled) this.markPuzzle(this.marked.best, this.marked.other);
    this.table.focus.restore();
  }

  /** Show what the review says of the decision that was made here; a hint that is told stays. */
  judge(game, node, { decision, hidden, ply }) {
    const seat = node.position.to_move;
    const { hinted } = this.table;
    const told = this.hints.told === node;
    if (hidden) {
      if (!told) this.status.say(`${game.who(seat)} went wrong here. Find a better move: play it.`);
      return;
    }
    this.table.board.clear("last");
    const played = this.table.choiceOf(ply.node.played);
    if (played) this.table.board.light(played, seat, "played");
    this.table.mark(told ? hinted
      : decision.agrees ? null : this.table.choiceOf(decision.moves[0].move));
    if (told) return;
    this.status.say(`${drawn(node)}Ply ${decision.ply}, ${game.seatName(seat)}. `
      + verdict(decision, (move) => this.table.choiceOf(move)?.words ?? move));
    if (!decision.agrees) this.foretell(node, decision);
  }

  /** Say how play is expected to go on after the better move. */
  async foretell(node, decision) {
    const moves = decision.moves[0].pv.slice(0, 3);
    decision.onwards ??= this.engine.ask("replay", { position: node.position, moves })
      .then(({ plies }) => plies.slice(1), () => {
        decision.onwards = undefined; // it is asked for again
        return [];
      });
    const told = next({ next: await decision.onwards });
    const choice = byId("choice");
    if (!told || node !== this.laid || node !== this.node || this.hints.told === node
      || choice.childElementCount) return;
    choice.append(make("div", { class: "fine onwards" }, told));
    speak(told.textContent ?? "");
  }

  /** @returns {Node[]} the last decision; since the only person decided the last turn of each other seat */
  news(game, node) {
    const { decision } = node;
    if (game.you < 0 || !node.main || this.apart) return [decision];
    /** @type {Node[]} */
    const found = [];
    const told = new Set(); // seats whose last turn is there from its beginning
    for (let one = decision; one.parent && one.seat !== game.you; one = one.parent.decision) {
      if (!told.has(one.seat)) found.unshift(one);
      if (!one.played.startsWith("bonus:")) told.add(one.seat);
    }
    return found.length ? found : [decision];
  }

  /** Say what happened and who is to move. */
  describe(game, node) {
    const { position } = node;
    let turn = "";
    if (this.closed || position.phase === "over") turn = "Game over";
    else if (position.to_move !== null) {
      turn = position.to_move === game.you ? "Your turn" : `${game.who(position.to_move)} to move`;
    }
    entitle(this.apart ? "" : turn);
    if (this.training.asking && node === this.puzzled) {
      this.status.say(this.training.question);
      return;
    }
    const said = [];
    for (const { seat, words } of this.news(game, node)) {
      if (words && seat !== null) said.push(`${game.who(seat)}: ${words}.`);
    }
    said.push(drawn(node).trim());
    if (node.isDrawn) said.push("Next, tiles are drawn.");
    if (this.closed) said.push(`${game.who(game.resigned)} has resigned: the game is over.`);
    else if (position.phase === "over") {
      said.push(game.result(position, node.view.winners), node.main ? this.solo.result : "");
    } else if (turn) said.push(`${turn}.`);
    if (!node.main) said.push("You are trying a line; the game waits.");
    this.status.say(said.filter(Boolean).join(" "));
  }

  /** Draw anew what is shown; what is known of it, and said, stays. */
  async redraw() {
    const { game, turn, table } = this;
    const { hinted } = table;
    if (this.editor) this.editor.sketch();
    if (this.editor || !game?.current.view) return;
    const node = game.current;
    try {
      await table.look(game, node);
    } catch {
      return; // it is drawn when the engine is back
    }
    if (turn !== this.turn || node !== this.node || this.editor) return;
    const { looked } = this.analysis;
    const resume = table.picker.pause();
    const told = byId("choice").querySelector(".reasons, .question");
    const { activeElement } = document;
    const typing = document.getElementById("drawn");
    this.put(game, node);
    if (typing) document.getElementById("drawn")?.replaceWith(typing);
    resume();
    if (told?.matches(".question")) byId("choice").replaceChildren();
    if (told) byId("choice").append(told);
    if (activeElement?.isConnected) {
      /** @type {any} */ (activeElement).focus({ preventScroll: true });
    }
    this.opponents.show();
    table.focus.restore();
    table.hinted ??= hinted;
    table.hover(null);
    if (looked) this.analysis.look(looked);
    if (node.outlook && this.analysis.found) table.board.markShort(node.outlook.short);
  }
}

/** Say in the title of the tab who is to move. @param {string} turn or nothing */
function entitle(turn) {
  document.title = [turn, "pavilion-ai"].filter(Boolean).join(" – ");
}

/** @param {Node} node @returns {string} what was drawn since the last decision, in sentences */
function drawn(node) {
  return node.draws.map((draw) => `${sentence(draw.words)} `).join("");
}

new Page().start();
