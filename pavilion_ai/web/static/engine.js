/** The engine behind the page: requests and answers over one socket, tied by their id. */

/** What the engine refused, in its words. */
export class Refusal extends Error {
  /** @param {string} message @param {string} field */
  constructor(message, field) {
    super(message);
    this.field = field;
  }
}

/**
 * @typedef {object} Query
 * @property {Promise<any>} answer the last answer
 * @property {() => void} stop ends it; it is answered with what it has
 */

/**
 * Say whether a search runs, or waits for others.
 * @param {any} answer an interim one
 * @param {string} doing what it does, if it runs
 * @returns {string}
 */
export function stage({ waiting = null }, doing) {
  return `${waiting === null ? doing
    : "Waiting for other searches to end (an analysis in another tab? Press Stop there)"} …`;
}

/** What is said of a move whose search was cut short twice. */
export const CUT = "Your move could not be judged, as another page waits for the engine: play it again.";

/**
 * Ask for a search whose effort counts; one that makes way for another page is asked for once more.
 * @param {{query: Engine["query"]}} engine
 * @param {string} action
 * @param {Record<string, any>} fields
 * @param {(answer: any) => void} interim as for `query`
 * @returns {Query}
 */
export function whole(engine, action, fields, interim) {
  let query = engine.query(action, fields, interim);
  let stopped = false;
  const answer = query.answer.then((first) => {
    if (!first.made_way || stopped) return first;
    query = engine.query(action, fields, interim);
    return query.answer;
  });
  return { answer, stop: () => {
    stopped = true;
    query.stop();
  } };
}

const GONE = "The engine is not there. Is pavilion web still running?";
const RETRY_MS = 1000;
const TRY_AGAIN_LATER = 1013; // why a socket is closed for which there is no room

export class Engine {
  /**
   * @param {(open: boolean, words: string) => void} onChange told when the engine comes and goes,
   *   and in words what is wrong
   */
  constructor(onChange) {
    this.onChange = onChange;
    this.next = 1;
    /** @type {Map<number, {resolve: Function, reject: Function, interim?: Function, size: number}>} */
    this.pending = new Map();
    this.there = true; // until it is found not to be
    this.words = GONE; // what is wrong, or was last
    this.connect();
  }

  connect() {
    this.opened = new Promise((resolve) => {
      const scheme = location.protocol === "https:" ? "wss" : "ws";
      this.socket = new WebSocket(`${scheme}://${location.host}/engine`);
      this.socket.onopen = () => {
        resolve(undefined);
        this.ask("hello").catch(() => {}); // it may be closed at once: only an answer counts
      };
      this.socket.onmessage = (event) => this.receive(JSON.parse(event.data));
      this.socket.onclose = ({ code, reason }) => {
        resolve(undefined); // what waits for it is refused
        this.lost(code === TRY_AGAIN_LATER ? reason : "");
      };
    });
  }

  /** @param {string} reason why it cannot serve the page, if it told */
  lost(reason) {
    const words = reason ? `The engine cannot serve this page: ${reason}.` : GONE;
    for (const query of this.pending.values()) {
      query.reject(new Refusal(words, ""));
    }
    this.pending.clear();
    // Later than what the refused requests lead to: it says more than they do.
    if (this.there || words !== this.words) setTimeout(() => this.onChange(false, words));
    this.there = false;
    this.words = words;
    setTimeout(() => this.connect(), RETRY_MS);
  }

  /** @param {any} answer */
  receive(answer) {
    if (!this.there) {
      this.there = true;
      this.onChange(true, "");
    }
    const id = answer.id ?? this.longest;
    const query = this.pending.get(id);
    if (!query) return;
    if (answer.final === false) {
      query.interim?.(answer);
      return;
    }
    this.pending.delete(id);
    if (answer.error !== undefined) query.reject(new Refusal(answer.error, answer.field));
    else query.resolve(answer);
  }

  /** @returns {number|undefined} the longest request: what is refused without an id was too much */
  get longest() {
    const [first] = [...this.pending].sort(([, one], [, other]) => other.size - one.size);
    return first?.[0];
  }

  /**
   * Ask for something that is answered at once.
   * @param {string} action
   * @param {Record<string, any>} fields
   * @returns {Promise<any>}
   */
  ask(action, fields = {}) {
    return this.query(action, fields).answer;
  }

  /**
   * Ask for something that takes time.
   * @param {string} action
   * @param {Record<string, any>} fields
   * @param {(answer: any) => void} [interim] told of answers that are not the last one
   * @returns {Query}
   */
  query(action, fields = {}, interim = undefined) {
    const id = this.next++;
    let stopped = false;
    const answer = this.opened.then(() => new Promise((resolve, reject) => {
      if (stopped || this.socket.readyState !== WebSocket.OPEN) {
        reject(new Refusal(stopped ? "stopped" : this.words, ""));
        return;
      }
      const text = JSON.stringify({ ...fields, id, action });
      this.pending.set(id, { resolve, reject, interim, size: text.length });
      this.socket.send(text);
    }));
    const stop = () => {
      stopped = true;
      if (this.pending.has(id)) this.ask("stop", { target: id }).catch(() => {});
    };
    return { answer, stop };
  }
}
