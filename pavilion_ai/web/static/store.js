/** What the browser keeps from one visit to the next, as far as it keeps anything. */

/** @returns {Storage} of the browser; where it keeps nothing, asking for it fails */
const ofBrowser = () => localStorage;
/** @returns {Storage} of this tab, which a reload does not end */
export const ofTab = () => sessionStorage;

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
