// The list beside an entry in a wide window. wide.js loads this module, which contains swipe.js. The
// list opens another entry's document as any link does; its own place passes on to that document.

const root = document.documentElement;
const hrefOf = (row) => find("a", row)?.getAttribute("href");
let pane = null;
let search = null;
const rowsIn = (part = pane) => findAll("#rows .row", part);
const rowOf = (href, part = pane) => rowsIn(part).find((row) => hrefOf(row) === href);
const beside = (row, step) => {
  const rows = rowsIn();
  return rows[rows.indexOf(row) + step];
};
const focus = (row) => find("a", row).focus({ preventScroll: true });
// The filters of the list's address, as `name=value`.
let filters = "";
// The entry that is shown or being opened, and the one to show if it is deleted.
let [current, following] = [null, null];
// The markup of each row as the server sent it.
const sources = new WeakMap();

const isSearch = () => search.value.trim() !== "";
/** The list's address with its filters and search, at a row or a day. */
const addressAt = (place) => "/?" + [filters,
  isSearch() ? "q=" + encodeURIComponent(search.value.trim()) : place && "at=" + place]
  .filter(Boolean).join("&");
function takeAddress(address) {
  const asked = new URLSearchParams(address.split("?")[1]);
  search.value = asked.get("q") ?? "";
  filters = ["tag", "starred", "from", "to"].filter((name) => asked.has(name))
    .map((name) => name + "=" + encodeURIComponent(asked.get(name))).join("&");
}

/** Adds the rows of a list's document above (`#newer`) or below (`#older`) the shown ones. */
function join(loaded, link) {
  const rows = find("#rows", pane);
  const [add, edge] = link === "#newer" ? ["prepend", "firstElementChild"] : ["append", "lastElementChild"];
  const sections = findAll("#rows section", loaded);
  for (const section of link === "#newer" ? sections.reverse() : sections) {
    // A month may be in both.
    if (rows[edge]?.dataset.month !== section.dataset.month) rows[add](section);
    else find("ul", rows[edge])[add](...findAll(".row", section));
  }
  find(link, pane).replaceWith(find(link, loaded));
}

/** Gives an element these children. Those that stay do not move: browsers drop a click. */
function fit(part, wanted) {
  for (const child of [...part.children]) if (!wanted.includes(child)) child.remove();
  for (const [at, child] of wanted.entries()) {
    if (part.children[at] !== child) part.insertBefore(child, part.children[at]);
  }
}
/** Shows the list of a document. Unchanged rows keep their elements. */
function show(loaded) {
  const old = new Map(rowsIn().map((row) => [hrefOf(row), row]));
  const focused = document.activeElement.closest("#list .row");
  fit(find("#rows", pane), findAll("#rows section", loaded).map((fresh) => {
    const part = find(`#rows [data-month="${fresh.dataset.month}"]`, pane) || fresh;
    fit(find("ul", part), [...find("ul", fresh).children].map((row) => {
      const same = old.get(hrefOf(row));
      return sources.get(same) === row.innerHTML ? same : row;
    }));
    return part;
  }));
  find("#filters", pane)?.remove();
  const chips = find("#filters", loaded);
  if (chips) find("#none", pane).before(chips);
  find("#none", pane).textContent = find("#none", loaded).textContent;
  for (const link of ["#newer", "#older"]) find(link, pane).replaceWith(find(link, loaded));
  prepare();
  const row = focused && rowOf(hrefOf(focused));
  if (row) focus(row);
}

/** Gives rows their controls and missing thumbnails. */
function prepare() {
  for (const row of rowsIn()) {
    if (sources.has(row)) continue;
    sources.set(row, row.innerHTML);
    row.removeAttribute("id");
    row.append(find("#controls").content.cloneNode(true));
    const more = find(".more", row);
    more.tabIndex = 0;
    more.setAttribute("aria-label", localized("more") + ": " + find("a > b", row).textContent);
  }
  if (find("[data-thumbnail]", pane)) use("thumbnails", "makeThumbnails", pane);
  mark();
}
/** Marks the entry's row. */
function mark() {
  find("[aria-current]", pane)?.removeAttribute("aria-current");
  const row = rowOf(current);
  if (!row) return;
  find("a", row).setAttribute("aria-current", "page");
  const next = beside(row, 1) || beside(row, -1);
  following = next && hrefOf(next);
}

