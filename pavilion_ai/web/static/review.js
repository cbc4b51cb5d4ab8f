/** A recorded game, judged decision by decision: chart, marks, the better line, trying again. */

import { button, byId, make, percent, putFirst, shape, signed, within } from "./dom.js";
import { CUT, stage, whole } from "./engine.js";
import { HUMAN, remembered, select } from "./settings.js";
import { store, stored } from "./store.js";

export const PLAYER = "pavilion-player"; // whose mistakes are shown, here and in puzzles
const TRYING = "pavilion-trying"; // whether the browser keeps Try again ticked
const WIDTH = 600;
const HEIGHT = 150;
const SECONDS = 0.1; // for a decision
const SOLVING = 1; // seconds for a move beside one whose value is exact
const SHOWN = 0.0005; // least chance that is not shown as 0.0 %
const MARK_WORDS = { "??": "blunder", "?": "mistake", "?!": "inaccuracy" };
const PLURALS = { blunder: "blunders", mistake: "mistakes", inaccuracy: "inaccuracies" };
const ENDS = {
  unfinished: "the game had not ended there",
  conceded: "a player gave up",
  abandoned: "players left",
};
const CONTENTS = ["id", "game", "board", "seed", "agents", "start", "moves", "scores", "winners",
  "breakdown", "seconds", "reason", "engine"]; // of a record; whatever else it holds is not judged
const PHASES = { draft: "taking", place: "placing", bonus: "bonus", wall: "tiling" };

/**
 * @typedef {object} Page
 * @property {(node: import("./game.js").Node) => void} go
 * @property {(text: string) => void} say
 * @property {() => void} refresh
 * @property {() => void} redraw shows what is judged by now, and leaves what was begun
 * @property {(by: number) => void} step
 * @property {(seat: number) => string} seatName
 */

export class Review {
  /**
   * @param {import("./engine.js").Engine} engine
   * @param {any} record
   * @param {{ply: number, node: import("./game.js").Node, seat: number, move: string,
   *   words: string, round: number, phase: string}[]} plies the decisions
   * @param {Page} page
   */
  constructor(engine, record, plies, page) {
    this.engine = engine;
    this.record = record;
    this.plies = plies;
    this.page = page;
    /** @type {Map<number, any>} judgements by ply */
    this.judged = new Map();
    /** @type {Set<number>} plies of which the answer may be shown */
    this.shown = new Set();
    this.anew = false; // whether a review that is kept does not count
    this.passed = 0; // decisions before the position that is shown
    this.seen = 0; // decisions before the next one to look at
    this.rows = byId("review");
    byId("review-card").hidden = false;
    this.draw();
    putFirst(byId("review-card"));
    this.run();
  }

  close() {
    this.query?.stop();
    byId("review-card").hidden = true;
    this.rows.replaceChildren();
    byId("review-tools").replaceChildren();
    byId("steps").replaceChildren();
  }

  /** Begin once more, if the engine was lost meanwhile: it judges everything anew. */
  resume() {
    if (this.broken) this.again();
  }

  /** Judge everything once more. */
  again() {
    this.judged.clear();
    this.plies.forEach((one) => this.fill(one));
    this.totals.hidden = true;
    this.run();
    this.page.refresh();
  }

  async run() {
    const { anew } = this;
    this.broken = false;
    this.ended.textContent = "";
    this.renew.hidden = true;
    this.stop.hidden = false;
    const record = Object.fromEntries(CONTENTS.map((key) => [key, this.record[key]]));
    this.query = this.engine.query("review", { record, seconds: SECONDS, anew }, (answer) => {
      const waits = answer.waiting !== undefined;
      this.ended.textContent = waits ? stage(answer, "Judging") : "";
      if (!waits) this.take([answer.decision]);
    });
    try {
      const found = await this.query.answer;
      this.take(found.decisions);
      this.ended.textContent = found.fault || (found.complete ? "all decisions judged"
        : found.made_way ? "ended as another page waits for the engine" : "stopped");
      this.total(found);
      this.renew.hidden = false;
    } catch (error) {
      this.ended.textContent = error.message;
      this.broken = true;
    }
    this.progress.textContent = "";
    this.stop.hidden = true;
  }

