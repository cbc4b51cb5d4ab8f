/** Making elements. Text from elsewhere only ever becomes text: nothing here parses HTML. */

/**
 * Find an element of the page by its id.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element #${id}`);
  return found;
}

/**
 * Make an element.
 * @param {string} name of the element
 * @param {Record<string, any>} attributes `on...` are listeners, `text` is the text; false, null
 *   and undefined are left out
 * @param {...(Node|string)} children
 * @returns {any}
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key === "text") element.textContent = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/** @param {string} name @param {Record<string, any>} attributes @returns {any} a part of a drawing */
export function shape(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/**
 * Make a button.
 * @param {string} text
 * @param {() => void} action
 * @param {Record<string, any>} attributes
 */
export function button(text, action, attributes = {}) {
  return make("button", { type: "button", ...attributes, onclick: action, text });
}

/**
 * Make a question, which is read out as soon as it is shown.
 * @param {string} text
 * @param {...Node} answers
 */
export function question(text, ...answers) {
  return make("p", { class: "row question", role: "alert" }, text, ...answers);
}

/**
 * Say what is shown beside the board, or was done, to those who do not see it.
 * @param {string} text
 * @param {boolean} again whether it is read out although it was said last
 */
export function speak(text, again = false) {
  const line = byId("spoken");
  if (line.textContent !== text) line.textContent = text;
  else if (again) line.textContent = `${text}\u00a0`; // only what differs is read out
}

/** Where keys write. */
export const WRITTEN = 'input:not([type="checkbox"], [type="file"]), textarea';

/** Where keys write, or choose. */
export const TYPED = `${WRITTEN}, select`;

const narrow = matchMedia("(max-width: 60rem)");
let { matches: wasNarrow } = narrow; // on the screen: paper is narrower
/** @type {HTMLElement|null} */
let first = null; // the card that was put first last

/** @returns {boolean} whether the tools stand below the board, not beside it */
export function isNarrow() {
  return wasNarrow;
}

/** Put a card first: above the other tools, or above the board if those come below it. */
export function putFirst(/** @type {HTMLElement} */ card) {
  first = card;
  place(card);
  byId("setup").open = false;
}

/** Put a card where the width wants it; what is long in it is folded above the board. */
function place(/** @type {HTMLElement} */ card) {
  const focus = /** @type {any} */ (document.activeElement);
  if (isNarrow()) byId("found-card").after(card);
  else byId("setup").parentElement.prepend(card);
  if (card.contains(focus)) focus.focus({ preventScroll: true });
  for (const one of /** @type {any} */ (card.querySelectorAll(".long"))) one.open = !isNarrow();
}

narrow.addEventListener("change", () => {
  if (matchMedia("print").matches || narrow.matches === wasNarrow) return;
  wasNarrow = narrow.matches;
  if (first) place(first);
});

/** @type {any[]} */
let folded = []; // what paper shows all the same
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll(".long:not([open])")];
  for (const one of folded) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of folded) one.open = false;
});

/** Bring a part of the page to the top of the screen. @param {string} id */
export function toTop(id) {
  scrollBy(0, byId(id).getBoundingClientRect().top);
}

/**
 * Bring the beginning of the board in sight, below the words that stick to it; where tools stand beside
 * it, also the one that was put first.
 */
export function showTable() {
  if (!isNarrow()) {
    scrollTo(0, 0);
    return;
  }
  const { top } = byId("table").getBoundingClientRect();
  const by = top - byId("prompt").offsetHeight;
  if (by < 0 || top > innerHeight / 2) scrollBy(0, by);
}

/** @param {string} name @returns {{button: any, pressed: Promise<void>}} a button to wait for */
export function pressing(name) {
  /** @type {() => void} */
  let press = () => {};
  /** @type {Promise<void>} */
  const pressed = new Promise((resolve) => { press = resolve; });
  const one = button(name, () => {
    one.remove();
    press();
  }, { class: "strong" });
  return { button: one, pressed };
}

export const COLOURS = { P: "purple", G: "green", O: "orange", Y: "yellow", B: "blue", R: "red", K: "black",
  W: "white" };

