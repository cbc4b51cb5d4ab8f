/**
 * Making any position: the drawing to click on, and the JSON form below it, each field as something
 * to click on. Whether it is sound the engine says, after every change, and where it is not.
 */

import { aTile, button, byId, chip, entries, make, question, speak, spelled, tileName } from "./dom.js";
import { problemWords, showPasted, showProblems } from "./intake.js";
import { GAME_NAMES } from "./settings.js";
import { EMPTY, Sketchpad, written } from "./sketchpad.js";

const SEATS_OR_NONE = new Set(["to_move", "token", "next_to_move"]);
const CELLS = new Set(["stars", "wall"]);
const BAG = ["bag", "bag_size"];
const HEAPS = [...BAG, "tower", "lid"];
const NAMES = { to_move: "to move", start_seat: "started by", token: "token with",
  bonus_due: "bonus tiles due", bag_size: "tiles in the bag", next_to_move: "next to move" };
const MARKER = "*"; // the starting player marker on a floor line
const NOTHING = "-"; // no tiles
const HOW = "Choose a tile, then click where it goes; a click on one like it takes it away.";
const FEW = 16; // tiles that are shown one by one; more are counted
const PAUSE_MS = 120; // after a change, before the engine is asked

export class Editor {
  /**
   * @param {any} position JSON form, to begin with
   * @param {{board: import("./board.js").Board, colours: Record<string, string>,
   *   phases: Record<string, string[]>, fresh: (kind: any) => Promise<any>,
   *   read: (text: string) => Promise<any>, draw: (draft: any) => Promise<string>,
   *   done: (position: any) => void, cancel: () => Promise<void>, say: (text: string) => void}} page
   *   `colours` and `phases` are those of each game; `fresh` gives the first position of a kind, as
   *   `new` of the engine; `draw` draws what need not be sound
   */
  constructor(position, page) {
    this.page = page;
    this.draft = structuredClone(position);
    this.first = JSON.stringify(position);
    /** @type {{draft: any, remains: boolean}[]} */
    this.before = [];
    /** @type {{draft: any, remains: boolean}[]} */
    this.after = [];
    this.picked = this.colours[0];
    /** @type {Record<string, any>|null} the kind that is asked for */
    this.wanted = null;
    this.told = ""; // what was said last of the problems
    this.unsettled = false; // whether the bag is to be settled once the position is sound
    this.remains = make("input", { type: "checkbox", id: "edit-bag", checked: position.bag !== null,
      onchange: () => (this.remains.checked ? this.loosen() : this.settle()) });
    this.root = byId("editor");
    this.root.hidden = false;
    this.skip("#editor", "Skip to all fields");
    this.problems = byId("problems");
    this.home = this.problems.nextElementSibling;
    this.root.before(this.problems); // below the drawing, which keeps its place as they come and go
    page.board.frame.classList.add("editing");
    this.pad = new Sketchpad(page.board, { change: (edit) => this.change(edit),
      draft: () => this.draft, picked: () => this.picked });
    this.drawn = "";
    page.say(HOW);
    this.render();
  }

  /** @returns {string} letters of the tiles */
  get colours() {
    return this.page.colours[this.draft.game];
  }

  /** @returns {boolean} whether there is something to lose */
  get changed() {
    // As it is read, tiles are in order, and the bag holds what remains.
    return ![this.draft, this.sound].some((one) => JSON.stringify(one) === this.first);
  }

  /** Leave the position as it was; if something was changed, ask first, or take the question back. */
  cancel() {
    if (this.changed && byId("choice").querySelector(".question")) this.tools();
    else this.leave();
  }

  /** Leave the position as it was; if something was changed, ask first. @param {() => any} then */
  leave(then = () => {}) {
    const yes = async () => {
      await this.page.cancel(); // what comes then is not wiped off by what is shown
      then();
    };
    if (!this.changed) {
      yes();
      return;
    }
    const no = button("No", () => this.render());
    byId("choice").replaceChildren(question("Discard all changes?",
      button("Yes", yes, { class: "strong", id: "edit-discard" }), no));
    no.focus({ preventScroll: true });
  }

