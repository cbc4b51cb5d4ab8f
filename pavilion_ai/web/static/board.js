/**
 * The drawing of a position, made by the engine; here it only gets what can be clicked and lit.
 * Places are found by `data-at`, tiles by `data-tile`, seats by `data-seat`.
 */

import { byId, make, placeName, shape, spelled } from "./dom.js";

const NAMED = "[data-at], [data-place], .seat"; // what has a name for those who do not see it
// Pixels a unit: on a screen of 1280 by 800 a row of boards is seen whole, and of two rows no more goes
// under the words as one scrolls than what stands above the market.
const LEAST = 0.55;

export class Board {
  constructor() {
    /** @type {HTMLElement} */
    this.frame = byId("table");
    /** @type {SVGSVGElement|null} */
    this.picture = null;
    /** @type {Element|null} a second line on the outline of what has the focus */
    this.ring = null;
    this.frame.addEventListener("focusin", ({ target }) => this.encircle(target));
    this.frame.addEventListener("focusout", () => this.ring?.remove());
  }

  /** Show that something has the focus, whatever its colour, and its marks. */
  encircle(/** @type {any} */ element) {
    this.ring?.remove();
    if (!element.matches(".clickable")) return;
    this.ring = unseen(element.children[1]);
    this.ring.setAttribute("class", "ring");
    this.ring.setAttribute("pointer-events", "none");
    element.children[1].after(this.ring);
  }

  /**
   * Show a position.
   * @param {{svg: string, code: string}} view
   * @param {any} position JSON form
   */
  show(view, position) {
    this.draw(view.svg);
    this.frame.dataset.phase = position.phase;
    this.frame.dataset.toMove = position.to_move === null ? "" : String(position.to_move);
    this.frame.dataset.code = view.code;
  }

  /**
   * Draw; what looks as before stays as it is, for laying out text is most of the work.
   * @param {string} svg of any position, sound or not
   */
  draw(svg) {
    this.release();
    // as HTML, which takes a third of the time that XML takes; no script in it would run
    const parsed = new DOMParser().parseFromString(svg, "text/html");
    const picture = /** @type {any} */ (document.adoptNode(parsed.querySelector("svg")));
    picture.removeAttribute("width");
    picture.removeAttribute("height");
    picture.setAttribute("role", "group");
    const { width, height } = picture.viewBox.baseVal;
    this.frame.classList.toggle("fits", height < 1.2 * width);
    this.frame.style.setProperty("--least", `${Math.round(LEAST * height)}px`);
    tellInWords(picture);
    for (const element of picture.querySelectorAll("[data-at]")) entitle(element);
    for (const element of picture.querySelectorAll(NAMED)) name(element);
    for (const element of picture.querySelectorAll(".board :is(.space, .tile, .slot)")) target(element);
    for (const display of picture.querySelectorAll(".display")) quarters(display);
    if (this.picture?.parentNode === this.frame) become(this.picture, picture);
    else this.frame.replaceChildren(picture);
    this.picture = /** @type {any} */ (this.frame.firstElementChild);
  }

  /**
   * Let tiles that were drawn appear one after the other.
   * @param {string[]} draws chance moves
   */
  showDrawn(draws) {
    for (const move of draws) {
      const [kind, letters] = move.split(":");
      const found = /** @type {any} */ ([...this.picture?.querySelectorAll(kind === "deal"
        ? ".display .tile" : ".supply .tile") ?? []]);
      const drawn = kind === "deal" ? found : this.tiles(found, spelled(letters).join(""));
      drawn.forEach((/** @type {any} */ tile, /** @type {number} */ index) => {
        tile.classList.add("drawn");
        tile.style.animationDelay = `${20 * index}ms`;
      });
    }
  }

  /**
   * Mark the spaces whose tile would complete something.
   * @param {{seat: number, place: string, goals: string[]}[]} spaces
   */
  markShort(spaces) {
    this.clear("short");
    for (const { seat, place, goals } of spaces) {
      for (const element of this.elements({ place, own: true, pick: "", tiles: "" }, seat)) {
        if (element.dataset.tile) continue;
        element.classList.add("short");
        const title = element.querySelector("title");
        const told = `; a tile here completes ${goals.join(" and ")}`;
        if (title && !title.textContent?.endsWith(told)) title.textContent += told;
      }
    }
  }

  /**
   * Return the elements of a step.
   * @param {{place: string, own: boolean, pick: string, tiles: string}} step
   * @param {number|null} seat whose own places are meant
   * @returns {SVGElement[]}
   */
  elements(step, seat) {
    const root = step.own ? this.seat(seat) : this.picture;
    if (!root) return [];
    const found = [...root.querySelectorAll(`[data-at="${CSS.escape(step.place)}"]`)];
    return /** @type {any} */ (step.own ? found : found.filter((one) => !one.closest(".seat")));
  }

