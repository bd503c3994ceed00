"use strict";
// The writing screen: saves automatically, shows where the text is saved, and merges changes from
// elsewhere.

const title = find("#title");
const body = find("#body");
const fields = { title, body };

let href = page.dataset.href || null;
let version = page.dataset.version || null;
// The text that the server has acknowledged last, with the version `version`.
let base = { title: title.defaultValue, body: body.defaultValue };
let creation = crypto.randomUUID();
// Tell which of two texts is the later one.
let pageID = crypto.randomUUID();
let sendings = 0;
let isNew = !href;
// The template of a new entry, whose text is in the fields; empty for the usual one.
let { template } = page.dataset;
let isOff = false;
// True if the entry was deleted elsewhere: the text is kept, and not saved until the user decides.
let isGone = false;
let isSaving = null;
let isComposing = false;
// The time of the first unsaved edit, in milliseconds; 0 if everything is saved.
let editedAt = 0;
let retry = 3000;
const timers = {};

const now = () => ({ title: title.value, body: body.value });
const same = (one, other) => one.title === other.title && one.body === other.body;
const isBlank = (text) => !(text.title + text.body).trim();
// True as soon as the user has changed the text. Nothing else is ever sent: a browser that returns
// to the page, reloads or restores it may fill the fields with the text of an older version.
// A field that has the focus before this script runs may contain typed text.
let isTouched = document.activeElement.matches("#title, #body") && !same(now(), base);
const isDirty = () => isTouched && !same(now(), base);
const draftKey = () => "draft:" + pageID;
// The drafts of this entry, or of new ones.
const ownKeys = () => draftKeys().filter((key) => (readDraft(key)?.href || null) === href);
/** Removes text that a browser has put into the fields, before the user changes them. */
function discardRestored() {
  if (isTouched) return;
  for (const [name, field] of Object.entries(fields)) {
    if (field.value !== base[name]) field.value = base[name];
    fitHeight(field);
  }
}

const statusLine = find("#status");
const state = () => statusLine.dataset.state;
function showState(name, text = localized(name)) {
  if (state() === name && statusLine.textContent === text) return;
  statusLine.dataset.state = name;
  statusLine.textContent = text;
}
let words = "";
function showSaved() {
  // The style shows the words: a screen reader tells only the state.
  statusLine.dataset.words = words;
  showState("saved", localized("saved", clockTime(Date.now())));
}
function later(name, time, act) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(act, time);
}
function stopTimers() {
  for (const name in timers) {
    clearTimeout(timers[name]);
    timers[name] = 0;
  }
}

// ---- The draft

// Ends the offer of offer.js if a text has its words; true if so.
let withdraw = () => false;

function writeDraft() {
  clearTimeout(timers.draft);
  timers.draft = 0;
  if (isOff || !isDirty()) return;
  keepDraft(draftKey(),
    { ...now(), version, base, href, creation, template, pageID, sendings, at: Date.now() });
}

// ---- Saving

function edited() {
  isTouched = true;
  if (isOff || !isDirty()) return;
  if (isGone) return writeDraft();
  if (!editedAt) editedAt = Date.now();
  if (!["unsaved", "waiting", "signed-out", "deleted"].includes(state())) {
    showState("edited");
  }
  if (!timers.draft) timers.draft = setTimeout(writeDraft, 250);
  // After one second without typing, or ten seconds in all.
  later("save", Math.max(0, Math.min(1000, editedAt + 10000 - Date.now())), save);
}

/**
 * Saves unsaved text, one save at a time; resolves when no save is running. For files, a new entry is
 * saved without text, too.
 */
