"use strict";
// The list: search while typing, and changes from elsewhere. Requires page.js, drafts.js and swipe.js.

function startList() {
  const search = find("#search");
  const isSearch = () => search.value.trim() !== "";
  let asked = null;
  let next = page.dataset.next || null;

  const rowOf = (entry) => {
    const row = find("#row").content.firstElementChild.cloneNode(true);
    row.dataset.path = entry.path;
    find("a", row).href = entry.href;
    find("b", row).textContent = entry.title;
    const time = find("time", row);
    if (entry.dateText) time.textContent = entry.dateText; else time.remove();
    if (!entry.starred) find(".star", row).remove();
    if (entry.date) time.setAttribute("datetime", entry.date);
    if (entry.weather && entry.weather.icon) find("i", row).before(drawing(entry.weather));
    const excerpt = find("i", row);
    if (!entry.match) excerpt.textContent = entry.preview;
    else {
      let from = 0;
      for (const [begin, end] of entry.match.marks) {
        const mark = document.createElement("mark");
        mark.textContent = entry.match.line.slice(begin, end);
        excerpt.append(entry.match.line.slice(from, begin), mark);
        from = end;
      }
      excerpt.append(entry.match.line.slice(from));
    }
    return row;
  };
  const addControls = (row) => {
    if (find(".more", row)) return;
    row.append(find("#controls").content.cloneNode(true));
    const more = find(".more", row);
    more.tabIndex = 0;
    more.setAttribute("aria-label", localized("more") + ": " + find("b", row).textContent);
  };
  /** Shows exactly these rows; unchanged rows keep their elements. */
  const show = (entries) => {
    const old = new Map(findAll("#rows .row").map((row) => [row.dataset.path, row]));
    const months = new Map(findAll("#rows section").map((part) => [part.dataset.month, part]));
    let last = null;
    let place = null;
    for (const entry of entries) {
      const month = isSearch() ? "" : entry.month || localized("undated");
      if (!last || last.dataset.month !== month) {
        let part = months.get(month);
        months.delete(month);
        if (!part) {
          part = document.createElement("section");
          part.dataset.month = month;
          if (month) part.append(Object.assign(document.createElement("h2"), { textContent: month }));
          part.append(document.createElement("ul"));
        }
        const after = last ? last.nextElementSibling : find("#rows").firstElementChild;
        if (part !== after) find("#rows").insertBefore(part, after);
        [last, place] = [part, null];
      }
      const fresh = rowOf(entry);
      let row = old.get(entry.path);
      old.delete(entry.path);
      if (!row) row = fresh;
      else if (find("a", row).outerHTML !== find("a", fresh).outerHTML) {
        find("a", row).replaceWith(find("a", fresh));
      }
      addControls(row);
      const list = find("ul", last);
      const after = place ? place.nextElementSibling : list.firstElementChild;
      if (row !== after) list.insertBefore(row, after);
      place = row;
    }
    for (const row of old.values()) row.remove();
    for (const part of findAll("#rows section")) if (!find(".row", part)) part.remove();
    find("#none").textContent = entries.length ? ""
      : isSearch() ? localized("none", search.value.trim()) : localized("empty");
  };
  /** Loads the entries after a cursor, or the first ones. */
  const load = (after, signal) => {
    const words = isSearch() ? "&q=" + encodeURIComponent(search.value.trim()) : "";
    const begin = after ? "&after=" + encodeURIComponent(after) : "";
    return request("GET", `/api/entries?limit=60${begin}${words}`, undefined, {}, { signal });
  };
  // The document is up to date when loaded; after a gap in the events the list may not be.
  let isGap = false;
  let entriesShown = null;
  const loadAll = async (signal) => {
    let count = Math.max(60, findAll("#rows .row").length);
    const rows = [];
    let cursor = null;
    do {
      const answer = await load(cursor, signal);
      if (answer.status === 401) location.reload();
      // Aborted: the request that replaced it returns the new rows.
      if (answer.status === -1) return refreshing;
      if (answer.status !== 200) return;
      rows.push(...answer.body.rows);
      cursor = answer.body.next;
      count -= 60;
    } while (cursor && count > 0);
    [entriesShown, next] = [rows, cursor];
    show(rows);
  };
  let refreshing = null;
  const refresh = () => {
    if (asked) asked.abort();
    asked = new AbortController();
    return refreshing = loadAll(asked.signal);
  };
  const loadMore = async () => {
    if (!next || isSearch()) return;
    if (!entriesShown) await refresh();
    const known = entriesShown;
    if (!known || !next) return;
    const answer = await load(next);
    if (isSearch() || answer.status !== 200) return;
    // The list was reloaded meanwhile: continue at its new end.
    if (known !== entriesShown) return loadMore();
    next = answer.body.next;
    entriesShown = known.concat(answer.body.rows);
    show(entriesShown);
  };
  const older = find("#older");
  if (older) {
    new IntersectionObserver(async ([seen]) => {
      if (!seen.isIntersecting) return;
      await loadMore();
      older.hidden = !next;
    }, { rootMargin: "800px" }).observe(older);
  }
  findAll(".row").forEach(addControls);

  let searchStart = 0;
  const searchNow = () => {
    clearTimeout(searchStart);
    if (older) older.hidden = isSearch() || !next;
    for (const card of findAll("#same-day, #ask-weather")) card.hidden = isSearch();
    history.replaceState(null, "", isSearch() ? "/?q=" + encodeURIComponent(search.value.trim()) : "/");
    refresh();
  };
  on(search, "input", () => { clearTimeout(searchStart); searchStart = setTimeout(searchNow, 80); });
  on(find("#find"), "submit", (event) => { event.preventDefault(); search.blur(); });

  const removeRow = async (row) => {
    const beside = row.nextElementSibling || row.previousElementSibling;
    const id = await deleteEntry(find("a", row).getAttribute("href"));
    close();
    if (id === null) return;
    row.classList.add("going");
    await pause(matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200);
    row.remove();
    if (beside) find("a", beside).focus({ preventScroll: true });
    offerUndo(id, refresh);
    refresh();
  };
  const openSheet = async (row) => {
    const href = find("a", row).getAttribute("href");
    const edits = isReadOnly ? [] : [["delete", localized("delete")]];
    const choice = await choose([["share", localized("share")], ["read", localized("read")],
      ["history", localized("history")], ...edits]);
    if (choice === "share") share(href);
    if (choice === "read") location.href = addressWith("/r/", href);
    if (choice === "history") location.href = addressWith("/h/", href);
    if (choice === "delete") removeRow(row);
  };

  const { close, isOpen } = startSwiping(openSheet);

  on(document, "click", (event) => {
    const row = event.target.closest(".row");
    if (!row) return;
    if (event.target.closest(".more")) openSheet(row);
    else if (event.target.closest(".delete")) removeRow(row);
    else if (event.target.closest(".share")) { close(); share(find("a", row).getAttribute("href")); }
    else if (isOpen(row)) { event.preventDefault(); close(); }
  });
  on(document, "contextmenu", (event) => {
    const row = event.target.closest(".row");
    // A mouse gets the browser's menu, which opens and copies the link; a row has its own button.
    if (!row || event.button === 2 || event.pointerType === "mouse") return;
    event.preventDefault();
    if (!find("dialog[open]")) openSheet(row);
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
    else if (event.key === "n" && !isReadOnly) location.href = "/new";
    else if (row && event.key === "Delete" && !isReadOnly) removeRow(row);
    else if (row && event.key === "s") share(find("a", row).getAttribute("href"));
    else if (row && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const rows = findAll(".row");
      const other = rows[rows.indexOf(row) + (event.key === "ArrowDown" ? 1 : -1)];
      if (other) { event.preventDefault(); find("a", other).focus(); }
    }
  });
  on(find("#more"), "click", async () => {
    const choice = await choose(["weather", "deleted"].map((name) => [name, localized(name + "Menu")]));
    if (choice === "weather") askWeather();
    if (choice === "deleted") location.href = "/deleted";
  });
  on(find("#ask-weather .yes"), "click", askWeather);
  on(find("#ask-weather .no"), "click", () => {
    find("#ask-weather").remove();
    request("PUT", "/api/weather", { off: true });
  });

  // An entry that was deleted on another screen can be restored here.
  const undo = takeUndo();
  if (undo && undo.until > Date.now()) offerUndo(undo.id, refresh, undo.until - Date.now());
  offerDrafts();
  listen({ rows: refresh, open: () => { if (isGap) refresh(); isGap = true; } });
  on(window, "pageshow", (event) => { if (event.persisted || isSearch()) refresh(); });
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

/** Offers text that was never saved because its page was closed too early. */
async function offerDrafts() {
  // The page that the user has just left may still be saving.
  await pause(1500);
  for (const key of draftKeys()) {
    const draft = readDraft(key);
    if (!draft) continue;
    if (draft.href) {
      const answer = await request("GET", addressWith("/api/entries/", draft.href));
      if (answer.status === 200
        && hasWords({ title: answer.body.editableTitle, body: answer.body.body }, draft)) {
        keepDraft(key, null);
        continue;
      }
    }
    return notice(localized("draft", clockTime(draft.at)),
      [localized("open"), () => { location.href = draft.href || "/new"; }],
      [localized("discard"), () => { keepDraft(key, null); offerDrafts(); }]);
  }
}

startList();
