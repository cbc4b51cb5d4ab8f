/** The ranked moves of the position on the table, growing as long as the engine thinks. */

import { button, byId, entries, isNarrow, make, percent, short, showTable, signed, within } from "./dom.js";

const ENDLESS = 86400; // seconds
const TIMES = [[2, "2 s"], [10, "10 s"], [60, "1 min"], [ENDLESS, "until stopped"]];
const EVERY = 0.4; // seconds between reports
const SHOWN = 12;
const THINKING = "thinking …";
const coarse = matchMedia("(pointer: coarse)");

export class Analysis {
  /**
   * @param {import("./engine.js").Engine} engine
   * @param {{threads: number, hover: (move: string|null) => void, play: (move: string) => void,
   *   words: (move: string) => string, remark: (text: string) => void, again: () => void}} page
   */
  constructor(engine, page) {
    this.engine = engine;
    this.page = page;
    this.on = false;
    /** @type {import("./engine.js").Query|null} */
    this.query = null;
    /** @type {any} the last answer */
    this.found = null;
    /** @type {string|null} the move that is looked at where nothing points */
    this.looked = null;
    this.toggle = button("Analyse", () => this.set(!this.on), { id: "analyse",
      title: "Think about this position (A)" });
    this.time = make("select", { "aria-label": "Time to think" }, ...entries(TIMES));
    this.time.value = String(ENDLESS);
    this.threads = make("select", { "aria-label": "Threads" },
      ...entries([...Array(page.threads).keys()].map((index) =>
        [index + 1, index ? `${index + 1} threads` : "1 thread"])));
    this.time.onchange = this.threads.onchange = () => this.on && page.again();
    byId("analysis-tools").replaceChildren(this.toggle, this.time, this.threads);
    this.rows = byId("analysis");
    /** @type {Map<string, any>} a row for each move */
    this.byMove = new Map();
    this.summary = byId("analysis-summary");
    this.outlook = byId("outlook");
  }

  /**
   * Show what the final scores are expected to be made of.
   * @param {Record<string, number>[]} parts by seat
   */
  showOutlook(parts) {
    const names = Object.keys(parts[0]);
    this.outlook.replaceChildren(make("table", { class: "totals" },
      make("caption", { class: "fine",
        text: "Expected scores at the end (quick games, not the search)" }),
      make("thead", {}, make("tr", {}, make("td"), ...["points", ...names].map((text) => make("th", { text, scope: "col" })))),
      make("tbody", {}, ...parts.map((seat, number) => {
        const values = wholes(names.map((name) => seat[name]));
        return make("tr", { "data-seat-parts": number },
          make("th", { text: `seat ${number}`, scope: "row" }),
          make("td", {}, make("b", { text: sum(values) })),
          ...values.map((value) => make("td", { text: value })));
      }))));
  }

  /**
   * @param {boolean} on whether to think about every position that is shown
   * @param {boolean} now whether to begin with the one that is shown
   */
  set(on, now = true) {
    this.on = on;
    this.toggle.textContent = on ? "Stop" : "Analyse";
    if (on && now) this.page.again();
    if (on) return;
    this.stop();
    if (this.found) this.show({ ...this.found, final: true });
    else {
      this.summary.textContent = "";
      this.fold();
    }
  }

  /** End the search as long as nobody looks at the page; one for a hint ends by itself. */
  pause() {
    if (this.on) this.stop();
  }

  /** End the search; what it found stays. */
  stop() {
    this.query?.stop();
    this.query = null;
  }

  /** Say that the search has ended because others wait; what it found stays. */
  endEarly() {
    this.set(false);
    this.summary.textContent += ". It ended as another page waits for the engine: Analyse begins anew.";
  }

  /** Give back the room that is kept for what comes in. */
  fold() {
    for (const part of [this.rows, this.summary]) part.classList.remove("kept");
    this.outlook.style.minHeight = "";
  }

  /** Forget what was found. */
  clear() {
    this.stop();
    this.found = null;
    this.look(null);
    this.byMove.clear();
    this.rows.replaceChildren();
    this.summary.textContent = "";
    this.outlook.replaceChildren();
  }

  /**
   * Think about a position.
   * @param {any} position
   * @param {any} past
   * @param {number} [seconds] instead of what is set
   * @returns {Promise<any>} the last answer, null if another position came between
   */
  async think(position, past, seconds = undefined) {
    this.stop();
    const query = this.engine.query("analyse", {
      position, past, top: SHOWN, report_every: EVERY,
      seconds: seconds ?? Number(this.time.value), threads: Number(this.threads.value),
    }, (answer) => {
      if (this.query === query) this.show(answer);
    });
    this.query = query;
    for (const part of [this.rows, this.summary]) part.classList.add("kept");
    this.outlook.style.minHeight = `${2.8 + 1.6 * position.seats.length}rem`;
    this.summary.textContent = THINKING;
    try {
      const answer = await query.answer;
      if (this.query !== query) return null;
      this.query = null;
      this.show(answer);
      if (answer.made_way && this.on) this.endEarly();
      return answer;
    } catch (error) {
      if (this.query === query) {
        this.query = null;
        this.summary.textContent = error.message;
      }
      return null;
    }
  }

