/** Why one move is better than another, in the words of the engine. */

import { make, percent, readable, signed } from "./dom.js";

/**
 * @typedef {object} Option a move, and what a search found of it
 * @property {string} move
 * @property {number} win_prob
 * @property {number} lead
 * @property {string[]} line how play is expected to continue, the move first
 */

/** @param {any} move of an analysis @returns {Option} */
export function optionOf(move) {
  return { move: move.move, win_prob: move.win_prob, lead: move.score_lead, line: move.pv };
}

/**
 * Ask for reasons.
 * @param {import("./engine.js").Engine} engine
 * @param {any} position
 * @param {Option} better
 * @param {Option} worse
 * @param {string} name what the worse move is called
 * @returns {Promise<HTMLElement[]>} paragraphs
 */
export async function reasons(engine, position, better, worse, name) {
  const answer = await engine.ask("explain", { position, moves: [better.move, worse.move],
    lines: [better, worse].map((one) => one.line.slice(0, 3)) });
  const [first, second] = answer.moves;
  const told = [
    line("Best", first, better), next(first),
    line(name, second, worse), next(second),
  ];
  if (answer.cost) told.push(make("p", { text: answer.cost }));
  return told.filter((one) => one !== null);
}

function line(name, told, option) {
  return make("p", {}, make("b", { text: `${name}: ` }),
    make("b", { class: "code", text: told.move }), ` ${readable(told.words)} (`,
    make("b", { text: percent(option.win_prob) }), ` to win, lead ${signed(option.lead)}).`);
}

/** Say what is expected after a move; nothing where tiles are drawn. */
export function next(told) {
  if (!told.next.length) return null;
  const parts = told.next.map((one) => `seat ${one.seat}: ${readable(one.words)}`);
  return make("p", { text: `Then probably ${parts.join("; ")}.` });
}
