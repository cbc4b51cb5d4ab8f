/** Asks about a mistake of a person before the next seat moves. */

import { button, question, TYPED, wait } from "./dom.js";

/** @typedef {import("./game.js").Node} Node */

const SECONDS = 0.3; // for judging a move
const PATIENCE_MS = 2000; // until the game continues without a verdict
const LEAST = 0.05; // chance to win whose loss is a mistake, as in a review
const LEAST_VISITS = 100; // of a move that is judged: with fewer even its error is a guess

export class Coach {
  /** @param {any} page what holds the table */
  constructor(page) {
    this.page = page;
    /** @type {Node|null} where the move led that is judged, or asked about */
    this.node = null;
    /** @type {HTMLElement|null} the question, if the move is a mistake */
    this.question = null;
  }

  /** @param {Node} node @returns {boolean} whether the next seat does not move there yet */
  holds(node) {
    return node.decision === this.node;
  }

  /** @param {Node} node @returns {HTMLElement|null} what is asked there */
  asks(node) {
    return this.holds(node) && !this.page.closed ? this.question : null;
  }

  /**
   * Judge a move of the game, if a person has chosen it and somebody moves after it.
   * @param {Node} node where it led, before what is drawn after it
   * @param {boolean} chosen whether a person has played it
   */
  async judge(node, chosen) {
    const { page } = this;
    const { tip, solo } = page.game;
    this.node = this.question = null;
    if (!chosen || !page.settings.coaching.checked || solo || tip.decision !== node
      || tip.position.phase === "over" || node.parent.view.moves.length === 1) return;
    this.node = node;
    const query = page.engine.query("analyse", { position: node.parent.position,
      past: page.hints.past(node.parent), compare: [node.played], seconds: SECONDS });
    const answer = await Promise.race([query.answer, wait(PATIENCE_MS)]).catch(() => null);
    query.stop();
    if (this.node !== node) return; // another move was played
    const loss = answer ? lossOf(answer.moves, node.played) : 0;
    const shown = this.holds(page.node) && page.node === page.laid && !page.editor;
    if (loss) this.question = this.ask(node, loss);
    else this.node = null;
    if (!shown) return; // what happens there does so when it is
    if (!loss) {
      if (page.awaitsEngine(page.game, page.node)) page.opponents.move(page.game, page.node);
      return;
    }
    await page.refresh();
    if (!document.activeElement?.closest(TYPED)) {
      this.question?.querySelector("button")?.focus({ preventScroll: true });
    }
  }

  /** Ask whether a mistake stands. @param {Node} node @param {number} loss */
  ask(node, loss) {
    const asked = question(
      `This gives away about ${Math.round(100 * loss)} percentage points of the chance to win.`,
      button("Take back", () => this.page.go(node.parent), { class: "strong", id: "take-back",
        title: "U" }),
      button("Play on", () => {
        this.node = null;
        this.page.refresh();
      }, { id: "play-on", title: "Esc" }));
    asked.classList.add("notice");
    return asked;
  }
}

/**
 * @param {any[]} moves compared by a search, the best first
 * @param {string} played
 * @returns {number} the chance to win that it loses; 0 if that is little, or may be an error
 */
export function lossOf(moves, played) {
  const [best, other] = [moves[0], moves.find((one) => one.move === played)];
  if (!other || (!other.exact && other.visits < LEAST_VISITS)) return 0; // time was too short
  const loss = best.win_prob - other.win_prob;
  const [one, two] = [best.win_prob_error, other.win_prob_error];
  const error = Math.sqrt(one * one + two * two - one * two); // they go together, as in a review
  return loss >= LEAST && loss > error ? loss : 0;
}
