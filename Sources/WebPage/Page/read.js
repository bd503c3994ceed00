"use strict";
// Reading: the entry as it reads. A tap into the text shows the fields, with the caret at that place.
// Requires wide.js and page.js; write.js is loaded after it.

const isReading = () => page.hasAttribute("data-reading");
const isFixed = () => page.hasAttribute("data-fixed");
const boxOf = (element) => element.getBoundingClientRect();
const topOf = (element) => boxOf(element).top;
const blocks = () => findAll("#reading [data-lines]");
/** The first and last line of a block in the body's field, from 1. Lines before it are the title's. */
const linesOf = (block) => block.dataset.lines.split(" ").map(Number);
// The version of the article, which is loaded again if it is not the one of the fields.
let shownVersion = page.dataset.version || null;
let isLoading = false;

// ---- From the article to the fields

const wordsIn = (text) => [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)];
/** Markdown with blanks for what the article does not show: comments, addresses, footnotes' names. */
const withoutHidden = (source) => source.replace(
  /<!--[^]*?-->|%%[^]*?%%|\]\([^)]*\)|\]\[[^\]]*\]|\[\^[^\]]*\]|!?\[\[[^\]|]*\|/g,
  (part) => " ".repeat(part.length));

/** The text of a block, and the place in it of a point of the document. */
function textAround(block, node, offset) {
  const point = document.createRange();
  if (block.contains(node)) point.setStart(node, offset); else point.selectNodeContents(block);
  if (!block.contains(node)) point.collapse(false);
  let [text, place] = ["", 0];
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let part = walker.nextNode(); part; part = walker.nextNode()) {
    const words = part.nodeType === Node.TEXT_NODE ? part.data : part.alt;
    if (words === undefined || part.parentElement.closest("sup, .back")) continue;
    if (part === node) place = text.length + offset;
    else if (part.nodeType === Node.TEXT_NODE && point.comparePoint(part, part.length) <= 0) {
      place = text.length + words.length;
    }
    // Words do not continue in another element: Markdown has signs between them.
    text += words + "\n";
  }
  return { text, place };
}

/** Where a line of the body's field starts. */
const startOfLine = (line) => ["", ...body.value.split("\n")].slice(0, line).join("\n").length;

/** The place `[field, caret]` of a point in a block: the same one of its equal words, if there is one. */
function placeInFields(block, node, offset) {
  const [first, last] = linesOf(block);
  const lines = body.value.split("\n").slice(Math.max(first, 1) - 1, Math.max(last, 0));
  const source = [...(first < 1 ? [title.value] : []), ...lines].join("\n");
  const start = first < 1 ? -title.value.length - 1 : startOfLine(first);
  const { text, place } = textAround(block, node, offset);
  const shown = wordsIn(text);
  const word = shown.findLast(({ index }) => index <= place) || shown[0];
  let caret = 0;
  if (word) {
    const isSame = (other) => other[0] === word[0];
    const same = wordsIn(block.localName === "pre" ? source : withoutHidden(source)).filter(isSame);
    const found = same[shown.slice(0, shown.indexOf(word)).filter(isSame).length] || same.at(-1);
    const inside = text.slice(word.index, Math.max(word.index, place));
    if (found) {
      caret = found.index
        + (source.startsWith(inside, found.index) ? inside.length : word[0].length);
    }
  }
  return start + caret < 0 ? [title, caret] : [body, start + caret];
}

/** The place `[field, caret]` of a tap. */
function placeOf({ target, clientX, clientY }) {
  if (target.closest("#reading header")) return [title, title.value.length];
  const all = blocks();
  const block = target.closest("[data-lines]") || all.findLast((each) => topOf(each) <= clientY) || all[0];
  if (!block || (block === all.at(-1) && clientY > boxOf(block).bottom)) {
    return [body, body.value.length];
  }
  const spot = document.caretPositionFromPoint
    ? document.caretPositionFromPoint(clientX, clientY)
    : document.caretRangeFromPoint(clientX, clientY);
  let [node, offset] = !spot ? [null, 0]
    : [spot.offsetNode || spot.startContainer, spot.offset ?? spot.startOffset];
  // At the edge of an element, WebKit names the text beside it.
  if (block.contains(target) && !target.contains(node)) {
    [node, offset] = [document.createTreeWalker(target, NodeFilter.SHOW_TEXT).nextNode(), 0];
  }
  return placeInFields(block, node, offset);
}

// ---- From reading to writing, and back

/** The bottom of a caret's line, from the top of the page. */
function caretBottom(field, caret) {
  const copy = document.createElement("div");
  const style = getComputedStyle(field);
  copy.className = "copy";
  for (const name of ["font", "letterSpacing", "wordBreak", "padding", "width"]) {
    copy.style[name] = style[name];
  }
  copy.textContent = field.value.slice(0, caret) + "x";
  document.body.append(copy);
  const height = copy.offsetHeight - parseFloat(style.paddingBottom);
  copy.remove();
  return topOf(field) + scrollY + height;
}

/** Shows the fields, with the caret's line at the height `y` of the screen. */
function edit([field, caret], y) {
  page.removeAttribute("data-reading");
  for (const each of Object.values(fields)) fitHeight(each);
  field.focus({ preventScroll: true });
  field.setSelectionRange(caret, caret);
  scrollTo(0, caretBottom(field, caret) - y - 10);
  showHolder();
}

