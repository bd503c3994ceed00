"use strict";
// Functions shared by all screens. The documents can be read without it.

const find = (selector, within = document) => within.querySelector(selector);
const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];
const page = document.body;
const screenName = page.className;
const isReadOnly = "readOnly" in page.dataset;
const texts = new Map((page.dataset.texts || "").split("\n").map((line) => line.split(/=(.*)/s)));
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
/** Replaces the `/e/` of an entry's address by another prefix. */
const addressWith = (prefix, href) => prefix + href.slice(3);

const letGo = async (_, connect) => (await load("lock"))?.letGo(connect);

// ---- Dialogs and the toast

/** Opens a dialog; resolves to the value of the pressed button, or `""`. */
function openDialog(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) =>
    on(dialog, "close", () => done(dialog.returnValue), { once: true }));
}
for (const dialog of findAll("dialog")) {
  on(dialog, "click", (event) => {
    const button = event.target.closest("button[value]");
    if (button) dialog.close(button.value);
    // A click on the backdrop has the dialog as target, outside of its box.
    else if (event.target === dialog && dialog.id !== "alert") {
      const box = dialog.getBoundingClientRect();
      if (event.clientY < box.top || event.clientY > box.bottom || event.clientX < box.left
        || event.clientX > box.right) dialog.close();
    }
  });
}

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
function notice(text, ...buttons) {
  const box = find("#notice");
  box.hidden = !text;
  box.className = "card";
  const words = document.createElement("p");
  words.textContent = text || "";
  box.replaceChildren(words, ...buttons.map(([name, act]) =>
    newButton(name, () => { box.hidden = true; act(); })));
}

// ---- Sharing and deleting

const share = async (href) => (await load("share"))?.share(href);

/** Asks for confirmation and deletes; resolves to the undo id, or `null` if nothing was deleted. */
async function deleteEntry(href) {
  const isSure = await confirmed(localized("really"), localized("deleteThis"), localized("delete"));
  if (!isSure) return null;
  const answer = await request("DELETE", addressWith("/api/entries/", href), undefined,
    { "If-Match": "*" });
  if (answer.status === 200) return answer.body.undo;
  toast(reason(answer));
  return null;
}

/** Keeps an undo that the list offers next; if storage is forbidden, it is not offered. */
function keepUndo(undo) {
  try { sessionStorage.setItem("undo", JSON.stringify(undo)); } catch { /* see above */ }
}

// ---- The way back to the list

try {
  if (screenName !== "list" && Date.now() - sessionStorage.getItem("list") < 10000) {
    history.replaceState({ ...history.state, isBelowList: true }, "");
  }
  sessionStorage.removeItem("list");
} catch { /* a link leads back */ }
/** Marks, for the screen that opens now, that the list is before it in the history. */
function markList() {
  try { sessionStorage.setItem("list", Date.now()); } catch { /* a link leads back */ }
}
/** Goes back to the list, or opens it at the entry's row. */
function goToList() {
  const { href } = page.dataset;
  if (history.state && history.state.isBelowList) history.back();
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
function listen(handlers) {
  const turn = () => {
    const isSeen = document.visibilityState === "visible";
    if (isSeen && !events) {
      events = new EventSource("/events");
      on(events, "program", checkProgram);
      // After an error response, such as too many streams, the browser does not reconnect.
      on(events, "error", ({ target }) => {
        if (target !== events || target.readyState !== EventSource.CLOSED) return;
        events = null;
        setTimeout(turn, 10000);
      });
      for (const [name, act] of Object.entries(handlers)) {
        on(events, name, (event) => act(event.data ? JSON.parse(event.data) : {}, turn));
      }
    } else if (!isSeen && events && !isCounted) {
      events.close();
      events = null;
    }
  };
  on(document, "visibilitychange", turn);
  turn();
}

const clockTime = (time) => new Date(time).toLocaleTimeString(document.documentElement.lang,
  { hour: "numeric", minute: "2-digit" });
