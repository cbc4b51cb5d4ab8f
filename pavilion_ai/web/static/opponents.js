/** The moves of engines: thought about, shown, and then played. */

import { byId, pressing, TYPED, wait } from "./dom.js";
import { stage, whole } from "./engine.js";
import { sentence } from "./picker.js";

const SHOW_MS = 600; // how long an engine's move is shown before it is played
const ENGINE_SECONDS = 2; // for a move of the best engine

export class Opponents {
  /** @param {any} page what holds the table */
  constructor(page) {
    this.page = page;
    /** @type {import("./engine.js").Query|null} */
    this.thinking = null;
    /** @type {(() => void)|null} what shows a move that is not played yet */
    this.coming = null;
  }

  /** Let no engine move any more. */
  stop() {
    this.thinking?.stop();
    this.thinking = this.coming = null;
  }

  /** Show once more what an engine is about to do, on a table that is drawn anew. */
  show() {
    this.coming?.();
  }

  /**
   * Let an engine move, and show what it does before it is done.
   * @param {import("./game.js").Game} game
   * @param {import("./game.js").Node} node
   */
  async move(game, node) {
    const { page } = this;
    const seat = node.position.to_move;
    const spec = game.seats[seat];
    const said = page.status.text;
    page.status.say(`${said} Thinking …`);
    const query = game.solo ? { answer: page.solo.due(game, node.moves).then((move) => ({ move })),
      stop: () => {} } : whole(page.engine, "choose", { position: node.position, agent: spec,
      past: page.hints.past(node), seed: game.seed + node.moves.length,
      ...(spec === "default" ? { limits: { seconds: ENGINE_SECONDS } } : {}) }, (answer) => {
      if (this.thinking === query) page.status.say(`${said} ${stage(answer, "Thinking")}`);
    });
    this.thinking = query;
    const began = performance.now();
    try {
      const { move, waited = 0 } = await query.answer;
      const thought = Math.max(0, (performance.now() - began) / 1000 - waited); // by two clocks
      const choice = page.table.choiceOf(move);
      if (this.thinking !== query || !choice) return;
      const next = page.settings.stepping.checked ? pressing("Next") : null;
      this.coming = () => {
        page.table.board.light(choice, seat, "last");
        if (next) byId("choice").replaceChildren(next.button);
      };
      this.show();
      if (!document.activeElement?.closest(TYPED)) next?.button.focus({ preventScroll: true });
      page.status.say(sentence(`${game.who(seat)}: ${choice.words}`));
      await (next?.pressed
        ?? wait(matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : SHOW_MS));
      if (this.thinking !== query) return;
      await page.play(move, false, thought);
    } catch (error) {
      if (this.thinking === query) page.status.say(error.message);
    }
  }
}