  /** Let the first link of the page lead past the board. */
  skip(/** @type {string} */ where, /** @type {string} */ text) {
    const link = /** @type {any} */ (document.querySelector(".skip"));
    link.href = where;
    link.textContent = text;
  }

  /**
   * Use the position as it stands, or say what is to be mended first.
   * @returns {Promise<boolean>} whether it is used
   */
  async use() {
    if (!this.changed) {
      this.page.cancel();
      return true;
    }
    clearTimeout(this.timer);
    if (!this.sound) await this.check();
    if (this.root.hidden) return true; // it was left meanwhile
    if (this.sound) this.page.done(this.sound);
    else {
      this.page.say(`It cannot be analysed as it stands. ${counted(this.wrong)}, listed below.`);
      byId("prompt").scrollIntoView({ block: "nearest" });
    }
    return this.sound !== null;
  }

  close() {
    clearTimeout(this.timer);
    this.root.hidden = true;
    this.skip("#moves", "Skip to the list of moves");
    this.page.board.frame.classList.remove("editing");
    this.root.replaceChildren();
    byId("choice").replaceChildren();
    showPasted(); // the list is for what was pasted, again
    this.home?.before(this.problems);
  }

  /**
   * Change the draft by a function, and look whether it is sound; what the bag holds is not changed
   * while it is worked out.
   * @param {() => void} edit
   * @param {string} typed place of the number that is being typed, if one is
   * @returns {boolean} whether something has changed
   */
  change(edit, typed = "") {
    const was = structuredClone(this.draft);
    edit();
    if (JSON.stringify(was) === JSON.stringify(this.draft)) return false;
    const { checked } = this.remains;
    if ((checked || this.unsettled) && BAG.some((key) => was[key] !== this.draft[key])) {
      this.draft = was;
      this.page.say(checked ? "The bag holds what remains of the tiles: untick that to change it."
        : "What the bag holds is worked out once there are no other problems.");
      return false;
    }
    if (checked) this.draft.bag = this.draft.bag_size = null; // what is found nowhere else
    if (!typed || typed !== this.typed) this.before.push(this.step(was));
    this.after = [];
    if (typed) this.type(typed);
    else this.render();
    return true;
  }

  /** Change the draft, and say so. @param {string} words @param {() => void} edit */
  tell(words, edit) {
    if (this.change(edit)) speak(words, true);
  }

  /** Show the draft while a number is typed: of the fields only the bag's are made anew. */
  type(/** @type {string} */ place) {
    this.typed = place;
    for (const key of BAG) {
      if (this.draft.bag === null && key !== place) {
        this.fieldAt(key)?.replaceWith(this.field(() => this.draft, key, this.draft[key], key));
      }
    }
    this.look();
  }

  /** Let the bag hold what remains, from now on. */
  loosen() {
    this.unsettled = false;
    this.remains.checked = false; // as it was before, for Undo
    this.change(() => { this.draft.bag = this.draft.bag_size = null; });
    this.remains.checked = true;
    this.render();
  }

  /** Let the bag hold what remains now, or once that is known, if it is not to change any more. */
  settle() {
    const { sound } = this;
    const wanted = !this.remains.checked && this.draft.bag === null;
    this.unsettled = wanted && !sound;
    if (!wanted || !sound) return;
    this.change(() => {
      for (const key of HEAPS) if (key in this.draft) this.draft[key] = sound[key];
    });
  }

