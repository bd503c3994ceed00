"use strict";
// Applying changes from elsewhere to the fields of write.js, beside typing.

/** The single range in which two texts differ. */
function difference(old, fresh) {
  let start = 0;
  const most = Math.min(old.length, fresh.length);
  while (start < most && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end++;
  return { start, end: old.length - end, text: fresh.slice(start, fresh.length - end) };
}

/** Applies `old` → `fresh` to the fields, next to newer typing; returns false if it cannot. */
function apply(old, fresh) {
  if (isComposing) return false;
  const edits = [];
  for (const [name, field] of Object.entries(fields)) {
    if (old[name] === fresh[name] || field.value === fresh[name]) continue;
    const edit = difference(old[name], fresh[name]);
    if (field.value !== old[name]) {
      const typed = difference(old[name], field.value);
      if (typed.start <= edit.end && edit.start <= typed.end) return false;
      const shift = typed.start < edit.start ? field.value.length - old[name].length : 0;
      edit.start += shift;
      edit.end += shift;
    }
    edits.push([field, edit]);
  }
  for (const [field, edit] of edits) replace(field, edit);
  return true;
}

/** Where a place is after an edit of the text `old`. What is written at the place is after it. */
function moved(place, { start, end, text }, old) {
  if (place <= start) return place;
  if (place >= end) return place + text.length - (end - start);
  // Between two changes, it stays behind what is before it.
  for (let size = place - start; size > 3; size >>= 1) {
    const at = text.indexOf(old.slice(place - size, place)) + size;
    if (at >= size) return start + at;
  }
  return start + text.length;
}

// Called after each change of a field that is not typed.
let onReplace = () => {};
/** Replaces a range; caret, selection and scroll position stay, and undo while typing. */
function replace(field, edit) {
  const { start, end, text } = edit;
  const { selectionStart, selectionEnd, value } = field;
  const scroll = scrollY;
  if (document.activeElement !== field || !typeOver(field, start, end, text)) {
    field.setRangeText(text, start, end, "preserve");
  }
  field.setSelectionRange(moved(selectionStart, edit, value), moved(selectionEnd, edit, value));
  scrollTo(0, scroll);
  fitHeight(field);
  onReplace();
}
