"use strict";
// Help while writing: lists and quotes go on, Tab moves items, and marks for bold and the like.
// Every edit goes through the browser's own editing, so that its undo takes it back. Loaded before
// write.js, whose fields it edits.

/** The lines that the selection touches, from the first one's start to the last one's end. */
function selectedLines(field) {
  const { value, selectionStart: from, selectionEnd: to } = field;
  const start = value.lastIndexOf("\n", from - 1) + 1;
  // A selection that ends at the start of a line does not touch that line.
  const last = to > from && value[to - 1] === "\n" ? to - 1 : to;
  const end = value.indexOf("\n", last);
  return { start, end: end < 0 ? value.length : end };
}
/** Whether a place is in a fenced code block, where nothing is a list. */
function isInCode(text, place) {
  let fence = "";
  for (const line of text.slice(0, place).split("\n").slice(0, -1)) {
    const [, mark] = line.match(/^ {0,3}(`{3,}|~{3,})/) || [];
    if (!fence) fence = mark || "";
    else if (mark && mark.startsWith(fence) && !line.trim().slice(mark.length)) fence = "";
  }
  return fence !== "";
}

/** Replaces a range as typing does. Deprecated, but the only way that preserves the browser's undo. */
function typeOver(field, start, end, text) {
  field.setSelectionRange(start, end);
  return document.execCommand(text ? "insertText" : "delete", false, text);
}
/** Replaces a range and selects `from` to `to`, both counted from its start. */
function editRange(field, start, end, text, from = text.length, to = from) {
  if (!typeOver(field, start, end, text)) {
    field.setRangeText(text, start, end, "end");
    edited();
  }
  field.setSelectionRange(start + from, start + to);
}

const marker = /^((?:> ?)*)(\s*)([-*+]|\d{1,3}[.)])(\s+)(\[[ xX]\]\s+)?/;
/** The parts of a line that is an item of a list; `null` for another, such as a rule of stars. */
const itemOf = (line) => /^[> ]*([-*_])(\s*\1){2,}\s*$/.test(line) ? null : line.match(marker);

/** Enter in an item or quote begins the next one; in an empty one it ends the list. */
function continueLine(field) {
  const { value, selectionStart: place, selectionEnd } = field;
  if (place !== selectionEnd || isInCode(value, place)) return false;
  const start = value.lastIndexOf("\n", place - 1) + 1;
  const line = value.slice(start).split("\n", 1)[0];
  const item = itemOf(line);
  const [prefix] = item || line.match(/^(?:> ?)+/) || [];
  // A break inside of the marker itself is an ordinary one.
  if (!prefix || place - start < prefix.length) return false;
  if (line.trim() === prefix.trim()) {
    // An empty item in another one goes one level up first.
    if (item && item[2]) return moveItem(field, -1);
    editRange(field, start, start + line.length, item ? item[1] : "");
    return true;
  }
  const [, quote, indentation, mark, gap, box] = item || [];
  const next = item && /\d/.test(mark) ? Number.parseInt(mark, 10) + 1 + mark.slice(-1) : mark;
  editRange(field, place, place,
    "\n" + (item ? quote + indentation + next + gap + (box ? "[ ] " : "") : prefix));
  return true;
}

/** The indentation of an item one level further in or out; `null` if there is no such level. */
function indentationBeside(text, start, [, quote, indentation], direction) {
  for (const line of text.slice(0, start).split("\n").slice(0, -1).reverse()) {
    const [prefix, otherQuote, other, mark, gap] = itemOf(line) || [];
    const isOfList = prefix && otherQuote.trim() === quote.trim();
    // A line at the margin that is no item ends the list.
    if (!isOfList && /^[^\s>]/.test(line)) break;
    if (!isOfList) continue;
    if (direction < 0 && other.length < indentation.length) return other;
    if (direction > 0 && other.length === indentation.length) {
      return " ".repeat((other + mark + gap).length);
    }
    if (direction > 0 && other.length < indentation.length) break;
  }
  return direction < 0 && indentation ? "" : null;
}

/** Moves the items of the selection below the item above, or back. */
function moveItem(field, direction) {
  const { value, selectionStart, selectionEnd } = field;
  const { start, end } = selectedLines(field);
  const lines = value.slice(start, end).split("\n");
  const item = itemOf(lines[0]);
  if (!item || isInCode(value, start)) return false;
  const indentation = indentationBeside(value, start, item, direction);
  if (indentation === null) return false;
  const step = indentation.length - item[2].length;
  const moved = lines.map((line, index) => {
    const [quote] = line.match(/^(?:> ?)*/);
    let rest = line.slice(quote.length);
    // Only 1 can begin a list below a paragraph.
    if (!index && step > 0) rest = rest.replace(/^(\s*)\d+/, "$11");
    if (!rest.trim()) return line;
    return quote + (step > 0 ? " ".repeat(step) + rest : rest.replace(RegExp(`^\\s{1,${-step}}`), ""));
  });
  const text = moved.join("\n");
  const shift = moved[0].length - lines[0].length;
  const from = Math.max(0, selectionStart - start + shift);
  const to = selectionStart === selectionEnd ? from : text.length - (end - selectionEnd);
  editRange(field, start, end, text, from, Math.max(from, to));
  return true;
}

/** Puts marks around the selection, or takes them away. */
function mark(field, sign) {
  const { value, selectionStart, selectionEnd } = field;
  const selected = value.slice(selectionStart, selectionEnd);
  // Marks around nothing but blanks, or around several paragraphs, would be text.
  if ((selected && !selected.trim()) || /\n\s*\n/.test(selected.trim())) return;
  // Marks beside a blank would mark nothing.
  const start = selected.trim() ? selectionEnd - selected.trimStart().length : selectionStart;
  const words = selected.trim() || selected;
  const end = start + words.length;
  const isAround = value.slice(start - sign.length, start) === sign && value.startsWith(sign, end)
    // Two stars are not one star in stars.
    && (sign !== "*" || value[start - 2] !== "*" || value.slice(start - 3, start) === "***");
  if (isAround) editRange(field, start - sign.length, end + sign.length, words, 0, words.length);
  else editRange(field, start, end, sign + words + sign, sign.length, sign.length + words.length);
}

/** Makes a link of the selection, with the caret where its address goes. */
function markLink(field) {
  const { value, selectionStart: start, selectionEnd: end } = field;
  const words = value.slice(start, end);
  if (/^https?:\S+$/.test(words)) return editRange(field, start, end, `[](${words})`, 1);
  editRange(field, start, end, `[${words}]()`, words ? words.length + 3 : 1);
}

function startHelp() {
  if (matchMedia("(pointer: coarse)").matches) on(body, "focus", () => load("bar"), { once: true });
  on(body, "keydown", (event) => {
    if (event.isComposing || isComposing || event.keyCode === 229 || event.altKey) return;
    const isPlain = !event.ctrlKey && !event.metaKey;
    // On a Mac, keys with Ctrl move the caret.
    const isCommand = navigator.platform.startsWith("Mac") ? event.metaKey : event.ctrlKey;
    const act = { b: () => mark(body, "**"), i: () => mark(body, "*"), k: () => markLink(body) }[event.key];
    let isDone = false;
    if (event.key === "Enter" && isPlain && !event.shiftKey) isDone = continueLine(body);
    // Outside of a list, Tab goes to the next control, as everywhere.
    else if (event.key === "Tab" && isPlain) isDone = moveItem(body, event.shiftKey ? -1 : 1);
    else if (isCommand && !event.shiftKey && act) { act(); isDone = true; }
    if (isDone) event.preventDefault();
  });
}
