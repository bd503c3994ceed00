"use strict";
// Functions shared by all screens. The documents can be read without it.

const find = (selector, within = document) => within.querySelector(selector);
const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];
const page = document.body;
const screenName = page.className;
const isReadOnly = "readOnly" in page.dataset;
const textsOf = ({ dataset }) =>
  new Map(dataset.texts.split("\n").map((line) => line.split(/=(.*)/s)));
const texts = textsOf(page);
const localized = (name, value = "") => (texts.get(name) || "").replace("{0}", value);
const on = (target, type, act, options) => target && target.addEventListener(type, act, options);
const pause = (time) => new Promise((done) => setTimeout(done, time));

/** Sends a request; returns `{status, body}`, with status 0 without a response, -1 if aborted. */
async function request(method, address, body, headers = {}, more = {}) {
  const init = { method, headers, ...more };
  if (body !== undefined) {
    init.headers = { "Content-Type": "application/json", ...headers };
    init.body = typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body);
  }
  try {
    const answer = await fetch(address, init);
    const isJSON = (answer.headers.get("Content-Type") || "").startsWith("application/json");
    return { status: answer.status, body: isJSON ? await answer.json() : await answer.text() };
  } catch (error) {
    return { status: error.name === "AbortError" ? -1 : 0, body: {} };
  }
}
const reason = ({ status, body }) => (status && body.what) || localized("silent");
const failures = {};
/**
 * Loads a module that is seldom needed; `undefined` if the server does not respond. A browser asks only
 * once for an address that has failed.
 */
const load = (name) => import(page.dataset[name] + (failures[name] || "")).catch(() => {
  failures[name] = (failures[name] || "?") + "?";
  toast(localized("silent"));
});
/** Calls a function of such a module. */
const use = async (module, name, ...values) => (await load(module))?.[name](...values);
/** Replaces the `/e/` of an entry's address by another prefix. */
const addressWith = (prefix, href) => prefix + href.slice(3);

// ---- Dialogs and the toast

/** Opens a dialog; resolves to the value of the pressed button, or `""`. */
function openDialog(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) =>
    on(dialog, "close", () => done(dialog.returnValue), { once: true }));
}
on(document, "click", ({ target, clientX, clientY }) => {
  const dialog = target.closest("dialog");
  const button = target.closest("dialog button[value]");
  if (button) dialog.close(button.value);
  // A click on the backdrop has the dialog as target, outside of its box.
  else if (target === dialog && dialog.id !== "alert") {
    const box = dialog.getBoundingClientRect();
    if (clientY < box.top || clientY > box.bottom || clientX < box.left || clientX > box.right) dialog.close();
  }
});

on(document, "keydown", (event) => {
  if (event.key !== "?" || find("dialog[open]") || event.target.matches("input, textarea")) return;
  event.preventDefault();
  openDialog(find("#keys"));
});

function newButton(text, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  on(button, "click", act);
  return button;
}

/** Opens a sheet of choices `[name, text]`, by default the name's text; resolves to the name. */
async function choose(choices) {
  const sheet = find("#sheet");
  find(".choices", sheet).replaceChildren(...choices.map(([name, text = localized(name)]) =>
    Object.assign(newButton(text), { value: name, className: name })));
  const answer = await openDialog(sheet);
  return answer === "cancel" ? "" : answer;
}

async function confirmed(title, text, action) {
  const alert = find("#alert");
  find("h2", alert).textContent = title;
  find("p", alert).textContent = text;
  find(".delete", alert).textContent = action;
  const answer = openDialog(alert);
  find(".cancel", alert).focus();
  return (await answer) === "yes";
}

let toastEnd = 0;
function toast(text, undo, time = 10000) {
  const line = find("#toast");
  line.textContent = text;
  if (undo) line.append(Object.assign(newButton(localized("undo"), undo), { id: "undo" }));
  clearTimeout(toastEnd);
  toastEnd = setTimeout(() => line.replaceChildren(), time);
}

/** Shows a message above the text, with buttons `[text, act]`. */
const notice = (text, ...buttons) => showNotice(find("#notice"), text, buttons);
function showNotice(box, text, buttons) {
  box.hidden = !text;
  box.className = "card";
  const words = document.createElement("p");
  words.textContent = text || "";
  box.replaceChildren(words, ...buttons.map(([name, act]) =>
    newButton(name, () => { box.hidden = true; act(); })));
}

const share = (href) => use("share", "share", href);

// ---- What a screen tells the next one in its tab; nothing if storage is forbidden

function tell(name, value) {
  try { sessionStorage.setItem(name, JSON.stringify(value)); } catch { /* see above */ }
}
/** What was told, once. */
function told(name) {
  try {
    const value = sessionStorage.getItem(name);
    sessionStorage.removeItem(name);
    return JSON.parse(value);
  } catch { return null; }
}

if (screenName !== "list" && Date.now() - told("list") < 10000) {
  history.replaceState({ ...history.state, isBelowList: true }, "");
}
/** Marks, for the screen that opens now, that the list is before it in the history. */
const markList = () => tell("list", Date.now());
// In two panes: opens the next entry of the list. Returns false in one.
let openNext = () => false;
/** Goes back to the list, or opens it at the entry's row. */
function goToList() {
  if (openNext()) return;
  const { href } = page.dataset;
  if (history.state?.isBelowList) history.back();
  else location.href = href ? `/?at=${href.slice(3)}#at` : "/";
}
const isPlain = (event) => !event.ctrlKey && !event.metaKey && !event.shiftKey;

// ---- Events from the server, only while the page is visible

let events = null;
let program = null;
// True if the server stops with its last page: a hidden page then keeps its stream.
let isCounted = false;
/** Reloads the page if the server runs another program version, unless the user is typing. */
function checkProgram(event) {
  const { digest, counted } = JSON.parse(event.data);
  isCounted = counted;
  program ??= digest;
  if (digest !== program && !document.activeElement?.matches("input, textarea")) location.reload();
}
const listeners = [];
function hear(handlers) {
  for (const [name, act] of Object.entries(handlers)) {
    on(events, name, ({ data }) => act(JSON.parse(data || "{}")));
  }
}
function connect() {
  const isSeen = document.visibilityState === "visible";
  if (isSeen && !events) {
    events = new EventSource("/events");
    on(events, "program", checkProgram);
    on(events, "lock", () => use("lock", "letGo"));
    // After an error response, such as too many streams, the browser does not reconnect.
    on(events, "error", ({ target }) => {
      if (target !== events || target.readyState !== EventSource.CLOSED) return;
      events = null;
      setTimeout(connect, 10000);
    });
    listeners.forEach(hear);
  } else if (!isSeen && events && !isCounted) {
    events.close();
    events = null;
  }
}
function listen(handlers) {
  if (events) hear(handlers);
  if (listeners.push(handlers) > 1) return;
  on(document, "visibilitychange", connect);
  connect();
}

const clockTime = (time) => new Date(time).toLocaleTimeString(document.documentElement.lang,
  { hour: "numeric", minute: "2-digit" });
