/** What is pasted, dropped or opened: the server reads it, whatever form it has. */

import { byId, make } from "./dom.js";

/**
 * Let people paste, drop and open things.
 * @param {(found: {positions?: any[], records?: any[], notes: string[]}) => void} onFound
 */
export function watchIntake(onFound) {
  const box = byId("paste");
  const load = async (/** @type {BodyInit} */ body) => {
    showProblems([]);
    try {
      const response = await fetch("/import", { method: "POST", body });
      const answer = await response.json();
      if (answer.problems) showProblems(answer.problems);
      else onFound(answer);
    } catch (error) {
      showProblems([{ name: "server", place: "", message: String(error.message ?? error) }]);
    }
  };
  byId("load").onclick = () => load(box.value);
  byId("file").onchange = async (/** @type {any} */ event) => {
    for (const file of event.target.files) await load(file);
    event.target.value = "";
  };
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    const data = event.dataTransfer;
    if (!data) return;
    if (data.files.length) load(data.files[0]);
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
