"use strict";
// Drafts: text that no response has acknowledged, kept in the browser.

const keepsText = true;
const draftKeys = () => {
  try { return Object.keys(localStorage).filter((key) => key.startsWith("draft:")); }
  catch { return []; }
};
function readDraft(key) {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}
function keepDraft(key, draft) {
  // Storage may be full or forbidden (a private window); then only the save protects the text.
  try {
    if (draft) localStorage.setItem(key, JSON.stringify(draft)); else localStorage.removeItem(key);
  } catch { /* see above */ }
}
/** True if the text contains each line of a draft. */
function hasWords(text, draft) {
  const lines = new Set((text.title + "\n" + text.body).split("\n").map((line) => line.trim()));
  return (draft.title + "\n" + draft.body).split("\n")
    .every((line) => !line.trim() || lines.has(line.trim()));
}