/** The rows from the first that is visible below the bar. */
const visibleRows = () => {
  const line = boxOf(find(".bar", pane)).bottom + 1;
  return rowsIn().filter((row) => boxOf(row).bottom > line).slice(0, 8);
};
const isTop = () => pane.scrollTop <= 0 && (isSearch() || find("#newer", pane).hidden);
/** Changes the rows without moving those that the user sees. */
function steadily(change) {
  const rows = isTop() ? [] : visibleRows().map((row) => [hrefOf(row), topOf(row)]);
  change();
  const [href, top] = rows.find(([each]) => rowOf(each)) || [];
  if (href) pane.scrollTop += topOf(rowOf(href)) - top;
}
/** Scrolls the list to the entry's row if it is hidden, also by the bar or a month's heading. */
function reveal() {
  const row = rowOf(current);
  if (!row) return;
  const { top, bottom } = boxOf(row);
  if (top < boxOf(find(".bar", pane)).bottom + 40 || bottom > innerHeight) pane.scrollTop += top - innerHeight / 3;
}
/** Keeps the place for the next document. */
function keepPlace() {
  const row = isTop() ? null : visibleRows()[0];
  const at = row && hrefOf(row);
  tell("place", {
    // No word of a search in a journal that can be locked.
    ...isSearch() && !keepsText ? {} : { address: addressAt(at?.slice(3)), at, top: row && topOf(row) },
    isFocused: isOff && find(".row a:focus-visible", pane) !== null,
    isAlone: isOff && "alone" in root.dataset,
  });
}

// Counts the lists that were asked for: only the last one is shown.
let round = 0;
/** Loads the visible rows again. */
async function refresh() {
  const mine = ++round;
  const seen = isTop() ? [] : visibleRows();
  const [first] = seen;
  // The day of a row leads to its place even if the row is gone.
  const day = first && find("time", first)?.getAttribute("datetime")?.slice(0, 10);
  const loaded = await loadDocument(addressAt(first && (day || hrefOf(first).slice(3))));
  if (!loaded || mine !== round) return;
  // Hits have no place in an address: those further down stay as they are.
  if (isSearch() && first && !seen.some((row) => rowOf(hrefOf(row), loaded))) return;
  steadily(() => show(loaded));
  fill();
}
/** Shows the list of an address: with other filters or hits, or at a day. */
async function open(address) {
  const mine = ++round;
  const loaded = await loadDocument(address);
  if (!loaded || mine !== round) return;
  const at = find("#at", loaded);
  show(loaded);
  pane.scrollTop = 0;
  if (at) {
    const row = rowOf(hrefOf(at));
    pane.scrollTop += topOf(row) - innerHeight / 4;
    focus(row);
  }
  fill();
}
let isFilling = false;
/** Loads further rows while an end of the list is near. */
async function fill() {
  if (isFilling) return;
  isFilling = true;
  const isNear = (link) => {
    const { top, bottom } = boxOf(link);
    return !link.hidden && bottom > -2000 && top < innerHeight + 2000;
  };
  for (let link; (link = findAll("#newer, #older", pane).find(isNear));) {
    const loaded = await loadDocument(link.getAttribute("href"));
    if (!loaded) break;
    // Unless another list is shown meanwhile.
    if (link.isConnected) steadily(() => { join(loaded, "#" + link.id); prepare(); });
  }
  isFilling = false;
}

/** Opens another list here, and anything else in the window, once the text is saved. */
async function go(address, isReplaced) {
  if (/^\/(\?|$)/.test(address)) {
    takeAddress(address);
    return open(address);
  }
  if (address === page.dataset.href) return;
  current = address;
  mark();
  await leave(address, false, isReplaced);
  // The user may stay with text that is not saved.
  if (!isOff) turn();
}
function turn() {
  current = page.dataset.href;
  mark();
  reveal();
}
/** Opens the entry below, or above, in place of this one. */
function step(direction) {
  const row = rowOf(current);
  const next = row ? beside(row, direction) : visibleRows()[0];
  if (next) go(hrefOf(next), true);
  reveal();
}

