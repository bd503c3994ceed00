"use strict";
// The list: its rows, the way back to the same place, search while typing, and changes from elsewhere.
// Requires page.js, drafts.js and swipe.js.

function startList() {
  const search = find("#search");
  const isSearch = () => search.value.trim() !== "";
  const none = find("#none");
  const edges = [{ link: find("#newer"), isUp: true }, { link: find("#older"), isUp: false }];
  const cards = findAll("#same-day, #ask-weather");
  const asked = new URLSearchParams(location.search);
  const filters = ["tag", "starred", "from", "to"].filter((name) => asked.has(name))
    .map((name) => name + "=" + encodeURIComponent(asked.get(name))).join("&");
  const words = () => isSearch() ? "q=" + encodeURIComponent(search.value.trim()) : "";
  // The cursors of the rows above and below the shown ones.
  let previous = page.dataset.previous || null;
  let next = page.dataset.next || null;
  // The shown rows by their addresses.
  let shown = new Map();
  const makeThumbnails = (part) => {
    if (find("[data-thumbnail]", part)) use("thumbnails", "makeThumbnails", part);
  };
  const hrefOf = (row) => find("a", row).getAttribute("href");
  const topOf = (row) => row.getBoundingClientRect().top;
  const dated = (time, entry) => { if (entry.date) time.setAttribute("datetime", entry.date); return time; };

  /** Shows a line with its marks. */
  const write = (part, line, marks = []) => {
    let from = 0;
    for (const [begin, end] of marks) {
      const mark = document.createElement("mark");
      mark.textContent = line.slice(begin, end);
      part.append(line.slice(from, begin), mark);
      from = end;
    }
    part.append(line.slice(from));
  };
  const rowOf = (entry) => {
    const row = find("#row").content.firstElementChild.cloneNode(true);
    const [time, sky, excerpt, small] = ["time", ".sky", "i", "small"].map((part) => find(part, row));
    find("a", row).setAttribute("href", entry.href);
    write(find("a > b", row), entry.title, entry.titleMarks);
    if (entry.number) {
      const [number, weekday, clock] = dated(time, entry).children;
      [number.textContent, weekday.textContent] = [entry.number, entry.weekday];
      if (entry.time) clock.textContent = entry.time; else clock.remove();
    } else time.remove();
    if (!entry.starred) find(".star", row).remove();
    if (entry.weather && entry.weather.icon) sky.append(drawing(entry.weather));
    if (!sky.firstChild) sky.remove();
    const { line, marks } = entry.match || { line: entry.preview };
    write(excerpt, line, marks);
    if (!line) excerpt.remove();
    if (!entry.number && entry.dateText) {
      const date = dated(document.createElement("time"), entry);
      date.textContent = entry.dateText;
      small.append(date, " ");
    }
    small.append(entry.tags.map((tag) => "#" + tag).join(" "));
    if (!small.textContent) small.remove();
    const picture = find(".thumbnail", row);
    if (!entry.picture) picture.remove();
    else if (entry.picture.isMade) picture.setAttribute("src", entry.picture.thumbnail);
    else picture.dataset.thumbnail = entry.picture.thumbnail;
    addControls(row);
    return row;
  };
  const addControls = (row) => {
    if (find(".more", row)) return;
    row.append(find("#controls").content.cloneNode(true));
    const more = find(".more", row);
    more.tabIndex = 0;
    more.setAttribute("aria-label", localized("more") + ": " + find("a > b", row).textContent);
  };
  const monthOf = (entry) => isSearch() ? "" : entry.month || localized("undated");
  const sectionOf = (month, entry) => {
    const part = document.createElement("section");
    part.dataset.month = month;
    if (month) {
      if (entry.day) part.dataset.date = entry.day;
      part.append(Object.assign(document.createElement("h2"), { textContent: month }));
    }
    part.append(document.createElement("ul"));
    return part;
  };
  const showEdges = () => {
    for (const { link, isUp } of edges) link.hidden = !(isUp ? previous : next);
  };
  /** Shows exactly these rows; unchanged rows keep their elements. */
  const show = (entries, total) => {
    const old = shown;
    // First: a browser drops a click on what moves.
    for (const [href, row] of old) if (!entries.some((entry) => entry.href === href)) row.remove();
    shown = new Map();
    const months = new Map(findAll("#rows section").map((part) => [part.dataset.month, part]));
    let [last, place] = [null, null];
    const put = (item) => {
      const after = place ? place.nextElementSibling : find("ul", last).firstElementChild;
      if (item !== after) find("ul", last).insertBefore(item, after);
      place = item;
    };
    for (const [index, entry] of entries.entries()) {
      const month = monthOf(entry);
      if (!last || last.dataset.month !== month) {
        const part = months.get(month) || sectionOf(month, entry);
        months.delete(month);
        const after = last ? last.nextElementSibling : find("#rows").firstElementChild;
        if (part !== after) find("#rows").insertBefore(part, after);
        [last, place] = [part, null];
      }
      const fresh = rowOf(entry);
      const row = old.get(entry.href) || fresh;
      if (row !== fresh && find("a", row).innerHTML !== find("a", fresh).innerHTML) {
        find("a", row).replaceWith(find("a", fresh));
      }
      put(row);
      shown.set(entry.href, row);
      if (index === Math.min(3, entries.length) - 1) cards.forEach(put);
    }
    for (const part of findAll("#rows section")) if (!find(".row", part)) part.remove();
    for (const card of cards) card.hidden = isSearch() || Boolean(previous);
    if (isSearch()) {
      none.textContent = entries.length
        ? localized("found", total) : localized("none", search.value.trim());
    } else none.textContent = entries.length ? "" : localized(filters ? "nothing" : "empty");
    showEdges();
    makeThumbnails(find("#rows"));
  };
  /** Adds further rows above or below the shown ones. */
  const add = (entries, isUp) => {
    const rows = find("#rows");
    for (const entry of isUp ? entries.reverse() : entries) {
      if (shown.has(entry.href)) continue;
      const month = monthOf(entry);
      let part = isUp ? rows.firstElementChild : rows.lastElementChild;
      if (!part || part.dataset.month !== month) {
        part = sectionOf(month, entry);
        rows[isUp ? "prepend" : "append"](part);
      }
      const row = rowOf(entry);
      find("ul", part)[isUp ? "prepend" : "append"](row);
      makeThumbnails(row);
      shown.set(entry.href, row);
    }
    showEdges();
  };

  // ---- The place in the list

  /** The rows from the first that is visible below the bar. */
  const visibleRows = () => {
    const rows = findAll("#rows .row");
    const line = Math.max(0, find(".bar").getBoundingClientRect().bottom) + 1;
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].getBoundingClientRect().bottom > line) high = middle; else low = middle + 1;
    }
    return rows.slice(low, low + 8);
  };
  const isTop = () => scrollY <= 0 && (isSearch() || !previous);
  /** Changes the rows without moving those that the user sees. */
  const steadily = (change) => {
    const rows = isTop() ? [] : visibleRows().map((row) => [row, topOf(row)]);
    change();
    const kept = rows.find(([row]) => row.isConnected);
    if (kept && Math.abs(topOf(kept[0]) - kept[1]) >= 0.5) scrollBy(0, topOf(kept[0]) - kept[1]);
  };
  let isSettled = false;
  /** Writes the place into the browser's history: the row into the address, the search only beside it. */
  const remember = () => {
    if (!isSettled) return;
    // WebKit resets the field to this when it restores the page.
    search.defaultValue = search.value;
    const [row] = isTop() ? [] : visibleRows();
    const at = row ? hrefOf(row) : null;
    const fields = [filters, at && !isSearch() ? "at=" + at.slice(3) : ""].filter(Boolean).join("&");
    const place = { words: keepsText ? search.value : "", at, top: row ? topOf(row) : 0 };
    history.replaceState(place, "", "/" + (fields && "?" + fields));
    // No word of a search in a journal that can be locked.
    return isSearch() && !keepsText ? {} : { ...place, isFocused: find(".row a:focus-visible") !== null,
      address: "/?" + [fields, words()].filter(Boolean).join("&") };
  };
  /** Before the list opens another screen; its way back is then the browser's. */
  const leave = () => {
    markList();
    tell("place", remember());
  };
  const go = (address) => {
    leave();
    location.href = address;
  };
  /** Scrolls to the row of the address, to the same height as before. */
  const settle = async ({ at, top }) => {
    while (at && !shown.has(at) && isSearch() && next && await loadMore(false)) { /* to the row */ }
    const row = shown.get(at) || find("#at");
    if (row) {
      scrollBy(0, topOf(row) - (top ?? innerHeight / 4));
      if (top === undefined) find("a", row).focus({ preventScroll: true });
    }
    isSettled = true;
    remember();
    fill();
  };

  // ---- Loading

  const load = (place, signal) => {
    const fields = ["limit=60", filters, words(), place].filter(Boolean).join("&");
    return request("GET", "/api/entries?" + fields, undefined, {}, { signal });
  };
  /** Loads the rows again: those around the visible ones, or the hits that are shown. */
  const loadAll = async (signal) => {
    const isAtTop = isTop();
    const rows = isAtTop || isSearch() ? [] : visibleRows();
    const places = rows.map((row) => hrefOf(row));
    let count = isSearch() && scrollY > 0 ? shown.size : 0;
    let whole = null;
    let answer = null;
    do {
      const at = places.shift();
      answer = await load(at ? "at=" + at.slice(3) : whole ? "after=" + whole.next : "", signal);
      if (answer.status === 401) location.reload();
      // Aborted: the request that replaced it returns the new rows.
      if (answer.status === -1) return refreshing;
      if (answer.status !== 200) return;
      const part = answer.body;
      // A visible row may be gone; then those around the next one are shown.
      if (at && places.length && !part.rows.some(({ href }) => href === at)) continue;
      if (whole) whole = { ...whole, rows: [...whole.rows, ...part.rows], next: part.next };
      else whole = part;
      count -= part.rows.length;
    } while (!whole || (whole.next && count > 0));
    // The user has scrolled to the top meanwhile, or away from it: these rows are not the seen ones.
    if (isTop() !== isAtTop) return refresh();
    round += 1;
    steadily(() => {
      [previous, next] = [whole.previous, whole.next];
      show(whole.rows, whole.total);
    });
    fill();
  };
  // Counts the times that all rows were loaded.
  let round = 0;
  let loading = null;
  let refreshing = null;
  const refresh = () => {
    if (loading) loading.abort();
    loading = new AbortController();
    return refreshing = loadAll(loading.signal);
  };
  /** Loads the rows above or below the shown ones. Returns false on a failure. */
  const loadMore = async (isUp) => {
    const [begun, cursor] = [round, isUp ? previous : next];
    const answer = await load((isUp ? "before=" : "after=") + cursor);
    // All rows were loaded meanwhile; continue at their ends.
    if (begun !== round) return true;
    if (answer.status !== 200) return false;
    steadily(() => {
      if (isUp) previous = answer.body.previous; else next = answer.body.next;
      add(answer.body.rows, isUp);
    });
    return true;
  };
  const isNear = ({ link }) => {
    const box = link.getBoundingClientRect();
    return !link.hidden && box.bottom > -2000 && box.top < innerHeight + 2000;
  };
  let isFilling = false;
  /** Loads further rows while an end of the list is near. */
  const fill = async () => {
    if (isFilling || !isSettled) return;
    isFilling = true;
    for (let edge; (edge = edges.find(isNear));) if (!(await loadMore(edge.isUp))) break;
    isFilling = false;
  };
  let [resting, isLooking] = [0, false];
  on(window, "scroll", () => {
    clearTimeout(resting);
    resting = setTimeout(remember, 200);
    if (isLooking) return;
    isLooking = true;
    requestAnimationFrame(() => { isLooking = false; fill(); });
  }, { passive: true });
  on(window, "resize", () => fill());

  let searchStart = 0;
  const searchNow = () => {
    clearTimeout(searchStart);
    scrollTo(0, 0);
    remember();
    refresh();
  };
  on(search, "input", () => { clearTimeout(searchStart); searchStart = setTimeout(searchNow, 80); });
  on(find("#find"), "submit", (event) => { event.preventDefault(); search.blur(); });

  const { close, isOpen } = startSwiping((row) => use("rows", "openSheet", row, actions));
  const actions = { go, refresh, close,
    first: () => visibleRows()[0],
    goToDay: (day) => go("/?" + [filters, "at=" + day].filter(Boolean).join("&")) };
  const chooseDay = (day) => use("rows", "chooseDay", day, actions);

  on(document, "click", (event) => {
    const row = event.target.closest(".row");
    const link = event.target.closest("a[href^='/']");
    const heading = event.target.closest("#rows h2");
    if (heading) chooseDay(heading.parentElement.dataset.date);
    if (link && !(row && isOpen(row)) && isPlain(event)) leave();
    if (event.target.closest("#rows button, .bar button")) use("rows", "press", event.target, row, actions);
    else if (row && isOpen(row)) { event.preventDefault(); close(); }
  });
  on(document, "keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (find("dialog[open]")) return;
    if (event.target === search || event.target.closest("input")) {
      if (event.key === "Escape" && event.target === search) {
        if (isSearch()) { search.value = ""; searchNow(); } else search.blur();
      }
      return;
    }
    const row = event.target.closest(".row");
    if (event.key === "Escape") close();
    else if (event.key === "/") { event.preventDefault(); search.focus(); }
    else if (event.key === "n" && !isReadOnly) go("/new");
    else if (event.key === "g") { event.preventDefault(); chooseDay(); }
    else if (row && event.key === "Delete" && !isReadOnly) use("rows", "removeRow", row, actions);
    else if (row && event.key === "s") share(hrefOf(row));
    else if (row && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const rows = findAll(".row");
      const other = rows[rows.indexOf(row) + (event.key === "ArrowDown" ? 1 : -1)];
      if (other) { event.preventDefault(); find("a", other).focus(); }
    }
  });

  const offerUndoing = () => {
    const undo = told("undo");
    if (undo) use("rows", "offerUndo", undo, refresh);
  };
  offerUndoing();
  if (draftKeys().length) use("rows", "offerDrafts", find("#notice"), actions);
  // The document is up to date when loaded; after a gap in the events the list may not be.
  let isGap = false;
  listen({ rows: refresh, open: () => { if (isGap) refresh(); isGap = true; } });
  on(window, "pageshow", (event) => {
    if (!event.persisted) return;
    offerUndoing();
    // WebKit restores the page, but not how far it was scrolled.
    const place = history.state || {};
    search.value = place.words ?? "";
    settle(place).then(refresh);
  });
  on(window, "pagehide", () => {
    clearTimeout(resting);
    isSettled = false;
  });

  history.scrollRestoration = "manual";
  const place = history.state || {};
  for (const row of findAll("#rows .row")) {
    shown.set(hrefOf(row), row);
    addControls(row);
  }
  makeThumbnails(find("#rows"));
  // The browser may have put other words into the field.
  search.value = place.words ?? asked.get("q") ?? "";
  if (isSearch() && !asked.has("q")) refresh().then(() => settle(place)); else settle(place);
}

function drawing(weather) {
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  icon.setAttribute("class", "icon");
  icon.setAttribute("role", "img");
  icon.setAttribute("aria-label", weather.label);
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", "#w-" + weather.icon);
  icon.append(use);
  return icon;
}

startList();