  /** @param {number|null} seat */
  seat(seat) {
    return this.picture?.querySelector(`.seat[data-seat="${seat}"]`) ?? null;
  }

  /**
   * Return as many tiles among elements as the letters name.
   * @param {SVGElement[]} elements
   * @param {string} letters
   */
  tiles(elements, letters) {
    const left = [...letters];
    return elements.filter((element) => {
      const index = left.indexOf(element.dataset.tile ?? "");
      if (index < 0) return false;
      left.splice(index, 1);
      return true;
    });
  }

  /**
   * Light what a move concerns.
   * @param {import("./game.js").Choice} choice
   * @param {number|null} seat who moves
   * @param {string} look a class: `lit`, `last`, `best`, `played`
   * @param {boolean} made whether the move is made: the tiles that it names are gone
   */
  light(choice, seat, look, made = false) {
    /** @type {SVGElement[][]} */
    const stops = [];
    for (const step of choice.steps) {
      const elements = this.elements(step, seat);
      const named = step.tiles || choice.kind === "pass";
      const lit = named ? this.tiles(elements, made ? "" : step.tiles) : elements;
      const shown = lit.length || step.own ? lit : this.places(step);
      shown.forEach((element) => element.classList.add(look));
      if (shown.length) stops.push(shown);
      if (choice.rest && step.pick && !step.own) {
        this.tiles(elements.filter((one) => !lit.includes(one)), choice.rest)
          .forEach((element) => element.classList.add(`${look}-rest`));
      }
    }
    if (look !== "last") this.arrow(choice, stops, seat, look);
  }

  /** Return the group of a place on the table that has lost its tiles. */
  places(step) {
    const found = this.picture?.querySelectorAll(`[data-place="${CSS.escape(step.place)}"]`) ?? [];
    return /** @type {any} */ ([...found].filter((one) => !one.closest(".seat")));
  }

  /** Draw an arrow from where tiles are taken to where they go. */
  arrow(choice, stops, seat, look) {
    if (choice.kind !== "draft" || !stops.length || !this.picture) return;
    const hand = this.seat(seat)?.querySelectorAll('[data-place="hand"] > :not(rect)') ?? [];
    const from = middle(stops[0], this.picture);
    const goal = stops.length > 1 ? stops[stops.length - 1] : [...hand];
    if (!goal.length) return;
    const to = middle(/** @type {any} */ (goal), this.picture);
    const bend = (from.x + to.x) / 2;
    this.picture.append(shape("path", { class: `arrow ${look}`,
      d: `M${from.x},${from.y}Q${bend},${from.y} ${to.x},${to.y}` }),
    shape("circle", { class: `arrow-end ${look}`, cx: to.x, cy: to.y, r: 7 }));
  }

  /** @param {string} look light of this kind goes out */
  clear(look) {
    if (!this.picture) return;
    this.picture.querySelectorAll(`.arrow.${look}, .arrow-end.${look}`).forEach((one) => one.remove());
    for (const name of [look, `${look}-rest`]) {
      this.picture.querySelectorAll(`.${name}`).forEach((one) => one.classList.remove(name));
    }
  }

  /**
   * Let something be clicked, by mouse and by keyboard.
   * @param {SVGElement[]} elements of which the first one takes the focus
   * @param {string} words what a click does
   * @param {() => void} action
   * @param {{move?: string, hover?: () => void, leave?: () => void, pressed?: boolean}} more
   */
  clickable(elements, words, action, more = {}) {
    elements.forEach((element, index) => {
      element.classList.add("clickable");
      if (more.move) element.dataset.move = more.move;
      element.onclick = action;
      element.onpointerenter = more.hover ?? null;
      element.onpointerleave = more.leave ?? null;
      if (index) return;
      element.setAttribute("tabindex", "0");
      element.setAttribute("role", "button");
      element.setAttribute("aria-label", words);
      if (more.pressed !== undefined) element.setAttribute("aria-pressed", String(more.pressed));
      if (element === document.activeElement) this.encircle(element);
      element.onfocus = more.hover ?? null;
      element.onblur = more.leave ?? null;
      element.onkeydown = (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        action();
      };
    });
  }

  /** Let nothing be clicked. */
  release() {
    this.ring?.remove();
    for (const element of this.picture?.querySelectorAll(".clickable") ?? []) {
      const one = /** @type {any} */ (element);
      one.classList.remove("clickable");
      for (const attribute of ["tabindex", "role", "aria-label", "aria-pressed", "data-move"]) {
        one.removeAttribute(attribute);
      }
      name(one);
      one.onclick = one.onkeydown = one.onfocus = one.onblur = null;
      one.onpointerenter = one.onpointerleave = null;
    }
  }
}