/** Takes the keys of the list, before the entry's scripts do. */
function press(event, actions) {
  const { key, target } = event;
  if (!wide.matches || event.isComposing || event.ctrlKey || event.metaKey || event.altKey
    || find("dialog[open]")) return;
  const isInPane = pane.contains(target);
  if (target.closest("input, textarea")) {
    if (isInPane) event.stopPropagation();
    if (target !== search || key !== "Escape") return;
    if (!isSearch()) return search.blur();
    search.value = "";
    return open(addressAt());
  }
  const row = target.closest("#list .row");
  if (key === "Escape") {
    if (isReading() && "alone" in root.dataset) delete root.dataset.alone;
    else if (isInPane) actions.close();
    else if (isReading() || (target === page && !href)) {
      reveal();
      focus(rowOf(current) || visibleRows()[0]);
    } else if (target === page) read();
    else return;
    event.stopPropagation();
  } else if (key === "/") search.focus();
  else if (key === "g") use("rows", "chooseDay", "", actions);
  else if (key === "n" && !isReadOnly) go("/new");
  else if (key === "j" || key === "k") step(key === "j" ? 1 : -1);
  else if (key === "f") root.toggleAttribute("data-alone");
  else if (row && key === "Delete" && !isReadOnly) use("rows", "removeRow", row, actions);
  else if (row && key === "s") share(hrefOf(row));
  else if (row && /^Arrow(Up|Down)$/.test(key)) {
    find("a", beside(row, key === "ArrowDown" ? 1 : -1) || row).focus();
  } else return;
  event.preventDefault();
}

/** Makes the pane of a list's document. */
function build(loaded) {
  pane = document.createElement("aside");
  pane.id = pane.className = "list";
  pane.ariaLabel = find("h1", loaded).textContent;
  const parts = document.createElement("div");
  parts.append(...find("main", loaded).childNodes);
  pane.append(find(".bar", loaded), parts);
  // The entry's document has these names, too.
  find("#more", pane).id = "menu";
  find("#notice", pane).id = "drafts";
  for (const [name, text] of textsOf(loaded.body)) texts.set(name, text);
  page.append(pane, ...findAll("#calendar, #weather, #controls", loaded));
  search = find("#search");
}

/** Shows the list that is being loaded beside the entry. */
export async function startPanes(place, loading, style, parsed) {
  const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: style });
  const styled = new Promise((done) => { sheet.onload = sheet.onerror = done; });
  document.head.append(sheet);
  const [loaded] = await Promise.all([loading, styled, parsed]);
  if (!loaded) return root.removeAttribute("data-panes");
  build(loaded);
  takeAddress(place.address);
  current = page.dataset.href;
  const { close, isOpen } = startSwiping((row) => use("rows", "openSheet", row, actions));
  const goToDay = (day) => { search.value = ""; open(addressAt(day)); };
  const actions = { go, refresh, close, goToDay, first: () => visibleRows()[0] };
  prepare();
  root.toggleAttribute("data-alone", place.isAlone === true);
  const first = rowOf(place.at);
  if (first) pane.scrollTop += topOf(first) - place.top;
  if (current && !rowOf(current) && !filters && !isSearch()) {
    const around = await loadDocument(addressAt(current.slice(3)));
    if (around) show(around);
  }
  reveal();
  if (place.isFocused && rowOf(current)) focus(rowOf(current));

  on(page, "click", (event) => {
    const { target } = event;
    // A tag of the entry filters the list.
    const [button, row, link, heading] = ["#list button", "#list .row", "#list a, #chips a", "#rows h2"]
      .map((name) => target.closest(name));
    if (button) use("rows", "press", button, row, actions);
    else if (row && isOpen(row)) { event.preventDefault(); close(); }
    else if (link && wide.matches && isPlain(event)) { event.preventDefault(); go(link.getAttribute("href")); }
    else if (heading) use("rows", "chooseDay", heading.parentElement.dataset.date, actions);
  });
  let searching = 0;
  on(search, "input", () => {
    clearTimeout(searching);
    searching = setTimeout(() => open(addressAt()), 80);
  });
  on(find("#find"), "submit", (event) => { event.preventDefault(); search.blur(); });
  on(document, "keydown", (event) => press(event, actions), { capture: true });
  on(pane, "scroll", fill, { passive: true });
  on(window, "pageshow", (event) => { if (event.persisted) refresh().then(reveal); });
  on(window, "pagehide", keepPlace);
  on(wide, "change", reveal);
  // The first save gives an entry its address, and a new date or title another one.
  new MutationObserver(turn).observe(page, { attributeFilter: ["data-href"] });
  openNext = () => wide.matches && (location.replace(following || "/"), true);
  // After a gap in events, rows may be old.
  let isGap = events?.readyState === EventSource.OPEN;
  listen({ rows: refresh, open: () => { if (isGap) refresh(); isGap = true; } });
  const undo = told("undo");
  if (undo) use("rows", "offerUndo", undo, refresh);
  if (draftKeys().length) use("rows", "offerDrafts", find("#drafts"), actions);
  fill();
}