/** Shows the fields at the end of the text if it is in view, otherwise at the first block in view. */
function editHere() {
  const bottom = boxOf(find("#reading").lastElementChild).bottom;
  if (bottom <= innerHeight) return edit([body, body.value.length], bottom);
  const bar = boxOf(find(".bar")).bottom;
  const first = blocks().find((block) => boxOf(block).bottom > bar);
  if (!first) return edit([body, body.value.length], bottom);
  edit(placeInFields(first, first, 0), Math.max(bar, topOf(first)) + 16);
}

/** Saves the text and shows the article, at the block of the caret. Unsaved text stays in its field. */
async function read() {
  const line = document.activeElement === title ? 0
    : body.value.slice(0, body.selectionEnd).split("\n").length;
  document.activeElement.blur();
  await save();
  if (!href || isOff || isGone || isDirty() || isBlank(now()) || !(await loadArticle())) return;
  // The user may have gone on writing.
  if (isDirty() || document.activeElement.matches("#title, #body")) return;
  page.setAttribute("data-reading", "");
  // Footnotes stand at the end, with the lines of their place.
  const block = blocks().filter((each) => linesOf(each)[0] <= line)
    .sort((one, other) => linesOf(other)[0] - linesOf(one)[0])[0] || find("#reading header");
  const box = boxOf(block);
  if (box.top < boxOf(find(".bar")).bottom || box.bottom > innerHeight) {
    block.scrollIntoView({ block: box.height < innerHeight / 2 ? "center" : "start" });
  }
}

// ---- The article

/** Replaces article and chips by the present ones, at the same place. Returns whether it could. */
async function loadArticle() {
  const loaded = await loadDocument(href);
  const article = loaded && find("#reading", loaded);
  if (!article) return false;
  const fresh = document.importNode(article, true);
  const old = find("#reading");
  // Pictures and players that are loaded already stay.
  for (const media of findAll("img, audio, video", fresh)) {
    const same = findAll(media.localName, old)
      .find((each) => each.getAttribute("src") === media.getAttribute("src"));
    if (same) media.replaceWith(same);
  }
  const seen = isReading() && scrollY > 0 && blocks().find((block) => topOf(block) >= 0);
  const [words, height] = seen ? [seen.textContent, topOf(seen)] : [];
  old.replaceWith(fresh);
  const { chip } = document.activeElement.dataset;
  find("#chips").replaceWith(document.importNode(find("#chips", loaded), true));
  if (chip) find(`[data-chip=${chip}]`).focus();
  shownVersion = loaded.body.dataset.version;
  find("h1").replaceChildren(...document.importNode(find("h1", loaded), true).childNodes);
  document.title = loaded.title;
  const same = seen && blocks().find((block) => block.textContent === words);
  if (same) scrollBy(0, topOf(same) - height);
  startTasks();
  return true;
}

/** Shows the version of the fields, after it has changed. Typing alone does not change the chips. */
async function refreshArticle(hasNewChips = false) {
  if (isLoading || !(hasNewChips || isReading())) return;
  isLoading = true;
  for (let round = 0; round < 3 && shownVersion !== version; round++) {
    if (!(await loadArticle())) break;
    // The article may be newer than the fields.
    if (shownVersion !== version) await lookAgain();
  }
  isLoading = false;
}

// ---- Tasks

function startTasks() {
  if (isFixed()) return;
  const boxes = findAll("#reading [role=checkbox]");
  // A task can also be ticked while the server is away.
  if (boxes.length) load("tasks");
  for (const box of boxes) {
    box.removeAttribute("aria-disabled");
    box.tabIndex = 0;
  }
}

// ---- Taps and keys

function startReading() {
  let down = null;
  on(document, "pointerdown", (event) => {
    const { clientX, clientY, target } = event;
    down = { clientX, clientY, isSelection: !getSelection().isCollapsed };
    // The field keeps the focus, and the keyboard.
    if (target.closest("#done, #chips button")) event.preventDefault();
  }, { capture: true });
  on(find("main"), "click", (event) => {
    const chip = event.target.closest("#chips button");
    if (chip) return use("chips", "open", chip);
    if (!isReading()) return;
    const box = event.target.closest("[role=checkbox]");
    if (box) return use("tasks", "tick", box);
    if (event.target.closest("a, button, img, audio, video, .card, #chips, #uploads")) return;
    if (!getSelection().isCollapsed || (down && (down.isSelection
      || Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > 5))) return;
    edit(placeOf(event), event.clientY);
  });
  on(find("#edit"), "click", editHere);
  on(find("#done"), "click", read);
  on(document, "keydown", (event) => {
    if (event.isComposing || find("dialog[open]")) return;
    const isPrint = (event.ctrlKey || event.metaKey) && event.key === "p";
    const box = event.target.closest("[role=checkbox]");
    if (isPrint && !isReading()) use("share", "printEntry");
    else if (!isReading() || event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === "e") editHere();
    else if (box && (event.key === " " || event.key === "Enter")) use("tasks", "tick", box);
    else return;
    event.preventDefault();
  });
  startTasks();
}
if (!isFixed()) startReading();
if (location.hash === "#print") on(window, "load", () => print());
