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

const RETRY_MS = 1000;

export class Engine {
  /** @param {(open: boolean) => void} onChange told when the engine comes and goes */
  constructor(onChange) {
    this.onChange = onChange;
    this.next = 1;
    /** @type {Map<number, {resolve: Function, reject: Function, interim?: Function}>} */
    this.pending = new Map();
    this.there = true; // until it is found not to be
    this.connect();
  }

  connect() {
    this.opened = new Promise((resolve) => {
      const scheme = location.protocol === "https:" ? "wss" : "ws";
      this.socket = new WebSocket(`${scheme}://${location.host}/engine`);
      this.socket.onopen = () => {
        this.there = true;
        this.onChange(true);
        resolve(undefined);
      };
      this.socket.onmessage = (event) => this.receive(JSON.parse(event.data));
      this.socket.onclose = () => {
        resolve(undefined); // what waits for it is refused
        this.lost();
      };
    });
  }

  lost() {
    for (const query of this.pending.values()) {
      query.reject(new Refusal("the engine is not there", ""));
    }
    this.pending.clear();
    if (this.there) this.onChange(false);
    this.there = false;
    setTimeout(() => this.connect(), RETRY_MS);
  }

  /** @param {any} answer */
  receive(answer) {
    const query = this.pending.get(answer.id);
    if (!query) return;
    if (answer.final === false) {
      query.interim?.(answer);
      return;
    }
    this.pending.delete(answer.id);
    if (answer.error !== undefined) query.reject(new Refusal(answer.error, answer.field));
    else query.resolve(answer);
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
        reject(new Refusal(stopped ? "stopped" : "the engine is not there", ""));
        return;
      }
      this.pending.set(id, { resolve, reject, interim });
      this.socket.send(JSON.stringify({ ...fields, id, action }));
    }));
    const stop = () => {
      stopped = true;
      if (this.pending.has(id)) this.ask("stop", { target: id }).catch(() => {});
    };
    return { answer, stop };
  }
}