  /** Begin with the first position of another kind. @param {Record<string, any>} kind what differs */
  async begin(kind) {
    const { game, board, seats } = this.draft;
    const wanted = { game, board, players: seats.length, ...this.wanted, ...kind };
    this.wanted = wanted;
    let late = false;
    const position = await this.page.fresh(wanted).finally(() => {
      late = this.wanted !== wanted; // more was chosen meanwhile
      if (!late) this.wanted = null;
    });
    if (late || this.root.hidden) return;
    this.before.push(this.step(this.draft));
    this.after = [];
    this.draft = position;
    this.unsettled = false;
    this.remains.checked = true;
    this.render();
    speak(`${GAME_NAMES[position.game]}, ${position.seats.length} players`, true);
  }

  /** Take all tiles from the displays and the centre. */
  emptyTable() {
    this.tell("displays emptied", () => {
      this.draft.displays = this.draft.displays.map(() => NOTHING);
      this.draft.centre = NOTHING;
    });
  }

  /** Take all tiles from the boards; the starting player marker stays. */
  emptyBoards() {
    this.tell("boards emptied", () => {
      for (const seat of this.draft.seats) {
        for (const [key, value] of Object.entries(seat)) {
          if (typeof value === "string") {
            seat[key] = spelled(value).includes(MARKER) ? MARKER : NOTHING;
          } else if (typeof value === "object") {
            for (const part of Object.keys(value)) {
              value[part] = CELLS.has(key) ? EMPTY.repeat(value[part].length) : NOTHING;
            }
          }
        }
      }
    });
  }

  /** @param {any} draft @returns a draft to come back to, and whether its bag holds what remains */
  step(draft) {
    return { draft, remains: this.remains.checked || BAG.every((key) => draft[key] === null) };
  }

  undo() {
    this.go(this.before, this.after, "undone");
  }

  redo() {
    this.go(this.after, this.before, "done again");
  }

  /**
   * @param {{draft: any, remains: boolean}[]} steps of which the last one is shown again
   * @param {{draft: any, remains: boolean}[]} others where the way back is kept
   * @param {string} words what is said of it
   */
  go(steps, others, words) {
    const last = steps.pop();
    if (last === undefined) return;
    others.push(this.step(this.draft));
    this.draft = last.draft;
    this.remains.checked = last.remains;
    this.render();
    speak(words, true);
  }

  /** @param {string} letter of the tile to place, or the sign of none */
  pick(letter) {
    this.picked = letter;
    this.tools();
    this.pad.bind(); // what can be clicked says which tile it puts
    this.pad.mark(this.wrong);
    speak(`${letter === EMPTY ? "no tile" : tileName(letter)} chosen`);
  }

  /** @param {string} key @returns {boolean} whether it means something here */
  means(key) {
    return ["u", ".", "Escape"].includes(key) || this.colours.includes(key.toUpperCase());
  }

  /** @param {string} key that was pressed */
  key(key) {
    const letter = key.toUpperCase();
    if (this.colours.includes(letter)) this.pick(letter);
    else if (key === "u") this.undo();
    else if (key === ".") this.pick(EMPTY);
    else if (key === "Escape") this.cancel();
  }

  /** Show the tiles to choose from and what can be done, above the drawing. */
  tools() {
    const palette = [...this.colours, EMPTY].map((letter) => {
      const one = button(letter === EMPTY ? "none" : "", () => this.pick(letter),
        { class: "pile", "aria-pressed": String(this.picked === letter), "data-pick": letter,
          "aria-label": letter === EMPTY ? "no tile" : tileName(letter) });
      if (letter !== EMPTY) one.append(chip(letter));
      return one;
    });
    this.accept = button("Use this position", () => this.page.done(this.sound),
      { class: "strong", id: "edit-done", disabled: !this.sound });
    renew(byId("choice"),
      make("div", { class: "row" },
        make("div", { class: "piles", role: "group", "aria-label": "Tile to place" }, ...palette),
        button("Empty displays", () => this.emptyTable(), { class: "quiet", id: "edit-empty-table",
          title: "Take all tiles from the displays and the centre" }),
        button("Empty boards", () => this.emptyBoards(), { class: "quiet", id: "edit-empty-boards",
          title: "Take all tiles from boards and hands" })),
      make("p", { class: "row" }, this.accept,
        button("Undo", () => this.undo(), { disabled: !this.before.length, id: "edit-undo" }),
        button("Redo", () => this.redo(), { disabled: !this.after.length, id: "edit-redo" }),
        button("Cancel", () => this.cancel(), { class: "quiet", id: "edit-cancel" }),
        make("label", { class: "inline" }, this.remains, " The bag holds what remains")));
  }

