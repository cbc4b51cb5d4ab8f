/** Tiles that were drawn at a real table, written by their letters. */

import { button, make } from "./dom.js";

/**
 * Make a field for the tiles that were drawn.
 * @param {{displays: string[]}} position in which they are due
 * @param {string} chance the phase: `deal` or `supply`
 * @param {string} colours letters of the game
 * @param {{enter: (move: string) => void, refuse: (why: string) => void}} page
 */
export function drawnField({ displays }, chance, colours, page) {
  const dealt = chance === "deal";
  const letters = colours.slice(0, 3);
  const field = make("input", { size: dealt ? 26 : 12, autocomplete: "off", spellcheck: "false",
    autocapitalize: "characters", placeholder: dealt ? `${displays.length} displays: ${letters}${
      colours[0]} ${letters}${colours[1]} …` : `such as ${letters}`,
    title: dealt ? "The letters of each display, in order, with spaces between displays"
      : "The letters of all tiles that the supply receives" });
  const form = make("form", { class: "row", id: "drawn" },
    make("label", {}, "At your table: ", field), button("Enter", () => form.requestSubmit()));
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const parts = field.value.toUpperCase().split(/[\s,;]+/).filter(Boolean);
    if (dealt && parts.length !== displays.length) {
      page.refuse(`found ${parts.length}, expected the tiles of ${displays.length} displays with spaces `
        + "between them, - for an empty one");
    } else page.enter(`${chance}:${parts.join(dealt ? "," : "") || "-"}`);
  });
  return form;
}
