/** What is pasted, dropped or opened: the server reads it, whatever form it has. */

import { byId, make } from "./dom.js";

const LONG = 1e6; // characters from which on a text is sent by itself

/**
 * Read what somebody has, whatever form it has.
 * @param {import("./engine.js").Engine} engine
 * @param {string} text
 * @returns {Promise<any>} `positions` or `records` with `notes`, or `problems`
 */
export async function read(engine, text) {
  if (text.length < LONG) return engine.ask("import", { text });
  return (await fetch("/import", { method: "POST", body: text })).json();
}

/**
 * Let people paste, drop and open things.
 * @param {import("./engine.js").Engine} engine
 * @param {(found: {positions?: any[], records?: any[], notes: string[]}) => void} onFound
 */
export function watchIntake(engine, onFound) {
  const box = byId("paste");
  const load = async (/** @type {string} */ text) => {
    showProblems([]);
    try {
      const answer = await read(engine, text);
      if (answer.problems) showProblems(answer.problems);
      else onFound(answer);
    } catch (error) {
      showProblems([{ name: "server", place: "", message: String(error.message ?? error) }]);
    }
  };
  byId("load").onclick = () => load(box.value);
  byId("file").onchange = async (/** @type {any} */ event) => {
    for (const file of event.target.files) await load(await file.text());
    event.target.value = "";
  };
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    const data = event.dataTransfer;
    if (!data) return;
    if (data.files.length) data.files[0].text().then(load);
    else {
      box.value = data.getData("text");
      load(box.value);
    }
  });
  addEventListener("paste", (event) => {
    const target = /** @type {any} */ (event.target);
    if (target.closest?.("input, textarea, select")) return;
    const text = event.clipboardData?.getData("text");
    if (!text) return;
    box.value = text;
    load(text);
  });
}

/**
 * List what is wrong with something.
 * @param {{name: string, place: string, message: string, line?: number}[]} problems
 */
export function showProblems(problems) {
  byId("problems").replaceChildren(...problems.map((problem) => make("li", {
    role: "alert", "data-name": problem.name, "data-place": problem.place,
  }, make("b", { text: problem.place || problem.name }),
  `${problem.line ? ` (line ${problem.line})` : ""}: ${problem.message}`)));
}
