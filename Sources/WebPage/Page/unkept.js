"use strict";
// In the place of drafts.js for a journal that can be locked: the browser keeps no text of it. Unsaved
// text is sent before the journal is locked, and stays in the field until it is unlocked.

const keepsText = false;
const draftKeys = () => [];
const readDraft = () => null;
const keepDraft = () => {};

/** Sends the last text, and closes the stream, by which the server knows that it may let go. */
async function letGo(connect) {
  const silent = localized("silent");
  texts.set("silent", localized("locked"));
  toast(localized("locked"), null, 2 ** 31 - 1);
  if (screenName === "write") {
    await isSaving;
    await save({ keepalive: true });
  }
  events.close();
  events = null;
  const goOn = () => {
    connect();
    if (!events || events.readyState !== EventSource.OPEN) return setTimeout(goOn, 1000);
    texts.set("silent", silent);
    toast("");
  };
  setTimeout(goOn, 1000);
}
