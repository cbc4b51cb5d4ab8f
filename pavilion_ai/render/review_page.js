"use strict";
/* The page of a review: one list of decisions per game, with a board beside it to step through. */

const DATA = JSON.parse(document.getElementById("pictures").textContent);
const MARKED = "data-mark";

class Viewer {
  constructor(root) {
    this.root = root;
    this.list = root.querySelector(".list");
    this.pane = root.querySelector(".pane");
    this.rows = [...this.list.querySelectorAll("tr[id]")];
    this.now = null;
    this.build(root.dataset.seats.split("\n"));
    for (const row of this.rows) {
      row.addEventListener("click", (event) => {
        if (!event.target.closest("summary, details")) this.show(row);
      });
    }
  }

  /* Make the buttons and filters, and show the first decision. */
  build(seats) {
    const button = (text, title, action) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = text;
      made.title = title;
      made.addEventListener("click", () => { active = this; action(); });
      return made;
    };
    const select = (label, options) => {
      const made = document.createElement("select");
      made.setAttribute("aria-label", label);
      for (const [value, text] of options) made.append(new Option(text, value));
      made.addEventListener("change", () => { active = this; this.filter(); });
      return made;
    };
    this.back = button("\u2190", "one move back (left arrow)", () => this.step(-1));
    this.on = button("\u2192", "one move on (right arrow)", () => this.step(1));
    this.before = button("\u2190 mistake", "mistake before (p)", () => this.step(-1, MARKED));
    this.next = button("mistake \u2192", "next mistake (n)", () => this.step(1, MARKED));
    this.seat = select("moves of", [["", "all players"],
      ...seats.map((name, seat) => [String(seat), name])]);
    this.mark = select("marks", [["", "all moves"], ["?!", "?! and worse"], ["?", "? and worse"],
      ["??", "?? only"]]);
    const phases = [...new Set(this.rows.map((row) => row.dataset.phase))];
    this.phase = select("phase", [["", "all phases"], ...phases.map((phase) => [phase, phase])]);
    const tools = document.createElement("div");
    tools.className = "tools";
    tools.append(this.back, this.on, this.before, this.next, this.seat, this.mark, this.phase);
    this.said = document.createElement("div");
    this.said.className = "said";
    this.said.setAttribute("aria-live", "polite");
    this.board = document.createElement("div");
    this.board.className = "board";
    const head = document.createElement("div");
    head.className = "head";
    head.append(tools, this.said);
    this.pane.append(head, this.board);
    const asked = document.getElementById(location.hash.slice(1));
    this.show(this.rows.includes(asked) ? asked : this.rows[0], false);
  }

  get shown() { return this.rows.filter((row) => !row.hidden); }

  /* Hide the moves that the filters leave out; what unfolds below a move goes with it. */
  filter() {
    const worst = ["??", "?", "?!"];
    const marks = this.mark.value ? worst.slice(0, worst.indexOf(this.mark.value) + 1) : null;
    for (const row of this.rows) {
      const { seat, phase, mark } = row.dataset;
      row.hidden = Boolean((this.seat.value && seat !== this.seat.value)
        || (this.phase.value && phase !== this.phase.value)
        || (marks && !marks.includes(mark)));
      const below = row.nextElementSibling;
      if (below && below.classList.contains("more")) below.hidden = row.hidden;
    }
    const all = !this.seat.value && !this.phase.value && !marks;
    this.list.querySelectorAll(".draw").forEach((draw) => { draw.hidden = !all; });
    if (this.now.hidden && this.shown.length) this.show(this.shown[0]);
    this.enable();
  }

  /* Go some moves on among those shown, or to the next one that has an attribute. */
  step(by, attribute = "") {
    const row = this.found(by, attribute);
    if (row) this.show(row);
  }

  found(by, attribute) {
    const at = this.rows.indexOf(this.now);
    const rest = by > 0 ? this.rows.slice(at + 1) : this.rows.slice(0, at).reverse();
    return rest.find((row) => !row.hidden && (!attribute || row.getAttribute(attribute)));
  }

  enable() {
    this.back.disabled = !this.found(-1, "");
    this.on.disabled = !this.found(1, "");
    this.before.disabled = !this.found(-1, MARKED);
    this.next.disabled = !this.found(1, MARKED);
  }

  show(row, scroll = true) {
    if (this.now) {
      this.now.classList.remove("now");
      this.now.removeAttribute("aria-current");
    }
    active = this;
    this.now = row;
    row.classList.add("now");
    row.setAttribute("aria-current", "true");
    this.said.textContent = row.dataset.said;
    const picture = DATA.pictures[row.id];
    this.board.replaceChildren(picture ? drawn(picture) : "no picture of this move in this file");
    if (scroll) this.reveal();
    this.enable();
  }

  /* Bring the board and the row into view; on narrow screens the list stays where it is. */
  reveal() {
    const pane = this.pane.getBoundingClientRect();
    if (pane.top > innerHeight / 2 || pane.bottom < 100) this.root.scrollIntoView();
    const list = this.list;
    if (list.scrollHeight <= list.clientHeight) return;
    const [inner, outer] = [this.now.getBoundingClientRect(), list.getBoundingClientRect()];
    if (inner.top < outer.top + 40) list.scrollTop += inner.top - outer.top - 40;
    if (inner.bottom > outer.bottom - 40) list.scrollTop += inner.bottom - outer.bottom + 40;
  }
}

/* Put a picture together from the pieces that pictures share. */
function drawn(ranges) {
  let text = "";
  for (const range of ranges.split(",")) {
    const [first, last = first] = range.split("-").map(Number);
    for (let piece = first; piece <= last; piece += 1) text += DATA.pieces[piece];
  }
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  return document.importNode(parsed.documentElement, true);
}

let active = null;
document.documentElement.classList.add("scripted");
const viewers = [...document.querySelectorAll(".viewer")].map((root) => new Viewer(root));
active = viewers.find((one) => `#${one.now.id}` === location.hash) ?? viewers[0];

window.addEventListener("hashchange", () => {
  const id = location.hash.slice(1);
  for (const one of viewers) {
    const row = one.rows.find((found) => found.id === id);
    if (row) one.show(row);
  }
});

/* On paper everything is unfolded. */
let folded = [];
window.addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  folded.forEach((one) => { one.open = true; });
});
window.addEventListener("afterprint", () => folded.forEach((one) => { one.open = false; }));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !active) return;
  if (event.target.closest("select, input, textarea")) return;
  const steps = { ArrowRight: [1], ArrowDown: [1], ArrowLeft: [-1], ArrowUp: [-1],
    n: [1, MARKED], p: [-1, MARKED] };
  const rows = active.shown;
  if (steps[event.key]) active.step(...steps[event.key]);
  else if (event.key === "Home" && rows.length) active.show(rows[0]);
  else if (event.key === "End" && rows.length) active.show(rows[rows.length - 1]);
  else return;
  event.preventDefault();
});
