// Offers a draft. write.js loads this module if there is one.

/** Offers the first of the drafts that has other words than the page, and removes those before it. */
export function offer(keys) {
  for (const key of keys) {
    const draft = readDraft(key);
    if (!draft) continue;
    if (hasWords(href ? now() : { title: "", body: "" }, draft)) { keepDraft(key, null); continue; }
    notice(localized("draft", clockTime(draft.at)), [localized("merge"), async () => {
      isTouched = true;
      if (!isNew) {
        // The server merges it, based on the version at the start of the draft.
        const mine = draft.version || version;
        const answer = await request("PUT", entryAddress(),
          { title: draft.title, body: draft.body }, { "If-Match": `"${mine}"` });
        if (answer.status === 200) keepDraft(key, null);
        if (answer.status === 409 && answer.body.entry) keepBoth(answer.body.entry, draft);
        return lookAgain();
      }
      if (href || isDirty()) {
        // The user has gone on with another text: both stay.
        insert(body, body.value.length, "\n\n" + (draft.title + "\n\n" + draft.body).trim());
        writeDraft();
        return keepDraft(key, null);
      }
      ({ creation, template } = draft);
      for (const name of Object.keys(fields)) {
        replace(fields[name], { start: 0, end: fields[name].value.length, text: draft[name] });
      }
      edited();
    }], [localized("discard"), () => keepDraft(key, null)]);
    return;
  }
}
