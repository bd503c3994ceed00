// Ticking tasks while reading. read.js loads this module if an entry has some.

/** Changes the sign of a task in the text, and saves. The box shows the state of the file. */
export async function tick(box) {
  if (box.hasAttribute("aria-disabled")) return;
  if (shownVersion !== version) return refreshArticle();
  const [line] = linesOf(box.closest("[data-lines]"));
  const before = startOfLine(line);
  const mark = body.value.slice(before).match(/^[ \t]*(?:[-+*]|\d+[.)])[ \t]+\[([ xX])\]/);
  if (!mark || (mark[1] !== " ") !== (box.getAttribute("aria-checked") === "true")) return;
  box.setAttribute("aria-disabled", "true");
  const start = before + mark[0].length - 2;
  replace(body, { start, end: start + 1, text: mark[1] === " " ? "x" : " " });
  edited();
  await save();
  await refreshArticle();
  box.removeAttribute("aria-disabled");
}
