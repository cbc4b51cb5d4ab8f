/** Taking a position or a game elsewhere: copied, or saved as a file. */

import { button, byId, make } from "./dom.js";

const SAVED_MS = 40_000; // Safari reads the file some time after the click

/**
 * @param {{code: () => string, position: () => any,
 *   shown: (format: string, look?: Record<string, any>) => Promise<string>, record: () => Promise<any>, say: (text: string) => void}} page
 */
export function offerShare(page) {
  const copy = (/** @type {string} */ what, /** @type {() => Promise<string>|string} */ text) =>
    button(`Copy ${what}`, async () => {
      if (await copied(text(), what)) page.say(`Copied ${what}.`);
    });
  byId("share").append(
    copy("link", () => `${location.origin}/?position=${page.code()}`),
    copy("code", page.code),
    copy("text", () => page.shown("text")),
    copy("JSON", () => JSON.stringify(page.position())),
    copy("SVG", () => page.shown("svg")),
    button("Save picture", async () => download("position.svg",
      await page.shown("svg", { alone: true }), "image/svg+xml")),
    button("Save game", async () => {
      const record = await page.record();
      download(`${record.id}.jsonl`, `${JSON.stringify(record)}\n`, "application/json");
    }));
}

/**
 * Put a text on the clipboard; where the browser forbids that, show it to be copied by hand.
 * Safari allows it only within a click, so the clipboard waits for a text that is still to come.
 * @param {string|Promise<string>} text
 * @param {string} what
 * @returns {Promise<boolean>} whether it is on the clipboard
 */
export async function copied(text, what) {
  const blob = async () => new Blob([await text], { type: "text/plain" });
  try {
    if (typeof ClipboardItem === "undefined") await navigator.clipboard.writeText(await text);
    else await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob() })]);
    return true;
  } catch { /* no secure context, or not allowed */ }
  const field = make("textarea", { rows: 6, readonly: true, "aria-label": what });
  field.value = await text;
  const dialog = byId("dialog");
  dialog.replaceChildren(make("h2", { id: "dialog-title", text: `Copy ${what}` }), field,
    button("Close", () => dialog.close(), { class: "strong" }));
  dialog.showModal();
  field.select();
  return false;
}

/** @param {string} name @param {string} text @param {string} type */
function download(name, text, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_MS);
}
