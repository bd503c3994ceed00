// The menus of the list, its rows and an entry, and what the list offers. A screen loads this module when
// it is needed first.

/**
 * Asks for confirmation under the entry's name, and deletes; resolves to the undo `{id, until}`, or `null` if
 * nothing was deleted.
 */
async function deleteEntry(href, name) {
  const isSure = await confirmed(name, localized("deleteThis"), localized("delete"));
  if (!isSure) return null;
  const answer = await request("DELETE", addressWith("/api/entries/", href), undefined,
    { "If-Match": "*" });
  if (answer.status === 200) return { id: answer.body.undo, until: Date.now() + 10000 };
  toast(reason(answer));
  return null;
}

/** Deletes the entry that is shown, after its text is saved. The list offers next to undo that. */
export async function deleteThis() {
  if (!href) return leave(null, true);
  await save();
  const undo = await deleteEntry(href, title.value || find("h1").textContent);
  if (!undo) return;
  isOff = true;
  stopTimers();
  keepDraft(draftKey(), null);
  showState("deleted");
  tell("undo", undo);
  goToList();
}

/** Asks, deletes the row's entry, and offers to undo that. */
export async function removeRow(row, { refresh, close }) {
  const href = find("a", row).getAttribute("href");
  // The entry that is shown beside the list.
  if (href === page.dataset.href) return deleteThis();
  const beside = row.nextElementSibling || row.previousElementSibling;
  const undo = await deleteEntry(href, find("a > b", row).textContent);
  close();
  if (!undo) return;
  row.classList.add("going");
  await pause(matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200);
  row.remove();
  if (beside && beside.matches(".row")) find("a", beside).focus({ preventScroll: true });
  offerUndo(undo, refresh);
  refresh();
}

/** The menu of a row. */
export async function openSheet(row, list) {
  const href = find("a", row).getAttribute("href");
  const edits = isReadOnly ? [] : [["delete", localized("delete")]];
  const choice = await choose([["share", localized("share")], ["history", localized("history")], ...edits]);
  if (choice === "share") share(href);
  if (choice === "history") list.go(addressWith("/h/", href));
  if (choice === "delete") removeRow(row, list);
}

/** The menu of the entry that is shown. */
export async function openEntryMenu() {
  const choice = await choose([
    ...(href ? [["share"], ["history"]] : []),
    ...(isFixed() ? [] : [["picture"]]), ...(isReadOnly ? [] : [["delete"]])]);
  if (choice === "share") { await save(); share(href); }
  if (choice === "history") leave(addressWith("/h/", href));
  if (choice === "picture") find("#picture").click();
  if (choice === "delete") deleteThis();
}

/** What a button of the list, or of a row, does. */
export function press(button, row, list) {
  const isOf = (selector) => button.closest(selector) !== null;
  if (isOf("#dates")) return chooseDay(null, list);
  if (isOf(".bar")) return openMenu(list);
  if (isOf(".yes")) return use("weather", "askWeather");
  if (isOf(".no")) {
    find("#ask-weather").remove();
    return request("PUT", "/api/weather", { off: true });
  }
  if (isOf(".more")) return openSheet(row, list);
  if (isOf(".delete")) return removeRow(row, list);
  list.close();
  return share(find("a", row).getAttribute("href"));
}

/** Opens the calendar at a day, by default at that of the first row in view, and goes to the chosen one. */
export async function chooseDay(day, { first, goToDay }) {
  const now = new Date();
  // Today in the browser's time zone.
  const today = new Date(now - now.getTimezoneOffset() * 60000).toISOString().slice(0, 10);
  const row = first();
  const month = day || (row && row.closest("section").dataset.date);
  const number = !day && row && find("a > time > b", row);
  const chosen = await use("calendar", "openCalendar",
    number ? month.slice(0, 8) + number.textContent.padStart(2, "0") : month || today);
  if (chosen) goToDay(chosen);
}

/** The menu of the list. */
async function openMenu({ go }) {
  const weather = isReadOnly ? [] : [["weather", localized("weather")]];
  const choice = await choose([["stars", localized("stars")], ["pictures", localized("pictures")],
    ["deleted", localized("deletedMenu")], ...weather]);
  if (choice === "weather") use("weather", "askWeather");
  else if (choice) go({ stars: "/?starred=1", pictures: "/pictures", deleted: "/deleted" }[choice]);
}

/** Offers for ten seconds to restore a deleted entry. */
export function offerUndo({ id, until }, after) {
  const time = until - Date.now();
  if (time > 0) toast(localized("deleted"), async () => {
    const answer = await request("POST", "/api/undo/" + id);
    toast(answer.status === 200 ? "" : reason(answer));
    after(answer);
  }, time);
}

/** Offers text that was never saved because its page was closed too early. */
export async function offerDrafts(box, { go }) {
  // The page that the user has just left may still be saving.
  await pause(1500);
  for (const key of draftKeys()) {
    const draft = readDraft(key);
    // The text that is being written beside the list is no one's to offer.
    if (!draft || (screenName === "write" && ownKeys().includes(key))) continue;
    if (draft.href) {
      const answer = await request("GET", addressWith("/api/entries/", draft.href));
      if (answer.status === 200
        && hasWords({ title: answer.body.editableTitle, body: answer.body.body }, draft)) {
        keepDraft(key, null);
        continue;
      }
      // The entry is gone: its words go into a new one.
      if ([404, 410].includes(answer.status)) {
        draft.href = null;
        keepDraft(key, { ...draft, version: null, creation: crypto.randomUUID() });
      }
    }
    return showNotice(box, localized("draft", clockTime(draft.at)), [
      [localized("open"), () => go(draft.href || "/new")],
      [localized("discard"), () => { keepDraft(key, null); offerDrafts(box, { go }); }]]);
  }
}
