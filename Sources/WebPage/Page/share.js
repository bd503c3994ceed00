// Sharing and printing an entry. page.js loads this module when it is asked for.

/** Opens the sheet for sharing an entry. */
export async function share(href) {
  const sheet = find("#share");
  const copy = addressWith("/api/share/", href) + "?format=";
  const [text, markdown] = await Promise.all(
    ["text", "md"].map((form) => request("GET", copy + form)));
  if (text.status !== 200) return toast(reason(text));
  const title = text.body.split("\n")[0];
  const action = (name) => find(`[data-do=${name}]`, sheet);
  const app = action("app");
  app.hidden = !navigator.share;
  app.onclick = () => navigator.share({ title, text: text.body }).catch(() => {});
  const clip = (answer) => async () => {
    sheet.close();
    if (answer.status !== 200) return toast(reason(answer));
    try {
      await navigator.clipboard.writeText(answer.body);
      toast(localized("copied"), null, 3000);
    } catch (error) { toast(error.message); }
  };
  action("text").onclick = clip(text);
  action("md").onclick = clip(markdown);
  action("html").href = copy + "html";
  action("mail").href = "mailto:?subject=" + encodeURIComponent(title) + "&body="
    + encodeURIComponent(text.body.slice(0, 1800));
  action("print").onclick = () => {
    sheet.close();
    if (href === page.dataset.href) printEntry(); else location.href = href + "#print";
  };
  await openDialog(sheet);
}

/** Prints the entry that is shown, as it reads. */
export async function printEntry() {
  if (!isReading()) {
    await save();
    if (href && !isDirty()) await loadArticle();
  }
  print();
}
