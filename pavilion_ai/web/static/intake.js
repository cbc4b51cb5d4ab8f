/** What is pasted, dropped or opened: the server reads it, whatever form it has. */

import { button, byId, isolated, make, WRITTEN } from "./dom.js";
import { Refusal } from "./engine.js";
import { remembered } from "./settings.js";

const LONG = 5e5; // characters from which on a text is sent by itself; in JSON one may take 6 bytes
const NAMES = "pavilion-names"; // whether the browser keeps names of players ticked
const LOST = "server"; // names the problem of what did not come to be read, or was not shown
const READING = "Reading …";
export const LATE = "What you opened is not shown, because you began something else meanwhile.";

/** @type {any[]} what is wrong with what was pasted last */
let pasted = [];

/**
 * List what is wrong with what was pasted, dropped or opened last.
 * @param {any[]} problems as for `showProblems`; without them, those that were listed last
 */
export function showPasted(problems = pasted) {
  pasted = problems;
  showProblems(problems);
}

/** The engine is back: what was refused as it was gone is told no longer. */
export function forgetLost() {
  if (pasted.some(({ name }) => name === LOST)) showPasted([]);
}

/**
 * Read what somebody has, whatever form it has.
 * @param {import("./engine.js").Engine} engine
 * @param {string} text
 * @param {boolean} names whether records of Board Game Arena keep the names of the players
 * @returns {Promise<any>} `positions` or `records` with `notes`, or `problems`
 */
export async function read(engine, text, names = false) {
  return text.length < LONG ? engine.ask("import", { text, names }) : sent(text, names);
}

/**
 * @param {string|Blob} body
 * @param {boolean} names
 * @param {File[]} files of which the body is, if they are several
 * @returns {Promise<any>} what the server has read
 */
async function sent(body, names, files = []) {
  const query = new URLSearchParams(names ? { names: "1" } : {});
  for (const { name, size } of files) {
    query.append("file", name);
    query.append("size", String(size));
  }
  try {
    return await (await fetch(`/import?${query}`, { method: "POST", body })).json();
  } catch { // nothing was sent, or the answer has no words
    throw new Refusal("The engine has not received it: it is a folder, or too many files at once, or it"
      + " took too long to arrive, or the engine is not there.", "");
  }
}

/**
 * Read files, in any encoding; parts of one game are joined.
 * @param {File[]} files
 * @param {boolean} names as in `read`
 * @returns {Promise<any>} as `read`; of several files also both, `problems` and what was found
 */
async function readFiles(files, names) {
  const answer = await sent(new Blob(files), names, files.length === 1 ? [] : files);
  if (files.length === 1) { // of several files the server says which one
    for (const one of answer.problems ?? []) one.message = `${isolated(files[0].name)}: ${one.message}`;
  }
  return answer;
}

/**
 * Let people paste, drop and open things.
 * @param {import("./engine.js").Engine} engine
 * @param {{found: (found: {positions?: any[], records?: any[], notes: string[]}) => Promise<void>,
 *   begun: () => () => boolean, status: import("./status.js").Status}} page `begun` is `Page.begun`:
 *   what is read slowly does not take the place of what was begun meanwhile
 */
export function watchIntake(engine, page) {
  const box = byId("paste");
  const names = remembered(NAMES);
  byId("load").parentElement.append(make("label", {}, names, " Keep the players' names"));
  let last = 0; // counts what is read: the last counts
  let said = ""; // before something was read
  const take = async (/** @type {Promise<any>} */ reading) => {
    const turn = ++last;
    const begun = page.begun();
    if (!page.status.text.endsWith(READING)) said = page.status.plain;
    const retract = () => {
      if (page.status.text.endsWith(READING)) page.status.say(said);
    };
    showPasted([]);
    page.status.say(READING);
    try {
      const answer = await reading;
      if (turn !== last) return;
      const found = answer.records?.length || answer.positions?.length;
      if (found && begun()) throw new Refusal(LATE, "");
      if (found) await page.found(answer); // which ends what went wrong before
      else retract();
      const problems = answer.problems ?? [];
      showPasted(problems);
      if (found && problems.length) {
        page.status.noteToo("Not everything could be read: the problems are listed under Paste or open");
      }
      if (!found) byId("problems").scrollIntoView({ block: "nearest" });
    } catch (error) {
      if (turn !== last) return;
      retract();
      showPasted([{ name: LOST, place: "", message: String(error.message ?? error) }]);
    }
  };
  const load = (/** @type {string} */ text) => take(read(engine, text, names.checked));
  byId("load").onclick = () => load(box.value);
  byId("file").onchange = async (/** @type {any} */ event) => {
    await take(readFiles([...event.target.files], names.checked));
    event.target.value = "";
  };
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    const data = event.dataTransfer;
    if (!data) return;
    if (data.files.length) take(readFiles([...data.files], names.checked));
    else {
      box.value = data.getData("text");
      load(box.value);
    }
  });
  addEventListener("paste", (event) => {
    const target = /** @type {any} */ (event.target);
    if (target.closest?.(WRITTEN)) return;
    const data = event.clipboardData;
    const text = data?.getData("text");
    if (data?.files.length) take(readFiles([...data.files], names.checked));
    else if (text) {
      box.value = text;
      load(text);
    }
  });
}

/**
 * List what is wrong with something.
 * @param {{name: string, place: string, message: string, line?: number}[]} problems
 * @param {(place: string) => void} [goTo] shows a place; without it none can be gone to
 */
export function showProblems(problems, goTo = undefined) {
  const items = problems.map((problem) => {
    const where = `${fieldName(problem.place)}${problem.line ? ` (line ${problem.line})` : ""}`.trim();
    const place = goTo && problem.place
      ? button(where, () => goTo(problem.place), { class: "quiet" }) : make("b", { text: where });
    return make("li", { "data-name": problem.name, "data-place": problem.place },
      ...(where ? [place, ": "] : []), problem.message);
  });
  const list = byId("problems").firstElementChild;
  const { children } = list;
  if (items.length === children.length && items.every((item, number) =>
    item.isEqualNode(children[number]))) return; // else they would be read out again
  list.replaceChildren(...items);
}

/** @param {{place: string, message: string}} problem @returns {string} where it is and what */
export function problemWords({ place, message }) {
  return place ? `${fieldName(place)}: ${message}` : message;
}

/** @param {string} place of the JSON form @returns {string} as people say it */
function fieldName(place) {
  return place
    .replace(/displays\[([0-9]+)\]/, (_, index) => `display ${Number(index) + 1}`)
    .replace(/(lines|wall)\[([0-9]+)\]/, (_, name, index) =>
      `${name === "lines" ? "line" : "row"} ${Number(index) + 1}`)
    .replace(/seats\[([0-9]+)\]\.?/, (_, seat) => `seat ${seat}, `)
    .replace(/stars\.([A-Z]+)/, (_, star) => `star ${star}`)
    .replace(/, $/, "").replaceAll("_", " ");
}