async function save({ keepalive = false, leaving = false, hasFiles = false } = {}) {
  if (isOff || isGone) return;
  if (isSaving && !keepalive) { await isSaving; return save({ hasFiles }); }
  const sent = now();
  // An old entry that is emptied is handled on leaving; nothing is deleted here.
  const isNeeded = isDirty() && (!isBlank(sent) || (isNew && href));
  if (!isNeeded && (href || !hasFiles)) return;
  // Composition defers a save, but not indefinitely.
  if (isComposing && !keepalive && Date.now() - editedAt < 10000) return later("save", 500, save);
  clearTimeout(timers.save);
  editedAt = 0;
  showState("saving");
  isSaving = send(sent, { keepalive, leaving, hasFiles }).then((answer) => applyAnswer(answer, sent));
  await isSaving.finally(() => { isSaving = null; });
  if (isDirty() && ["saved", "merged", "edited"].includes(state())) edited();
}

const entryAddress = (more = "") => addressWith("/api/entries/", href) + more;
function send(sent, { keepalive, leaving, hasFiles }) {
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  const words = JSON.stringify(
    { ...sent, leaving, hasFiles, template, zone, page: pageID, number: ++sendings });
  // A browser sends at most 64 kB after a page is closed.
  const more = { keepalive: keepalive && words.length * 3 < 60000, signal: AbortSignal.timeout(20000) };
  return href
    ? request("PUT", entryAddress(), words, { "If-Match": `"${version}"` }, more)
    : request("POST", "/api/entries", words, { "Idempotency-Key": creation }, more);
}

function applyAnswer(answer, sent) {
  const { status, body: said } = answer;
  if (isOff) return;
  if (status === 200 || status === 201) {
    retry = 3000;
    if (status === 201 || said.moved) setAddress(said.moved || said.href);
    if (status === 201) {
      document.title = find("h1").textContent = said.dateText;
      isTouched = true;
    }
    const result = said.text;
    // A result that cannot be applied now is merged again, from the old version.
    if (result && !apply(sent, result)) return edited();
    [version, words] = [said.version, said.words];
    base = result || sent;
    if (isDirty()) writeDraft(); else keepDraft(draftKey(), null);
    refreshArticle(status === 201 || said.text || said.moved);
    const isOwn = withdraw(base);
    if (said.keptBoth) showState("merged", localized("both"));
    else if (said.text && status === 200 && !isOwn) showState("merged");
    else showSaved();
    return;
  }
  writeDraft();
  if (status === 423) {
    showState("waiting", localized("waiting", said.heldBy || "editor"));
    later("retry", 10000, save);
  } else if (status === 401) {
    showState("signed-out", localized("signedOut"));
  } else if (status === 410 || (status === 404 && href)) {
    deletedElsewhere();
  } else if (status === 409 && said.entry) {
    later("retry", retry, save);
    return use("offer", "keepBoth", said.entry, sent);
  } else {
    showState("unsaved", localized("unsaved", reason(answer)));
    later("retry", retry, save);
    retry = Math.min(60000, retry * 2);
  }
}

/** Goes on at another address of the entry. Its drafts, which may wait for the user, go along. */
function setAddress(address) {
  for (const key of href ? ownKeys() : []) keepDraft(key, { ...readDraft(key), href: address });
  href = page.dataset.href = address;
  history.replaceState(history.state, "", href);
}

function deletedElsewhere() {
  if (isGone && !find("#notice").hidden) return;
  isGone = true;
  showState("deleted", localized("goneShort"));
  stopTimers();
  use("offer", "offerAgain");
}

// ---- Changes from elsewhere

/** Reads the entry from the server again, as it may have changed. */
async function lookAgain() {
  if (isOff || !href || isSaving) return;
  if (isDirty() && !isGone) return save();
  const answer = await request("GET", entryAddress());
  if (answer.status === 404 || answer.status === 410) return deletedElsewhere();
  if (answer.status !== 200) return;
  if (isGone) {
    // It was brought back.
    isGone = false;
    notice();
    showSaved();
    edited();
  }
  if (isDirty() || isSaving) return;
  if (answer.body.href !== href) setAddress(answer.body.href);
  if (answer.body.version !== version) accept(answer.body);
}
/** Takes the present text, next to typing. If it overlaps, the next save merges it. */
function accept(entry) {
  // A save from now on replaces no earlier one.
  keepDraft(draftKey(), null);
  pageID = crypto.randomUUID();
  const fresh = { title: entry.editableTitle, body: entry.body };
  // The server removes blanks at the ends, which the user may be typing.
  const isOther = fresh.title !== base.title.trim() || fresh.body.trimEnd() !== base.body.trimEnd();
  if (isOther) {
    if (!apply(base, fresh)) return;
    base = fresh;
    const isOwn = withdraw(fresh);
    if (!isReading() && !isDirty()) isOwn ? showSaved() : showState("merged");
  }
  version = entry.version;
  refreshArticle(true);
}

