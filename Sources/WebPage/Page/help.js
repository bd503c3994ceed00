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

/** Replaces a range and selects `from` to `to`, both counted from its start. */
function editRange(field, start, end, text, from = text.length, to = from) {
  field.setSelectionRange(start, end);
  // Deprecated, but the only way that preserves the browser's undo.
  if (!document.execCommand(text ? "insertText" : "delete", false, text)) {
    field.setRangeText(text, start, end, "end");
    edited();
  }
  field.setSelectionRange(start + from, start + to);
}

const marker = /^((?:> ?)*)(\s*)(?:([-*+])|(\d{1,3})([.)]))(\s+)(\[[ xX]\]\s+)?/;

/** The prefix of a line that continues this one; `null` if it is neither an item nor a quote. */
function continuation(line) {
  const [prefix, quote, indentation, bullet, number, sign, gap, box] = line.match(marker) || [];
  if (prefix) {
    const next = bullet || Number(number) + 1 + sign;
    return { prefix, next: quote + indentation + next + gap + (box ? "[ ] " : "") };
  }
  const [quotes] = line.match(/^(?:> ?)+/) || [];
  return quotes ? { prefix: quotes, next: quotes } : null;
}

/** Enter in an item or quote begins the next one; in an empty one it ends the list. */
function continueLine(field) {
  const { value, selectionStart: place, selectionEnd } = field;
  if (place !== selectionEnd || isInCode(value, place)) return false;
  const start = value.lastIndexOf("\n", place - 1) + 1;
  const line = value.slice(start).split("\n", 1)[0];
  const found = continuation(line);
  // A break inside of the marker itself is an ordinary one.
  if (!found || place - start < found.prefix.length) return false;
  if (line.trim() === found.prefix.trim()) {
    const [, quote, indentation] = line.match(marker) || [];
    // An empty item in another one goes one level up first.
    if (indentation) return moveItem(field, -1);
    editRange(field, start, start + line.length, quote && line !== quote ? quote : "");
  } else editRange(field, place, place, "\n" + found.next);
  return true;
}

/** The width of the marker of the item above, which is one step of indentation for the next. */
function stepAbove(text, start) {
  const [above] = text.slice(0, Math.max(0, start - 1)).split("\n").slice(-1);
  const [, , indentation = "", bullet, number, sign] = above.match(marker) || [];
  return { step: bullet ? 2 : number ? (number + sign).length + 1 : 2, indentation };
}

/** Indents the items of the selection by one step, or moves them back. */
function moveItem(field, direction) {
  const { value, selectionStart, selectionEnd } = field;
  const { start, end } = selectedLines(field);
  const lines = value.slice(start, end).split("\n");
  if (!marker.test(lines[0]) || isInCode(value, start)) return false;
  const { step } = stepAbove(value, start);
  const moved = lines.map((line) => {
    if (!line.trim()) return line;
    const [quote] = line.match(/^(?:> ?)*/);
    const rest = line.slice(quote.length);
    if (direction > 0) return quote + " ".repeat(step) + rest;
    return quote + rest.replace(new RegExp(`^(\t| {1,${step}})`), "");
  });
  const text = moved.join("\n");
  if (text === value.slice(start, end)) return direction > 0;
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
  on(body, "keydown", (event) => {
    if (event.isComposing || isComposing || event.keyCode === 229 || event.altKey) return;
    const isPlain = !event.ctrlKey && !event.metaKey;
    const act = { b: () => mark(body, "**"), i: () => mark(body, "*"), k: () => markLink(body) }[event.key];
    let isDone = false;
    if (event.key === "Enter" && isPlain && !event.shiftKey) isDone = continueLine(body);
    // Outside of a list, Tab goes to the next control, as everywhere.
    else if (event.key === "Tab" && isPlain) isDone = moveItem(body, event.shiftKey ? -1 : 1);
    else if (!isPlain && !event.shiftKey && act) { act(); isDone = true; }
    if (isDone) event.preventDefault();
  });
}
