// The chips above the text: star, date, tags and place. read.js loads this module at the first tap on
// one of them. It uses the scripts of the writing screen.

// One change at a time, in the order of the taps.
let queue = Promise.resolve();
const inTurn = (act) => (queue = queue.catch(() => {}).then(act));

/** Tells why nothing was changed: in the sheet, or below the page. */
function refuse(answer, sheet) {
  const words = [reason(answer), answer.body.hint].filter(Boolean).join(". ");
  if (sheet) find(".said", sheet).textContent = words; else toast(words);
}

/** Changes fields of the entry; resolves to the entry, or to `null`. The text is not waited for. */
async function change(fields, from, sheet) {
  const known = version;
  const answer = await request("PATCH", entryAddress(), fields, { "If-Match": `"${from}"` },
    { signal: AbortSignal.timeout(20000) });
  if (answer.status !== 200) {
    refuse(answer, sheet);
    return null;
  }
  const { entry, moved, notes } = answer.body;
  if (moved) setAddress(moved);
  // A save that has run meanwhile can be older or newer than the answer.
  if (isSaving || version !== known) {
    await isSaving;
    await lookAgain();
  } else accept(entry);
  await loadArticle();
  if (notes.length) toast(notes.join(" "));
  return entry;
}

/** The entry on the disk, after the first save of a new one; `null` if there is none. */
async function present() {
  if (!href) await save();
  if (!href || isGone) {
    toast(localized(isGone ? "goneShort" : "blank"));
    return null;
  }
  const answer = await request("GET", entryAddress());
  if (answer.status === 200) return answer.body;
  refuse(answer);
  return null;
}

/** Opens a sheet whose form calls `submit`; resolves when it is closed. */
async function openForm(sheet, submit) {
  const before = document.activeElement;
  find(".said", sheet).textContent = "";
  find("form", sheet).onsubmit = (event) => {
    event.preventDefault();
    submit();
  };
  const closed = openDialog(sheet);
  find("input", sheet).focus();
  await closed;
  // After a click in the sheet, Chromium focuses the field without its caret, and it takes no keys.
  before.blur();
  before.focus();
}

async function star(chip) {
  const starred = chip.getAttribute("aria-pressed") !== "true";
  chip.setAttribute("aria-pressed", starred);
  await inTurn(async () => {
    const isKnown = href || await present();
    if (!isKnown || !(await change({ starred }, version))) chip.setAttribute("aria-pressed", !starred);
  });
}

async function date() {
  const entry = await present();
  if (!entry) return;
  const sheet = find("#set-date");
  const [day, time] = findAll("input", sheet);
  const written = entry.date || "";
  day.value = written.slice(0, 10);
  time.value = written.slice(11, 19).replace(/:00$/, "");
  const moment = () => [day.value, time.value].filter(Boolean).join(" ");
  const before = moment();
  await openForm(sheet, async () => {
    if (!day.value) day.focus();
    else if (moment() === before || await change({ date: moment() }, entry.version, sheet)) sheet.close();
  });
}

/** A tag without the sign that it may have in the header. */
const plain = (tag) => tag.replace(/^[#@]/, "");

async function tags() {
  let entry = await present();
  if (!entry) return;
  const sheet = find("#set-tags");
  const input = find("input", sheet);
  const set = (edit) => inTurn(async () => {
    const changed = await change({ tags: edit(entry.headerTags) }, entry.version, sheet);
    if (!changed) return false;
    entry = changed;
    show();
    input.focus();
    return true;
  });
  const show = () => {
    find(".choices", sheet).replaceChildren(...entry.headerTags.map((tag) => {
      const name = "#" + plain(tag);
      const remove = () => set((tags) => tags.filter((each) => each !== tag));
      return Object.assign(newButton(name + " ✕", remove), { ariaLabel: localized("untag", name) });
    }));
    const known = new Set(entry.headerTags.map((tag) => plain(tag).toLowerCase()));
    const others = entry.tags.filter((tag) => !known.has(tag.toLowerCase()));
    find(".said", sheet).textContent = others.length
      ? localized("inText", others.map((tag) => "#" + tag).join(" ")) : "";
  };
  request("GET", "/api/tags").then(({ status, body }) => {
    if (status !== 200) return;
    find("datalist", sheet).replaceChildren(...body.tags.map((tag) => {
      const option = document.createElement("option");
      option.value = tag;
      return option;
    }));
  });
  input.value = "";
  const closed = openForm(sheet, async () => {
    const added = input.value.split(",").map((tag) => tag.trim()).filter(Boolean);
    if (!added.length) return;
    // The next tag may be typed before the answer.
    input.value = "";
    const isSet = await set((tags) => [...tags, ...added]);
    if (!isSet) input.value = [...added, input.value].filter(Boolean).join(", ");
  });
  show();
  await closed;
}

async function place() {
  const entry = await present();
  if (!entry) return;
  const sheet = find("#set-place");
  const input = find("input", sheet);
  input.value = entry.place || "";
  await openForm(sheet, async () => {
    if (await change({ place: input.value }, entry.version, sheet)) sheet.close();
  });
}

/** Does what a chip is for. If nothing shown has the focus then, the chip gets it, which may be new. */
export async function open(chip) {
  const name = chip.dataset.chip;
  await { star, date, tags, place }[name](chip);
  const focused = document.activeElement;
  if (focused === document.body || focused.closest("dialog")) find(`[data-chip=${name}]`).focus();
}