  render() {
    this.typed = "";
    const { seats, ...table } = this.draft;
    if (this.picked !== EMPTY && !this.colours.includes(this.picked)) [this.picked] = this.colours;
    renew(this.root,
      make("h2", { text: "All fields" }),
      make("fieldset", {}, make("legend", { text: "Table" }), ...this.kind(),
        ...this.fields(table, "")),
      ...seats.map((seat, number) => make("fieldset", {}, make("legend", { text: `Seat ${number}` }),
        ...this.fields(seat, `seats[${number}]`))));
    this.look();
  }

  /** Show the draft on the drawing, and have it looked at. */
  look() {
    this.sound = null;
    this.tools();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), PAUSE_MS);
    this.sketch();
  }

  /** Draw the draft, and let the drawing be clicked. */
  async sketch() {
    const asked = JSON.stringify(this.draft);
    let svg = "";
    try {
      svg = await this.page.draw(this.draft);
    } catch { /* it cannot be drawn as it stands: the last drawing stays */ }
    if (this.root.hidden || asked !== JSON.stringify(this.draft) || !svg) return;
    const focus = this.focused();
    this.page.board.draw(svg);
    this.pad.bind();
    this.pad.mark(this.wrong);
    focus?.();
  }

  /** @returns {(() => void)|null} puts the focus back to where it is on the drawing */
  focused() {
    const { picture } = this.page.board;
    const active = /** @type {any} */ (document.activeElement);
    if (!picture?.contains(active)) return null;
    const all = [...picture.querySelectorAll(".clickable")];
    const index = all.indexOf(active);
    return () => /** @type {any} */ (this.page.board.picture?.querySelectorAll(".clickable")[index])
      ?.focus({ preventScroll: true });
  }

  /** @type {string[]} places of the problems */
  wrong = [];

  /** Ask the engine what is wrong. */
  async check() {
    const asked = JSON.stringify(this.draft);
    const answer = await this.page.read(asked);
    if (this.root.hidden || asked !== JSON.stringify(this.draft)) return;
    const problems = (answer.problems ?? []).map((one) => (SEATS_OR_NONE.has(one.place)
      ? { ...one, message: one.message.replaceAll("null", "nobody") } : one));
    showProblems(problems, (place) => this.goTo(place));
    this.wrong = problems.map((problem) => problem.place);
    this.root.querySelectorAll(".wrong").forEach((one) => {
      one.classList.remove("wrong");
      one.removeAttribute("title");
    });
    for (const problem of problems) {
      const place = this.fieldAt(problem.place);
      place?.classList.add("wrong");
      place?.setAttribute("title", problem.message);
    }
    this.pad.mark(this.wrong);
    this.sound = answer.positions?.[0] ?? null;
    this.accept.disabled = !this.sound;
    if (this.unsettled) this.settle();
    this.told = problems.length ? `${counted(problems)}: ${problemWords(problems[0])}`
      : HOW;
    this.page.say(this.told);
  }

  /** @param {string} place of the JSON form @returns {Element|null} its field, or one around it */
  fieldAt(place) {
    for (let name = place; name; name = name.replace(/[.[][^.[]*$|^[^.[]*$/, "")) {
      const found = this.root.querySelector(`[data-field="${CSS.escape(name)}"]`);
      if (found) return found;
    }
    return null;
  }

  /** @param {string} place of a problem, to be looked at */
  goTo(place) {
    const shown = this.pad.elementsOf(place)[0] ?? this.fieldAt(place);
    shown?.scrollIntoView({ block: "center" });
    /** @type {any} */ (shown?.querySelector?.("[tabindex], input, select, button") ?? shown)
      ?.focus?.({ preventScroll: true });
  }

  /** Make the fields whose change begins another position. */
  kind() {
    const { game, seats } = this.draft;
    const field = (/** @type {string} */ key, /** @type {string[][]} */ options,
      /** @type {string} */ value, /** @type {(found: string) => any} */ kindOf) =>
      make("label", { class: "field", "data-field": key }, make("span", { text: key }),
        select(options, value, key, (/** @type {string} */ found) => this.begin(kindOf(found))));
    return [field("game", Object.keys(this.page.colours).map((one) => [one, GAME_NAMES[one] ?? one]), game,
      (found) => ({ game: found })),
    field("players", ["2", "3", "4"].map((one) => [one, one]), String(seats.length),
      (found) => ({ players: Number(found) }))];
  }

  /** Make the fields of an object. */
  fields(holder, where) {
    return Object.entries(holder).flatMap(([key, value]) => {
      const place = where ? `${where}.${key}` : key;
      const target = where ? () => this.draft.seats[Number(/[0-9]+/.exec(where))] : () => this.draft;
      if (key === "game") return [];
      if (CELLS.has(key)) {
        return Object.keys(value).map((name) => this.cells(() => target()[key], name,
          Array.isArray(value) ? `${place}[${name}]` : `${place}.${name}`,
          Array.isArray(value) ? `row ${Number(name) + 1}` : `star ${name}`));
      }
      if (Array.isArray(value)) {
        return value.map((_, number) => this.tiles(() => target()[key], number,
          `${place}[${number}]`, `${key.replace(/s$/, "")} ${number + 1}`));
      }
      return [this.field(target, key, value, place)];
    });
  }

  /** Make a field that holds one value. */
  field(target, key, value, place) {
    const set = (/** @type {any} */ found, typed = "") =>
      this.change(() => { target()[key] = found; }, typed);
    const title = NAMES[key] ?? key.replace("_", " ");
    const row = (/** @type {any} */ input) => make("label", { class: "field", "data-field": place },
      make("span", { text: title }), input);
    if (SEATS_OR_NONE.has(key) || key === "start_seat") {
      const options = [...this.draft.seats.keys()].map((seat) => [String(seat), `seat ${seat}`]);
      if (key !== "start_seat") options.unshift(["", "nobody"]);
      return row(select(options, value === null ? "" : String(value), place,
        (found) => set(found === "" ? null : Number(found))));
    }
    if (key === "phase" || key === "board") {
      const options = key === "phase" ? this.page.phases[this.draft.game] : ["coloured", "grey"];
      return row(select(options.map((one) => [one, one]), value, place, (found) => this.change(() => {
        target()[key] = found;
        if (key !== "phase") return;
        if (found === "supply" && "supply" in this.draft) this.draft.next_to_move ??= this.draft.to_move;
        else delete this.draft.next_to_move; // no other phase has it
      })));
    }
    if (typeof value === "boolean") {
      return row(make("input", { type: "checkbox", checked: value, "data-place": place,
        onchange: (event) => set(event.target.checked) }));
    }
    if (typeof value === "number" || key === "bag_size") {
      // As it is typed: what is clicked next would be made anew between press and release.
      return row(make("input", { type: "number", value: value ?? "", "data-place": place,
        oninput: ({ target: { value: text } }) => {
          if (text !== "" || key === "bag_size") set(text === "" ? null : Number(text), place);
        },
        onchange: (event) => {
          this.typed = "";
          event.target.value = target()[key] ?? ""; // also what was emptied
        } }));
    }
    return this.tiles(target, key, place, title);
  }

  /** Make a field that holds tiles: chips to take away, and a place to put more. */
  tiles(holder, key, place, title) {
    const letters = spelled(holder()[key]);
    const floor = key === "floor";
    const put = (/** @type {string[]} */ found, /** @type {string} */ words) =>
      this.tell(`Done: ${words}`, () => { holder()[key] = written(found, key); });
    const row = make("div", { class: "field", "data-field": place },
      make("span", { text: title }));
    const many = letters.length > FEW;
    letters.forEach((letter, index) => {
      if (many && letters.indexOf(letter) !== index) return;
      const words = `take ${aTile(letter)} away from ${title}`;
      const one = button("", () => put(letters.filter((_, other) => other !== index), words), {
        class: "bare", "aria-label": words, "data-place": `${place}-${index}` });
      one.append(chip(letter));
      const count = letters.filter((other) => other === letter).length;
      if (many && count > 1) one.append(` ×${count} `);
      row.append(one);
    });
    if (holder()[key] === null) row.append(make("em", {
      text: this.remains.checked || this.unsettled ? "what remains " : "not known " }));
    const adding = (/** @type {string} */ letter) =>
      put([...letters, letter], `add ${aTile(letter)} to ${title}`);
    const add = () => this.picked !== EMPTY && adding(this.picked);
    row.append(button("+", add, { class: "add", "data-place": place,
      "aria-label": `add the chosen tile to ${title}` }));
    if (floor && !letters.includes(MARKER)) {
      row.append(button("+ marker", () => adding(MARKER), { class: "add",
        "data-place": `${place}-marker` }));
    }
    return row;
  }

  /** Make a row of spaces that hold a tile each. */
  cells(holder, key, place, title) {
    const letters = [...holder()[key]];
    const row = make("div", { class: "field", "data-field": place }, make("span", { text: title }));
    letters.forEach((letter, index) => {
      const words = (/** @type {string} */ lies) =>
        `${title}, space ${index + 1}: ${lies === EMPTY ? "empty" : tileName(lies)}`;
      const one = button(letter === EMPTY ? String(index + 1) : "", () => {
        const put = letter === this.picked ? EMPTY : this.picked;
        this.tell(words(put), () => {
          holder()[key] = letters.map((lies, other) => other === index ? put : lies).join("");
        });
      }, { class: "bare cell", "data-place": `${place}-${index}`, "aria-label": words(letter) });
      if (letter !== EMPTY) one.append(chip(letter));
      row.append(one);
    });
    return row;
  }
}

/**
 * Make a part of the page anew; what has the focus there keeps it, else what puts more into its
 * field, or the way back.
 * @param {HTMLElement} part
 * @param {...Node} children
 */
function renew(part, ...children) {
  const had = /** @type {any} */ (document.activeElement);
  const inside = part.contains(had);
  part.replaceChildren(...children);
  if (!inside) return;
  const { id, dataset: { pick, place } } = had;
  const named = (/** @type {string} */ key, /** @type {string} */ value) =>
    `[data-${key}="${CSS.escape(value)}"]`;
  const wanted = [id && `#${id}`, pick && named("pick", pick), place && named("place", place),
    place && named("place", place.replace(/-[^-]*$/, "")), "#edit-undo", "#edit-redo"];
  wanted.map((one) => one && /** @type {any} */ (part.querySelector(`${one}:enabled`)))
    .find(Boolean)?.focus({ preventScroll: true });
}

/** @param {any[]} problems @returns {string} how many there are */
function counted({ length }) {
  return length === 1 ? "One problem" : `${length} problems`;
}

/** @param {string[][]} options @param {string} value @param {string} place @param {Function} set */
function select(options, value, place, set) {
  const field = make("select", { "data-place": place,
    onchange: (/** @type {any} */ event) => set(event.target.value) },
  ...entries(options));
  field.value = value;
  return field;
}