/**
 * Make one element like another, without touching those of its parts that are alike.
 * @param {Element} old in the document
 * @param {Element} next whose parts may be taken
 */
function become(old, next) {
  if (old.isEqualNode(next)) return;
  const parts = [...old.children], wanted = [...next.children];
  if (old.tagName !== next.tagName || !wanted.length || parts.length !== wanted.length) {
    old.replaceWith(next);
    return;
  }
  for (const attribute of [...old.attributes]) {
    if (!next.hasAttribute(attribute.name)) old.removeAttribute(attribute.name);
  }
  for (const { name: key, value } of next.attributes) {
    if (old.getAttribute(key) !== value) old.setAttribute(key, value);
  }
  wanted.forEach((part, index) => become(parts[index], part));
}

/** Let a tile or space be hit where it is drawn, also while a mark makes its shape smaller. */
function target(/** @type {Element} */ element) {
  const whole = unseen(element.children[1]);
  whole.setAttribute("pointer-events", "fill");
  element.append(whole);
}

/** Let each tile of a display be hit in its quarter of it: a finger is wider than a tile on a phone. */
function quarters(/** @type {Element} */ display) {
  const tiles = display.querySelectorAll(".tile");
  if (tiles.length > 4) return; // only in a position that is not sound
  const [x, y, r] = ["cx", "cy", "r"].map((key) => Number(display.children[1].getAttribute(key)));
  tiles.forEach((tile, index) => {
    const [right, below] = [index % 2, Math.floor(index / 2)];
    tile.append(shape("rect", { class: "quarter", x: x - r + right * r, y: y - r + below * r,
      width: r, height: r, fill: "none", "pointer-events": "fill" }));
  });
}

/** @param {Element} drawn @returns {Element} one like it, without any colour */
function unseen(drawn) {
  const copy = /** @type {Element} */ (drawn.cloneNode());
  copy.setAttribute("fill", "none");
  copy.setAttribute("stroke", "none");
  return copy;
}

/** Give a tile or space a sentence as its title: whose, where, what. */
function entitle(/** @type {any} */ element) {
  const { at } = element.dataset;
  const title = element.querySelector("title");
  if (!at || !title) return;
  const seat = element.closest(".seat")?.dataset.seat;
  const words = title.textContent.startsWith(at) ? title.textContent.slice(at.length)
    : `: ${title.textContent}`;
  title.textContent = `${seat === undefined ? "" : `seat ${seat}, `}${placeName(at)}${words}`;
}

/** Let it be known what something is: a tile or space has a title, a place or a seat has a name here. */
function name(/** @type {any} */ element) {
  const { at, place } = element.dataset;
  if (at) {
    element.setAttribute("role", "img");
    return;
  }
  const seat = element.matches(".seat") && seatName(element);
  if (!place && !seat) return;
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", seat || placeName(place));
}

/** @param {Element} seat @returns {string} as 'seat 0, Ann, 11 points, to move', from its heading */
function seatName(seat) {
  const texts = [...seat.children].filter((one) => one.matches("text")).map((one) => one.textContent ?? "");
  const last = texts.findIndex((one) => / points?$/.test(one));
  return [...texts.slice(0, last + 1), ...seat.querySelector(".turn") ? ["to move"] : []].join(", ");
}

/** Put the description of the picture beside it, or it would be read out with all that has the focus. */
function tellInWords(/** @type {Element} */ picture) {
  const told = picture.querySelector("desc");
  const parts = (told?.textContent ?? "").split(/ (?=Seat [0-9])/);
  told?.remove();
  byId("in-words").replaceChildren(make("h2", { text: "Position in words" }),
    ...parts.flatMap((text, number) => [
      make("h3", { text: number ? `Seat ${text[5]}` : "Table" }), make("p", { text })]));
}

/** Return the middle of elements, in the coordinates of the picture. */
function middle(elements, picture) {
  const boxes = elements.map((/** @type {any} */ one) =>
    (one.children[1] ?? one).getBoundingClientRect()); // not of where it is hit
  const left = Math.min(...boxes.map((box) => box.left));
  const right = Math.max(...boxes.map((box) => box.right));
  const top = Math.min(...boxes.map((box) => box.top));
  const bottom = Math.max(...boxes.map((box) => box.bottom));
  return new DOMPoint((left + right) / 2, (top + bottom) / 2)
    .matrixTransform(picture.getScreenCTM().inverse());
}
