/** What the engine thinks of the position on the table: ranked moves, expected scores, hints. */

import { byId, make, percent, speak, wait } from "./dom.js";
import { sentence } from "./picker.js";
import { optionOf, reasons } from "./reasons.js";

/** @typedef {import("./game.js").Node} Node */

const HINT_SECONDS = 2;
const LOOKING = "Looking for the best move …";
const OUTLOOK_MS = 200; // how long a position is shown before its outlook is requested

export class Hints {
  /** @param {any} page what holds the table */
  constructor(page) {
    this.page = page;
    /** @type {import("./engine.js").Query|null} the last search for a hint */
    this.search = null;
    /** @type {Node|null} where a hint stands in place of what a review says */
    this.told = null;
  }

  /** @param {Node} node @returns {any} the game up to there, for the engine */
  past(node) {
    return { start: this.page.game.root.position, moves: node.moves };
  }

  /** Think about the position on the table. */
  analyse() {
    const { page } = this;
    const { node, analysis } = page;
    if (page.editor) {
      this.analyseEdited();
      return;
    }
    if (!node.position) return;
    if (page.solo.open) {
      analysis.set(false);
      page.status.say("There are no hints in a solo game.");
      return;
    }
    this.outlook(node);
    if (node.position.to_move !== null) analysis.think(node.position, this.past(node));
  }

  /** Think about the position that is edited, if it is sound. */
  async analyseEdited() {
    const { editor, analysis, status } = this.page;
    try {
      if (await editor.use()) return;
    } catch (error) {
      status.say(error.message);
    }
    analysis.set(false);
  }

  /**
   * Tell, a moment after a position is shown, what its final scores are expected to be.
   * @param {Node} node
   */
  async outlook(node) {
    const { page } = this;
    await wait(OUTLOOK_MS);
    if (node !== page.node || !node.position || page.editor) return;
    node.outlook ??= await page.engine.ask("outlook", { position: node.position }).catch(() => null);
    if (node !== page.node || !node.outlook || page.editor) return;
    page.analysis.showOutlook(node.outlook.parts);
    page.table.board.markShort(node.outlook.short);
  }

  /** Show the best move; when asked again, say why. */
  async hint() {
    const { page } = this;
    const { node, table, status, analysis } = page;
    if (!node.position || node.position.to_move === null || page.editor || page.solo.open
      || page.closed) return;
    table.letGo();
    analysis.look(null);
    if (table.hinted && analysis.found) {
      this.explain();
      return;
    }
    if (analysis.query && analysis.query === this.search) return; // it is on its way
    const said = status.text;
    status.say(LOOKING);
    const known = analysis.on && analysis.found;
    const search = known || analysis.think(node.position, this.past(node), HINT_SECONDS);
    if (!known) this.search = analysis.query;
    const answer = await search;
    if (node !== page.node || page.editor) return;
    if (!answer) { // another search took its place, or it came to nothing
      if (status.text.endsWith(LOOKING)) status.say(said);
      return;
    }
    const best = table.choiceOf(answer.moves[0].move);
    table.mark(best);
    this.tell(`Hint: ${best.words}. Press Hint again for why.`);
    if (analysis.on && !known) this.analyse(); // it has given way to the hint
  }

  /** @param {string} text of a hint: it takes the place of what a review says */
  tell(text) {
    const { page } = this;
    this.told = page.node;
    byId("choice").querySelector(".onwards")?.remove();
    page.status.say(text);
  }

  /** Say in words why the best move is better than the next one. */
  async explain() {
    const { page } = this;
    const { node, table, status } = page;
    const [best, second] = page.analysis.found?.moves ?? [];
    if (!best || !table.hinted) return;
    table.mark(table.choiceOf(best.move)); // a search that continues may prefer another one by now
    this.tell(`${sentence(`The best move: ${table.hinted.words}`)} It wins ${percent(best.win_prob)} of `
      + "the time.");
    if (!second?.pv.length) return;
    try {
      const told = await reasons(page.engine, node.position, optionOf(best), optionOf(second),
        "Next best");
      if (node !== page.node || !table.hinted || table.picker.busy) return;
      const choice = byId("choice");
      if (choice.querySelector(".question")) return;
      choice.querySelector(".reasons")?.remove();
      choice.append(make("div", { class: "reasons" }, ...told));
      speak(told.map((part) => part.textContent).join(" "));
    } catch (error) {
      status.say(error.message);
    }
  }
}
