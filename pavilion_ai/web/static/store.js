/** What the browser keeps from one visit to the next, as far as it keeps anything. */

/** @returns {Storage} of the browser; where it keeps nothing, asking for it fails */
const ofBrowser = () => localStorage;
/** @returns {Storage} of this tab, which a reload does not end */
const ofTab = () => sessionStorage;

/** @param {string} name @param {() => Storage} storage @returns {string|null} */
export function stored(name, storage = ofBrowser) {
  try {
    return storage().getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} value @param {() => Storage} storage */
export function store(name, value, storage = ofBrowser) {
  try {
    storage().setItem(name, value);
  } catch { /* the browser keeps nothing, or not as much */ }
}

/** @param {string} name @returns {string|null} what this tab keeps */
export function storedHere(name) {
  return stored(name, ofTab);
}

/** @param {string} name @param {string} value for this tab alone; nothing: it is forgotten */
export function storeHere(name, value) {
  store(name, value, ofTab);
}

/**
 * @param {string} name
 * @param {any} otherwise
 * @param {() => Storage} storage
 * @returns {any} what was stored as JSON
 */
export function storedValue(name, otherwise, storage = ofBrowser) {
  try {
    return JSON.parse(stored(name, storage) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** @param {string} name @param {any} otherwise @returns {any} what this tab keeps as JSON */
export function storedValueHere(name, otherwise) {
  return storedValue(name, otherwise, ofTab);
}