/** @param {string} letter @returns {string} a tile or the marker, for those who do not see it */
export function tileName(letter) {
  return letter === "*" ? "starting player marker" : `${COLOURS[letter] ?? letter} tile`;
}

/** @param {string} letter @returns {string} one tile, as 'an orange tile' */
export function aTile(letter) {
  return `${letter === "O" ? "an" : "a"} ${tileName(letter)}`;
}

/** @param {string} letters @returns {string} tiles in words, as '2 red, 1 blue' */
export function spoken(letters) {
  const counts = [...new Set(letters)].map((letter) =>
    `${letters.split(letter).length - 1} ${COLOURS[letter] ?? letter}`);
  return counts.join(", ") || "no tiles";
}

/**
 * @param {string} words of the engine, in which tiles are spelled: what goes to the centre, what is
 *   dealt, what lies in a hand, a line, a star or a row
 * @returns {string} words that can be read out: 'POOR' would be heard as one
 */
export function readable(words) {
  const named = (/** @type {string} */ letters) => spoken(spelled(letters).join(""));
  return words
    .replace(/\((rest )?([A-Z.]+)( to the centre)?\)/, (_, rest = "", letters = "", where = "") =>
      `(${rest}${named(letters)}${where})`)
    .replace(/ holds ([0-9A-Z]+)\b/, (_, letters) => ` holds ${named(letters)}`)
    .replace(/ is ([A-Z.]{6})(?![A-Z.])/, (_, letters) => ` holds ${named(letters)}`)
    .replace(/, ([A-Z.]{5}),/, (_, letters) => ` (${named(letters)})`)
    .replace(/^the displays receive .*/, (deal) => deal.replace(/([A-Z])(?=[A-Z])/g, "$1 "));
}

/** @param {string} letter @returns {any} a tile as a small lettered chip */
export function chip(letter) {
  return make("span", { class: "chip", "data-chip": letter, "aria-hidden": "true", text: letter });
}

/** @param {string} letters one letter a tile @returns {any} tiles as chips in a row */
export function chips(letters) {
  return make("span", { class: "chips", role: "img", "aria-label": spoken(letters) },
    ...letters ? [...letters].map(chip) : ["none"]);
}

/** @param {number} share from 0 to 1 @returns {string} as a percentage; its sign does not break off */
export function percent(share) {
  const value = 100 * share;
  const fine = value.toFixed(1);
  if ((value > 0 && Number(fine) < 10) || (value >= 99.5 && value < 100)) return `${fine}\u00a0%`;
  return `${(value % 2 === 0.5 ? Math.floor(value) : value).toFixed(0)}\u00a0%`; // as at the terminal
}

/** @param {number} error of a share, not exact @returns {string} in percentage points, never 0 */
export function within(error) {
  return ` ±${Math.max(0.1, 100 * error).toFixed(1)}`;
}

/** @param {number} points @param {number} digits @returns {string} with its sign; 0 has none */
export function signed(points, digits = 1) {
  const text = Math.abs(points).toFixed(digits);
  return Number(text) ? (points < 0 ? "−" : "+") + text : text;
}

/** @param {number} count @returns {string} short */
export function short(count) {
  if (count < 10000) return String(count);
  const thousands = Math.round(count / 1000);
  return thousands < 1000 ? `${thousands} k` : `${(count / 1e6).toFixed(1)} M`;
}

/** @param {string} place @returns {string} as people say it */
export function placeName(place) {
  if (/^D[0-9]+$/.test(place)) return `display ${place.slice(1)}`;
  return place === "C" ? "the centre" : place;
}

/** @param {string} name @returns {string} so that what follows it keeps its order, whatever it holds */
export function isolated(name) {
  const plain = name.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
  return /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc]/.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** @param {string|null} written tiles with counts @returns {string[]} one letter a tile */
export function spelled(written) {
  return [...(written ?? "").matchAll(/([0-9]*)([A-Z*])/g)].flatMap(([, count, letter]) =>
    Array(Number(count || 1)).fill(letter));
}

/** @param {any[][]} choices values and words @returns {HTMLElement[]} of a list to choose from */
export function entries(choices) {
  return choices.map(([value, text]) => make("option", { value, text }));
}

/** @param {number} milliseconds */
export function wait(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
