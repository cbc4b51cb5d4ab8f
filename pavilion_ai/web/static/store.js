/** What the browser keeps from one visit to the next, as far as it keeps anything. */

/** @param {string} name @returns {string|null} */
export function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} value */
export function store(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch { /* the browser keeps nothing */ }
}

/** @param {string} name @param {any} otherwise @returns {any} what was stored as JSON */
export function storedValue(name, otherwise) {
  try {
    return JSON.parse(stored(name) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}
