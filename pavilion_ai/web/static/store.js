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

/** @param {string} name @returns {string|null} what this tab keeps, which a reload does not end */
export function storedHere(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} value for this tab alone; nothing: it is forgotten */
export function storeHere(name, value) {
  try {
    sessionStorage.setItem(name, value);
  } catch { /* the browser keeps nothing, or not as much */ }
}

/** @param {string} name @param {any} otherwise @returns {any} what was stored as JSON */
export function storedValue(name, otherwise) {
  try {
    return JSON.parse(stored(name) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}