  /** @param {any} answer */
  show(answer) {
    const { waiting } = answer;
    if (waiting !== undefined) {
      this.summary.textContent = waiting === null ? THINKING
        : `waiting for ${waiting ? `${waiting + 1} other searches` : "another search"} to end`;
      return;
    }
    this.found = answer;
    const { root } = answer;
    const chances = (/** @type {number[]} */ shares) => shares.map((share, seat) =>
      `seat ${seat} ${percent(share)}`).join(", ");
    const told = answer.form?.some(Boolean)
      ? `Chance to win, if all seats play like the engine from here on: ${chances(root.win_prob)}; `
        + `if each plays as well as it has so far: ${chances(answer.win_prob_by_form)}.`
      : `Chance to win: ${chances(root.win_prob)}.`;
    this.summary.textContent = `${told} `
      + `${short(root.visits)} simulation${root.visits === 1 ? "" : "s"}, ${answer.seconds.toFixed(1)} s${answer.final ? "" : " …"}`;
    this.draw(answer.moves);
  }

  /** @param {any[]} moves ranked */
  draw(moves) {
    const heads = make("div", { class: "idea heads" }, make("span", { class: "idea-words",
      text: coarse.matches ? "tap: look, again: try" : "" }),
      make("span", { text: "to win" }), make("span", { class: "lead", text: "lead" }),
      make("span", { class: "visits", text: "searched" }));
    const rows = moves.map((move) => this.fill(move));
    // The others are put around what is pressed or has the focus: moved itself, it would lose both.
    const held = rows.find((row) => row.matches(":active"))
      ?? rows.find((row) => row === document.activeElement);
    if (!held) {
      this.rows.replaceChildren(heads, ...rows);
      return;
    }
    for (const one of [...this.rows.children]) if (one !== held) one.remove();
    const place = rows.indexOf(held);
    held.before(heads, ...rows.slice(0, place));
    held.after(...rows.slice(place + 1));
  }

  /** Write the row of a ranked move, which stays the same as long as it is ranked. */
  fill({ move, order, visits, exact, win_prob, win_prob_error, score_lead }) {
    const row = this.byMove.get(move) ?? this.row(move);
    row.dataset.visits = visits;
    row.dataset.winProb = win_prob;
    const texts = { rank: order + 1, share: percent(win_prob),
      error: exact ? " exact" : within(win_prob_error),
      lead: signed(score_lead), visits: short(visits) };
    for (const [name, text] of Object.entries(texts)) {
      row.querySelector(`.${name}`).textContent = text;
    }
    row.querySelector(".bar").style.setProperty("--share", String(win_prob));
    return row;
  }

  /** Make the row of a move. @param {string} move */
  row(move) {
    const part = (/** @type {string} */ name, title = "") =>
      make("span", { class: name, title: title || null });
    let finger = false; // which cannot point at a row to look at its move
    const row = button("", () => {
      if (!finger || this.looked === move) {
        this.page.play(move);
        return;
      }
      this.look(move);
      if (isNarrow()) showTable(); // else it stays in sight
    }, {
      class: "idea", "data-move": move, title: "Play it in a line of its own" });
    row.append(part("rank"),
      make("span", { class: "idea-words" }, make("b", { text: move }), " ", this.page.words(move)),
      make("span", { class: "bar", "aria-hidden": "true" }),
      make("span", { class: "chance" }, part("share"), make("small", { class: "error" })),
      part("lead", "lead in points"), part("visits", "simulations"));
    row.onpointerdown = ({ pointerType }) => { finger = pointerType === "touch"; };
    row.onkeydown = () => { finger = false; };
    row.onpointerenter = row.onfocus = () => this.page.hover(move);
    row.onpointerleave = row.onblur = () => this.page.hover(null);
    this.byMove.set(move, row);
    return row;
  }

  /** Show a move on the board; a second tap on its row tries it. @param {string|null} move or none any more */
  look(move) {
    const { looked } = this;
    this.looked = move;
    for (const [one, row] of this.byMove) row.ariaPressed = one === move ? "true" : null;
    this.page.hover(move);
    if (move !== null) this.page.remark(`Marked: ${this.page.words(move)}. Tap its row again to try it.`);
    else if (looked !== null) this.page.remark("");
  }
}

/** @param {number[]} values @returns {number} */
function sum(values) {
  return values.reduce((all, one) => all + one, 0);
}

/** @param {number[]} values @returns {number[]} whole ones beside them, with their rounded sum */
export function wholes(values) {
  const whole = values.map(Math.floor);
  const missing = Math.round(sum(values)) - sum(whole);
  const order = [...values.keys()].sort((a, b) => values[b] - whole[b] - values[a] + whole[a]);
  for (const index of order.slice(0, missing)) whole[index]++;
  return whole;
}