// ---- Leaving

/** Opens another screen, or the list without an address. */
async function leave(address, isDropped = false, isReplaced = false) {
  if (underWay && !isDropped && !(await confirmed(localized("adding"), localized("leaveFiles"),
    localized("leave")))) return;
  if (!isDropped && !isFixed()) {
    if (href && !isNew && isBlank(now()) && !isBlank(base)) return use("rows", "deleteThis");
    await Promise.race([save(), pause(1500)]);
    // A draft is offered the next time the entry is opened.
    if (isDirty() && (!keepsText || ["unsaved", "signed-out", "deleted"].includes(state()))
      && !(await confirmed(statusLine.textContent, localized("leaveText"), localized("leave")))) return;
    if (href && isTouched && !isDirty()) {
      const left = await Promise.race([request("POST", entryAddress("/left")), pause(1000)]);
      if (left?.body.href) setAddress(left.body.href);
    }
  }
  writeDraft();
  isOff = true;
  stopTimers();
  if (isDropped) keepDraft(draftKey(), null);
  if (!address) goToList();
  else if (isReplaced) {
    if (history.state?.isBelowList) markList();
    location.replace(address);
  } else location.href = address;
}

/** Sends unsaved text when the page is hidden or closed. */
function depart(leaving) {
  if (isOff || isFixed()) return;
  writeDraft();
  // A new entry for files may be created at this moment; it vanishes as it is left.
  const hasFiles = leaving && isSaving && !href;
  if (isDirty() || hasFiles) save({ keepalive: true, leaving, hasFiles });
  else if (leaving && href && isTouched) {
    request("POST", entryAddress("/left"), undefined, {}, { keepalive: true });
  }
}

// ---- Files

// The number of files that have not arrived. No draft holds them.
let underWay = 0;
const isAddable = ({ type }) => /^(image|audio|video)\/|^application\/pdf$/.test(type);

/** Adds files at the caret, or while reading at the end. */
async function addFiles(files) {
  const text = body.value;
  const place = isReading() ? text.length : body.selectionEnd;
  const all = [...files];
  underWay += all.length;
  const uploads = await load("uploads");
  if (uploads) uploads.add(all, place, text); else underWay -= all.length;
}
function insert(field, start, text) {
  replace(field, { start, end: start, text });
  edited();
}

// ---- The fields

function fitHeight(field) {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = field.scrollHeight + "px";
}
/** The height in pixels of an on-screen keyboard that covers the page. */
function keyboardInset(height, viewport) {
  return Math.max(0, Math.round(height - viewport.height - viewport.offsetTop));
}

