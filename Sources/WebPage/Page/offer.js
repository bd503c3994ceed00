// Offers drafts, brings deleted entries back, and keeps two texts without a common version. write.js loads this
// module when it is needed.

/** Keeps both texts if they have no known common version. */
export function keepBoth(entry, sent) {
  const theirs = { title: entry.editableTitle, body: entry.body };
  const both = { title: sent.title, body: theirs.body + "\n\n" + sent.body };
  if (!apply(sent, both)) return edited();
  [version, base] = [entry.version, theirs];
  showState("merged", localized("both"));
}

/** Offers to bring the entry back, which was deleted elsewhere. */
export function offerAgain() {
  if (!isGone) return;
  notice(localized("gone"), [localized("again"), async () => {
    const answer = await request("POST", addressWith("/api/restore/", href), {});
    if (!isGone) return;
    if (![200, 404].includes(answer.status)) { toast(reason(answer)); return offerAgain(); }
    isGone = false;
    notice();
    if (answer.status === 200) {
      // The text of the page is merged into the one that was deleted.
      if (answer.body.href !== href) setAddress(answer.body.href);
      showSaved();
      return isDirty() ? save() : lookAgain();
    }
    keepDraft(draftKey(), null);
    [href, version, creation, isNew, template] = [null, null, crypto.randomUUID(), true, ""];
    base = { title: "", body: "" };
    edited();
    save();
  }], [localized("discard"), () => leave(null, true)]);
}

/** Puts the words of a draft into the fields. */
function fill(draft) {
  for (const [name, field] of Object.entries(fields)) {
    replace(field, { start: 0, end: field.value.length, text: draft[name] });
  }
}

/**
 * Offers the first draft of this entry, or of new ones, that has other words than the page, and removes those
 * before it.
 */
export function offer() {
  // The page that was just left in this tab goes on here, with its text. It may have sent it, too.
  const before = "draft:" + told("page");
  for (const key of ownKeys().sort((one, other) => (other === before) - (one === before))) {
    const draft = readDraft(key);
    if (!draft || key === draftKey()) continue;
    const isOwn = key === before && Date.now() - draft.at < 10000;
    if (href && isOwn && draft.version === version && !isDirty()) {
      ({ pageID, sendings } = draft);
      fill(draft);
      isTouched = true;
      return save();
    }
    if (hasWords(href ? now() : { title: "", body: "" }, draft)) { keepDraft(key, null); continue; }
    const end = () => { withdraw = () => false; keepDraft(key, null); };
    withdraw = (text) => {
      if (!hasWords(text, draft)) return false;
      end();
      notice();
      return true;
    };
    notice(localized("draft", clockTime(draft.at)), [localized("merge"), async () => {
      isTouched = true;
      if (!isNew) {
        // The server merges it, based on the version at the start of the draft.
        const mine = draft.version || version;
        const answer = await request("PUT", entryAddress(),
          { title: draft.title, body: draft.body }, { "If-Match": `"${mine}"` });
        if (answer.status === 409 && answer.body.entry) keepBoth(answer.body.entry, draft);
        await lookAgain();
        if (answer.status === 200) { end(); offer(); }
        return;
      }
      if (href || isDirty()) {
        // The user has gone on with another text: both stay.
        insert(body, body.value.length, "\n\n" + (draft.title + "\n\n" + draft.body).trim());
        writeDraft();
        return end();
      }
      ({ creation, template } = draft);
      fill(draft);
      writeDraft();
      end();
      edited();
    }], [localized("discard"), () => { end(); offer(); }]);
    return;
  }
}
