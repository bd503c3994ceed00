// The bar above a phone's keyboard, which hides the signs of Markdown, and the way to close the keyboard.
// help.js loads this module on touch screens.

const listMark = /^(\s*)(?:[-*+] (?:\[[ xX]\] )?)?/;
const quoteMark = /^(\s*)(?:> )?/;

/** Begins the lines of the selection with a mark in place of another one, or takes it away. */
function markLines(sign, mark) {
  const { value, selectionEnd } = body;
  const { start, end } = selectedLines(body);
  const lines = value.slice(start, end).split("\n");
  const markOf = (line) => line.match(mark)[0].trimStart();
  const isMarked = lines.every((line) => markOf(line) === sign);
  const text = lines.map((line) => line.replace(mark, "$1" + (isMarked ? "" : sign))).join("\n");
  const caret = selectionEnd - end + text.length;
  editRange(body, start, end, text, Math.max(0, caret));
}

const bar = document.createElement("div");
Object.assign(bar, { id: "bar", role: "toolbar", ariaLabel: localized("marks") });
for (const [name, sign, act] of [
  ["bold", "B", () => mark(body, "**")],
  ["italic", "I", () => mark(body, "*")],
  ["list", "•", () => markLines("- ", listMark)],
  ["task", "☐", () => markLines("- [ ] ", listMark)],
  ["quote", "❝", () => markLines("> ", quoteMark)],
  ["picture", "+", () => find("#picture").click()],
]) {
  const button = newButton(sign, () => {
    // Ends the composition of a word: many keyboards compose each one.
    if (isComposing) { body.blur(); body.focus(); }
    act();
  });
  Object.assign(button, { className: name, ariaLabel: localized(name), tabIndex: -1 });
  bar.append(button);
}
// The field keeps the focus, and the keyboard stays.
on(bar, "pointerdown", (event) => event.preventDefault());
find("main").append(bar);

// Pulling down at the top of the text closes the on-screen keyboard.
let pullFrom = null;
on(document, "touchstart", ({ touches: [touch] }) => { pullFrom = scrollY <= 0 ? touch.clientY : null; },
  { passive: true });
on(document, "touchmove", ({ touches: [touch] }) => {
  if (pullFrom !== null && touch.clientY - pullFrom > 40) document.activeElement.blur();
}, { passive: true });