  /** Build the tools and one row for each decision. */
  draw() {
    this.progress = make("span", { class: "fine" });
    this.ended = make("span", { class: "fine", role: "status" }); // it alone is read out
    this.stop = button("Stop", () => this.query.stop(), { class: "quiet", id: "review-stop" });
    this.renew = button("Judge again", () => {
      this.anew = true;
      this.again();
    }, { class: "quiet", id: "review-anew", hidden: true,
      title: "If the machine was busy with other things" });
    this.chart = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none",
      class: "chart", role: "img", "aria-label": "Chance to win of each seat, decision by decision" });
    this.tip = shape("title", {});
    const pointedAt = (/** @type {MouseEvent} */ event) => {
      const box = this.chart.getBoundingClientRect();
      const index = Math.round((event.clientX - box.left) / box.width * (this.plies.length - 1));
      return this.plies[Math.max(0, Math.min(this.plies.length - 1, index))];
    };
    this.chart.addEventListener("click", (event) => this.goTo(pointedAt(event)));
    this.chart.addEventListener("pointermove", (event) => {
      const one = pointedAt(event);
      const shares = this.judged.get(one?.ply)?.win_prob ?? [];
      this.tip.textContent = [`ply ${one?.ply}`, shares.map((/** @type {number} */ share,
        /** @type {number} */ seat) => `seat ${seat} ${percent(share)}`).join(", ") || "not judged yet"]
        .join(": ");
    });
    const trying = remembered(TRYING);
    trying.id = "try-again";
    this.trying = trying.checked;
    trying.addEventListener("change", () => {
      this.trying = trying.checked;
      this.shown.clear();
      this.page.refresh();
    });
    const { agents } = this.record;
    this.whose = select("Mistakes of", [["", "everybody"],
      ...agents.map((_, seat) => [seat, this.page.seatName(seat)])], () => {
      const { spec, name } = agents[this.whose.field.value] ?? { spec: HUMAN, name: "" };
      if (spec === HUMAN && name !== undefined) store(PLAYER, name);
      this.plies.forEach((one) => this.fill(one));
      this.page.refresh();
    });
    this.whose.field.value = String(asked(agents) ?? "");
    this.totals = make("details", { class: "long", hidden: true });
    this.key = make("p", { class: "fine legend" }, "Chance to win, 0 to 100 %: ");
    byId("review-tools").replaceChildren(...this.early(), this.chart, this.key,
      make("p", { class: "row" }, this.whose.label,
        make("label", {}, trying, " Try again at each mistake"), this.stop, this.renew, this.progress,
        this.ended),
      this.totals);
    byId("steps").replaceChildren(
      button("◀", () => this.page.step(-1), { title: "Back (←)", "aria-label": "one move back" }),
      button("▶", () => this.page.step(1), { title: "Forward (→)", "aria-label": "one move on" }),
      button("Next mistake", () => this.next(), { title: "N", id: "next-mistake" }));
    for (let seat = 0; seat < agents.length; seat++) {
      const swatch = shape("svg", { width: 36, height: 8, "aria-hidden": "true" });
      swatch.append(line(0, 4, 36, 4, `curve seat-${seat}`));
      this.key.append(make("span", { class: "inline" }, swatch, this.page.seatName(seat)), " ");
    }
    this.buttons = new Map(this.plies.map((one) => {
      const row = button("", () => this.goTo(one), { class: "decision", "data-ply": one.ply });
      return [one.ply, row];
    }));
    const heads = ["ply", "", "move", "", "lost"].map((text) => make("span", { text }));
    this.rows.replaceChildren(make("div", { class: "decision heads" }, ...heads),
      ...this.buttons.values());
    this.plies.forEach((one) => this.fill(one));
  }

  /** @returns {HTMLElement[]} a line that says why the record ends before the game, if it does */
  early() {
    const { reason, moves } = this.record;
    if (reason === "finished") return [];
    const why = ENDS[reason] ?? reason.replace(/^stopped: ([0-9]+): /, "from the site's move $1 onwards, "
      + "the log does not fit: ");
    return [make("p", { id: "ends-early", class: "notice",
      text: `The record ends early, after ${moves.length === 1 ? "1 move" : `${moves.length} moves`}: `
        + `${why}.` })];
  }

  /** Write a row; what is not judged yet has no loss. */
  fill(one) {
    const row = this.buttons.get(one.ply);
    const decision = this.judged.get(one.ply);
    delete row.dataset.loss;
    delete row.dataset.mark;
    row.replaceChildren(make("span", { text: one.ply }),
      make("span", { text: `seat ${one.seat}` }),
      make("span", { class: "what", title: one.words }, make("b", { text: one.move }), ` ${one.words}`));
    if (!decision) {
      row.append(make("span", { text: "" }), make("span", { class: "loss", text: "…" }));
      return;
    }
    row.dataset.loss = String(decision.win_loss);
    row.dataset.mark = this.markOf(one);
    const word = MARK_WORDS[decision.mark];
    row.append(make("span", { class: "mark", text: decision.mark, title: word ?? "",
      role: word && "img", "aria-label": word }),
    make("span", { class: "loss", text: decision.agrees || decision.win_loss < SHOWN ? ""
      : `−${percent(decision.win_loss)}` }));
  }

  /** @param {any[]} decisions of which some may be known */
  take(decisions) {
    const fresh = new Map(decisions.filter(({ ply }) => !this.judged.has(ply))
      .map((one) => [one.ply, one]));
    if (!fresh.size) return;
    for (const [ply, decision] of fresh) this.judged.set(ply, decision);
    this.plies.filter(({ ply }) => fresh.has(ply)).forEach((one) => this.fill(one));
    this.progress.textContent = `${this.judged.size} of ${this.plies.length} decisions judged`;
    this.plot();
    if (fresh.has(this.current?.ply)) this.page.redraw();
  }

  /** Draw the chances of all seats. */
  plot() {
    const parts = [this.tip, line(0, HEIGHT / 2, WIDTH, HEIGHT / 2, "grid")];
    const x = (/** @type {number} */ index) => index / Math.max(1, this.plies.length - 1) * WIDTH;
    for (let seat = 0; seat < this.record.agents.length; seat++) {
      const points = this.plies.flatMap((one, index) => {
        const share = this.judged.get(one.ply)?.win_prob[seat];
        return share === undefined ? [] : [`${x(index).toFixed(1)},${(HEIGHT * (1 - share)).toFixed(1)}`];
      });
      parts.push(shape("polyline", { points: points.join(" "), class: `curve seat-${seat}` }));
    }
    this.plies.forEach((one, index) => {
      if (!this.markOf(one)) return;
      const decision = this.judged.get(one.ply);
      const y = HEIGHT * (1 - decision.win_prob[decision.seat]);
      parts.push(shape("path", { d: `M${x(index)},${y}h0.01`, class: "mistake" })); // a round dot
    });
    const here = this.passed;
    if (here < this.plies.length) parts.push(line(x(here), 0, x(here), HEIGHT, "cursor"));
    this.chart.replaceChildren(...parts);
  }

  /** @param {any} found the whole review */
  total(found) {
    const seats = [...found.seats.keys()];
    const phases = [...new Set(found.decisions.map((one) => one.phase))];
    const of = (seat, phase) => found.decisions.filter((one) => one.seat === seat
      && one.choices > 1 // else nobody decided anything
      && (phase === null || one.phase === phase));
    const agreed = (seat, phase) => {
      const mine = of(seat, phase);
      return mine.length ? percent(mine.filter((one) => one.agrees).length / mine.length) : "";
    };
    const lost = (seat, phase) => {
      const sum = of(seat, phase).reduce((all, one) => all + one.win_loss, 0);
      return of(seat, phase).length ? percent(sum < SHOWN ? 0 : sum) : "";
    };
    const parts = [["all decisions", null], ...phases.map((phase) => [PHASES[phase] ?? phase, phase])];
    const by = (cell) => parts.map(([title, phase]) => [title, (seat) => cell(seat, phase)]);
    const sections = [
      ["Best move found, or one as good", by(agreed)],
      ["Chance to win given away, added up", by(lost)],
      ["Moves that gave away a lot, and more than their error",
        Object.entries(MARK_WORDS).map(([mark, word]) =>
          [`${PLURALS[word]} (${mark})`, (seat) => String(found.seats[seat].marks[mark])])],
      ["Chance to win that the draws gave", [["luck",
        (seat) => `${signed(100 * found.seats[seat].luck)}\u00a0%`]]],
    ];
    this.totals.hidden = false;
    this.totals.replaceChildren(make("summary", { text: "The game in numbers" }), make("div",
      { class: "scroll" }, make("table", { class: "totals" },
      make("thead", {}, make("tr", {}, make("td"), ...seats.map((seat) =>
        make("th", { text: `seat ${seat}`, scope: "col" })))),
      ...sections.map(([heading, rows]) => make("tbody", {},
        make("tr", {}, make("th", { text: heading, scope: "rowgroup", class: "section",
          colspan: seats.length + 1 })),
        ...rows.map(([title, cell]) => make("tr", {}, make("th", { text: title, scope: "row" }),
          ...seats.map((seat) => make("td", { text: cell(seat) })))))))));
  }

  /** @param {any} one a decision; the position before it is shown */
  goTo(one) {
    if (one?.node.parent) {
      one.node.parent.next = one.node;
      this.page.go(one.node.parent);
    }
  }

  /** @param {any} one a decision @returns {string} its mark, if it is by a player who is shown */
  markOf({ ply, seat }) {
    const { value } = this.whose.field;
    return value === "" || Number(value) === seat ? this.judged.get(ply)?.mark ?? "" : "";
  }

  /** Go to the next mistake. */
  next() {
    const marked = (one) => this.markOf(one);
    const found = this.plies.slice(this.seen).find(marked) ?? this.plies.find(marked);
    if (found) this.goTo(found);
    else {
      const { value } = this.whose.field;
      this.page.say(`No decision of ${value === "" ? "this game" : this.page.seatName(Number(value))} `
        + "has a mark.");
    }
  }

  /**
   * Say what is to be shown of a position.
   * @param {import("./game.js").Node} node
   * @returns {{decision: any, hidden: boolean, ply: any}|null}
   */
  look(node) {
    const { path } = node;
    this.passed = this.plies.filter((one) => path.includes(one.node)).length;
    this.current = this.plies.find((one) => one.node.parent === node) ?? null;
    this.seen = this.passed + (this.current || !node.main ? 1 : 0);
    for (const [ply, row] of this.buttons) {
      row.setAttribute("aria-current", String(ply === this.current?.ply));
    }
    if (this.current) {
      const row = this.buttons.get(this.current.ply);
      const top = row.offsetTop - this.rows.offsetTop;
      if (top < this.rows.scrollTop || top > this.rows.scrollTop + this.rows.clientHeight - 40) {
        this.rows.scrollTop = top - 60;
      }
    }
    this.plot();
    const decision = this.current && this.judged.get(this.current.ply);
    if (!decision) return null;
    const hidden = this.trying && this.markOf(decision) !== "" && !this.shown.has(decision.ply);
    return { decision, hidden, ply: this.current };
  }

  /**
   * Answer a move that was tried in place of a mistake.
   * @param {import("./game.js").Node} node
   * @param {string} move
   * @returns {Promise<string>} what it was worth; nothing if it is not requested
   */
  async answer(node, move) {
    const { current } = this;
    const decision = current && current.node.parent === node && this.judged.get(current.ply);
    if (!decision || !this.trying || !this.markOf(decision) || this.shown.has(decision.ply)) return "";
    this.shown.add(decision.ply);
    const best = decision.moves[0];
    if (move === best.move) return "Yes, that is the move the engine prefers.";
    if (move === decision.played.move) return "That is what was played.";
    let tried = decision.moves.find((one) => one.move === move);
    if (!tried || 2 * tried.visits < best.visits) { // what is searched less may look better than it is
      const say = (answer) => {
        if (current === this.current) this.page.say(stage(answer, "Looking at your move"));
      };
      say({});
      const found = await whole(this.engine, "analyse", { position: node.position, only: [move],
        past: { start: this.record.start, moves: node.moves },
        ...(best.exact ? { seconds: SOLVING } : { sims: Math.max(1000, best.visits) }) }, say).answer
        .catch((error) => {
          this.shown.delete(decision.ply); // it can be tried again
          throw error;
        });
      if (found.made_way) {
        this.shown.delete(decision.ply);
        return CUT;
      }
      tried = found.moves[0];
    }
    const lost = Math.max(0, best.win_prob - tried.win_prob);
    return lost < SHOWN ? "That is as good as the move the engine prefers."
      : `That loses ${percent(lost)}; what was played lost ${percent(decision.win_loss)}.`;
  }
}

