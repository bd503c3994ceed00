"use strict";
// Swiping: a row follows the finger to the left, and stays open past half of its buttons' width.
// Requires page.js.

/** Lets the rows of the list be swiped. A long press calls `openSheet` with the row. */
function startSwiping(openSheet) {
  const width = 160;
  let opened = null;
  let swipe = null;
  let heldDown = 0;
  let isHeld = false;
  const slide = (row, x) => find("a", row).style.setProperty("--slide", x + "px");
  function close() {
    if (!opened) return;
    slide(opened, 0);
    opened.classList.remove("open");
    opened = null;
  }
  const end = () => {
    clearTimeout(heldDown);
    if (!swipe) return;
    const { row, x, isMoving } = swipe;
    swipe = null;
    row.classList.remove("held");
    if (!isMoving) return;
    const stays = x <= -width / 2;
    slide(row, stays ? -width : 0);
    row.classList.toggle("open", stays);
    opened = stays ? row : null;
  };
  on(document, "pointerdown", (event) => {
    isHeld = false;
    const row = event.target.closest(".row");
    if (opened && row !== opened) close();
    // Ignore the left edge of the screen, where the browser's back gesture starts.
    if (!row || !event.isPrimary || event.button || event.clientX < 24
      || event.target.closest("button")) return;
    const from = row === opened ? -width : 0;
    swipe = { row, from, x: from, startX: event.clientX, startY: event.clientY, isMoving: false };
    if (event.pointerType !== "mouse") {
      heldDown = setTimeout(() => { const { row } = swipe; end(); isHeld = true; openSheet(row); }, 600);
    }
  });
  on(document, "pointermove", (event) => {
    if (!swipe || !event.isPrimary) return;
    const [dx, dy] = [event.clientX - swipe.startX, event.clientY - swipe.startY];
    if (Math.hypot(dx, dy) > 8) clearTimeout(heldDown);
    if (!swipe.isMoving) {
      if (Math.abs(dy) > 10 && Math.abs(dy) > Math.abs(dx)) return end();
      if (Math.abs(dx) < 10) return;
      swipe.isMoving = true;
      swipe.row.classList.add("held");
      swipe.row.setPointerCapture(event.pointerId);
    }
    swipe.x = Math.max(-width - 24, Math.min(0, swipe.from + dx));
    slide(swipe.row, swipe.x);
  });
  on(document, "pointerup", (event) => {
    if (isHeld || swipe?.isMoving) {
      // Suppress the click at the end, after a swipe except on a button.
      const stop = (click) => {
        if (!isHeld && click.target.closest("button")) return;
        click.preventDefault();
        click.stopPropagation();
      };
      on(document, "click", stop, { capture: true, once: true });
      setTimeout(() => document.removeEventListener("click", stop, true), 50);
    }
    end();
  });
  on(document, "pointercancel", end);
  on(document, "contextmenu", (event) => {
    const row = event.target.closest(".row");
    // A mouse gets the browser's menu, which opens and copies the link; a row has its own button.
    if (!row || event.button === 2 || event.pointerType === "mouse") return;
    event.preventDefault();
    if (!find("dialog[open]")) openSheet(row);
  });
  on(document, "dragstart", (event) => { if (event.target.closest(".row")) event.preventDefault(); });
  on(document, "scroll", close, { passive: true, capture: true });

  return { close, isOpen: (row) => row === opened };
}
