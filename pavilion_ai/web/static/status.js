/** What is said above the board: of the position, of what went wrong, of what is not to be missed. */

import { byId } from "./dom.js";

const READ_MS = 10_000; // how long what is not to be missed stays at least
const AWAITS = "…"; // ends what is said as long as something is awaited

export class Status {
  /** @param {() => void} onRemarked told when a remark gives way to what is said next */
  constructor(onRemarked) {
    this.onRemarked = onRemarked;
    this.line = byId("status");
    this.gone = byId("offline");
    this.prompt = byId("prompt");
    this.insisted = { text: "", until: 0 };
    this.remarked = "";
    this.settled = this.text; // what was said last, but for what is awaited: a refusal brings it back
    this.before = ""; // what was said before that
  }

  /** @returns {string} what is said */
  get text() {
    return this.line.textContent ?? "";
  }

  /** @param {string} text to be shown; the same would be read out again */
  set text(text) {
    if (text === this.text) return;
    this.prompt.style.removeProperty("--remarked");
    this.line.textContent = text;
    if (!this.remarked || text.includes(this.remarked)) return;
    this.remarked = "";
    this.onRemarked();
  }

  /** @returns {string} what is said, without the remark before it */
  get plain() {
    return this.text.startsWith(this.remarked) ? this.text.slice(this.remarked.length) : this.text;
  }

  /** @param {string} words why the engine is not there, as long as it is not; nothing: it is */
  offline(words) {
    this.gone.textContent = words;
    this.gone.hidden = !words;
    if (!words || this.settled !== words) return;
    this.settled = this.before; // what was refused has said it
    this.say(this.settled);
  }

  /** @param {string} text that takes the place of the last one, but not of what must be read */
  say(text) {
    const refused = text !== "" && text === this.gone.textContent; // which says it
    if (refused && !this.text.endsWith(AWAITS)) return;
    if (!refused && !text.endsWith(AWAITS) && text !== this.settled) {
      this.before = this.settled;
      this.settled = text;
    }
    const said = refused ? this.settled : text;
    const { insisted } = this;
    if (performance.now() > insisted.until) insisted.text = "";
    this.text = insisted.text && !said.includes(insisted.text)
      ? `${insisted.text} ${said}` : said;
  }

  /** Say what is not to be missed: it stays before what is said next. @param {string} text */
  insist(text) {
    this.insisted = { text, until: performance.now() + READ_MS };
    this.text = text;
  }

  /** Take back what is not to be missed: it holds no longer. */
  retract() {
    this.text = this.text.replace(this.insisted.text, "").trim();
    this.forget();
  }

  /** @param {string} text that stands before what is said, in place of the last such; or nothing */
  remark(text) {
    if (!text && !this.remarked) return;
    const said = this.plain;
    this.remarked = text && `${text} `;
    const whole = this.remarked + said;
    if (whole === this.text) return;
    this.line.textContent = said;
    const { height } = this.line.getBoundingClientRect();
    this.line.textContent = whole;
    const grown = this.line.getBoundingClientRect().height - height;
    // What it takes in height, the room below it gives: the board stays where it is.
    this.prompt.style.setProperty("--remarked", `${grown}px`);
  }

  /** Let what was not to be missed be replaced. */
  forget() {
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

  /** @param {string} note that follows those that are shown */
  noteToo(note) {
    this.note([byId("notes").textContent, note].filter(Boolean));
  }
}