/** @param {any[]} agents of a record @returns {number|undefined} whose mistakes are shown at first */
function asked(agents) {
  const people = [...agents.keys()].filter((seat) => agents[seat].spec === HUMAN);
  const kept = stored(PLAYER);
  return people.length === 1 ? people[0] : people.find((seat) => kept && agents[seat].name === kept);
}

/** Say what a judgement means. */
export function verdict(decision, wordsOf) {
  const best = decision.moves[0];
  if (decision.agrees) {
    return `Played: ${decision.played.move === best.move ? "" : "as good as "}the best move, `
      + `${percent(best.win_prob)} to win.`;
  }
  const worse = decision.win_loss >= SHOWN || decision.lead_loss >= 0.05; // as it is shown
  const error = decision.win_loss_error ? within(decision.win_loss_error) : ""; // none: it is exact
  const [before, after] = [best, decision.played].map((one) => percent(one.win_prob));
  return `Played: ${wordsOf(decision.played.move)}${decision.mark
    ? ` (${MARK_WORDS[decision.mark]})` : ""}. ${worse ? `It loses ${percent(decision.win_loss)}${error}`
    + `${before === after ? "" : ` (from ${before} to ${after})`} and ${decision.lead_loss.toFixed(1)} `
    + `points. Better` : "As good"}: ${wordsOf(best.move)}.`;
}

function line(x1, y1, x2, y2, name) {
  return shape("line", { x1, y1, x2, y2, class: name });
}
