// Letting go of a journal that will be locked or encrypted. page.js loads this module when the server asks
// for it. Unsaved text is sent before, and stays in the field until the journal is unlocked.

/** Sends the last text, and closes the stream, by which the server knows that it may let go. */
export async function letGo() {
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
    // A journal that was plain until now is encrypted: the browser must keep nothing of it from here on.
    if (keepsText && (screenName !== "write" || !isDirty())) location.reload();
  };
  setTimeout(goOn, 1000);
}