function startWriting() {
  for (const field of Object.values(fields)) {
    on(field, "input", (event) => {
      fitHeight(field);
      if (field === title && title.value.includes("\n") && !event.isComposing) {
        // Text after a line end goes to the body.
        const [first, ...rest] = title.value.split("\n");
        title.value = first;
        if (rest.join("")) insert(body, 0, rest.join("\n") + "\n");
        body.focus();
      }
      edited();
    });
    on(field, "compositionstart", () => { isComposing = true; });
    on(field, "compositionend", () => { isComposing = false; edited(); });
    on(field, "blur", () => { isComposing = false; save(); });
    on(field, "paste", (event) => {
      const files = [...event.clipboardData.files];
      if (files.some(isAddable)) {
        event.preventDefault();
        addFiles(files);
      }
    });
  }
  on(title, "keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    body.focus();
    body.setSelectionRange(0, 0);
  });
  on(document, "keydown", async (event) => {
    if (event.isComposing || find("dialog[open]")) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      await save();
      if (!isDirty() && words && !isGone) showSaved();
    } else if (event.key === "Escape") {
      if (isReading() || document.activeElement === document.body) leave(); else read();
    }
  });

  on(find("#back"), "click", (event) => {
    if (!isPlain(event)) return;
    event.preventDefault();
    leave();
  });
  // A template takes the empty entry's place, also for the way back.
  on(find("#templates"), "click", (event) => {
    const link = event.target.closest("a");
    if (!link || !isPlain(event)) return;
    event.preventDefault();
    leave(link.href, false, true);
  });
  on(find("#picture"), "change", ({ target }) => {
    addFiles(target.files);
    target.value = "";
  });
  const main = find("main");
  on(document, "dragover", (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    main.classList.add("dropping");
  });
  on(document, "dragleave", () => main.classList.remove("dropping"));
  on(document, "drop", (event) => {
    main.classList.remove("dropping");
    const { files } = event.dataTransfer;
    if (!files.length) return;
    event.preventDefault();
    addFiles(files);
  });

  on(document, "visibilitychange", () => {
    clearTimeout(timers.hidden);
    if (document.visibilityState === "visible") return lookAgain();
    depart(false);
    later("hidden", 300000, () => depart(!underWay));
  });
  on(window, "pagehide", () => { if (keepsText) tell("page", pageID); depart(true); });
  on(window, "pageshow", (event) => {
    if (!event.persisted) discardRestored();
    // A page that was left has stopped saving; all its words are sent or in its draft.
    else if (isOff) location.reload();
    else {
      // WebKit never settles a save that was under way; a reload may go on as this page.
      isSaving = null;
      if (keepsText && told("page") !== pageID) pageID = crypto.randomUUID();
      lookAgain();
    }
  });
  for (const change of ["online", "focus"]) on(window, change, () => save());
  on(window, "beforeunload", (event) => {
    const isHeld = underWay || (isDirty() && (!keepsText || state() === "unsaved"));
    if (!isOff && isHeld) event.preventDefault();
  });
  const inset = () => document.documentElement.style.setProperty(
    "--keyboard", keyboardInset(innerHeight, visualViewport) + "px");
  for (const change of ["resize", "scroll"]) on(window.visualViewport, change, inset);
}

discardRestored();
// Read-only entries have it, too.
on(find("#more"), "click", () => use("rows", "openEntryMenu"));
if (!isFixed()) {
  startWriting();
  startHelp();
  if (draftKeys().length) use("offer", "offer");
  const { caret } = page.dataset;
  if (caret) {
    body.focus();
    body.setSelectionRange(caret, caret);
  } else if (isNew) title.focus(); else if (!isReading()) body.focus();
  if (isTouched) edited();
}
/** Tells which program has the entry open, as then no text is saved. */
function showHolder() {
  if (page.dataset.held) showState("waiting", localized("waiting", page.dataset.held));
}
if (!isReading()) showHolder();
/** True for this entry's path, in which bytes that are not UTF-8 are U+FFFD. */
const isMine = (path) => href
  && new URLSearchParams("=" + href.slice(3).replaceAll("+", "%2B")).get("") === path;
listen({
  rows: ({ all, changed = [], gone = [], moved = {} }) => {
    const to = Object.keys(moved).find(isMine);
    if (to) { setAddress("/e/" + moved[to].split("/").map(encodeURIComponent).join("/")); return lookAgain(); }
    // Unsaved typing is merged by its own save.
    if ((isGone || !isDirty()) && (all || changed.some(isMine) || gone.some(isMine))) lookAgain();
  },
  saved: ({ path, version: other }) => {
    if (!isDirty() && isMine(path) && other !== version) lookAgain();
  },
  held: ({ path, by }) => { if (isMine(path) && !by) save(); },
  open: lookAgain,
});
