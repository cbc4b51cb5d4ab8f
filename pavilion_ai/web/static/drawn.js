/** Tiles that were drawn at a real table, written by their letters. */

import { button, make } from "./dom.js";

/**
 * Make a field for the tiles that were drawn.
 * @param {{displays: string[]}} position in which they are due
 * @param {string} chance the phase: `deal` or `supply`
 * @param {string} colours letters of the game
 * @param {(move: string) => Promise<string>} enter plays it; or says why it cannot have been drawn
 */
export function drawnField({ displays }, chance, colours, enter) {
  const dealt = chance === "deal";
  const letters = colours.slice(0, 3);
  const field = make("input", { size: dealt ? 26 : 12, autocomplete: "off", spellcheck: "false",
    autocapitalize: "characters", placeholder: dealt ? `${displays.length} displays: ${letters}${
      colours[0]} ${letters}${colours[1]} …` : `such as ${letters}`,
    title: dealt ? "The letters of each display, in order, with spaces between displays"
      : "The letters of all tiles that the supply receives" });
  const fault = make("span", { class: "fault", role: "alert" }); // beside it: the board stays
  const form = make("form", { class: "row", id: "drawn", oninput: () => fault.replaceChildren() },
    make("label", {}, "At your table: ", field), button("Enter", () => form.requestSubmit()), fault);
  form.addEventListener("submit", async (/** @type {Event} */ event) => {
    event.preventDefault();
    const parts = field.value.toUpperCase().split(/[\s,;]+/).filter(Boolean);
    fault.textContent = dealt && parts.length !== displays.length
      ? `Found ${parts.length} displays, expected ${displays.length}: with spaces between them, `
        + "- for an empty one."
      : await enter(`${chance}:${parts.join(dealt ? "," : "") || "-"}`);
  });
  return form;
}
