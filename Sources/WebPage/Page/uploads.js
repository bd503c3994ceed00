// Pictures and other files under way, in a strip below the text. write.js loads this module when the
// first ones are chosen. It uses the scripts of the writing screen.

const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
const strip = make("ul", { id: "uploads", ariaLabel: localized("adding") });
// The field keeps the focus: the bar above the keyboard stays, and so does the place of the buttons.
on(strip, "pointerdown", (event) => event.preventDefault());
// The files in the order in which they were chosen, with the places of their links in the text.
const uploads = [];
let running = 0;
// The text that the places belong to.
let known = "";

/** Moves the places along with the edits of the text. */
function follow() {
  if (!uploads.length) return;
  const old = known;
  known = body.value;
  const edit = difference(old, known);
  for (const upload of uploads) upload.place = moved(upload.place, edit, old);
}
on(body, "input", follow);
onReplace = follow;

/** Writes the link of a file into the text, before those of the files that were chosen after it. */
async function link(upload, markdown) {
  // Text in composition is not touched.
  while (isComposing) await pause(200);
  if (upload.state !== "running") return;
  follow();
  const { place } = upload;
  const isAtCaret = body.selectionStart === place && body.selectionEnd === place;
  // At the end of the text, a line follows only for who writes there.
  const isLast = place === known.length && !(isAtCaret && document.activeElement === body);
  const text = (place && known[place - 1] !== "\n" ? "\n" : "") + markdown
    + (isLast || known[place] === "\n" ? "" : "\n");
  const position = uploads.indexOf(upload);
  const after = uploads.filter((each, index) =>
    each.place > place || (each.place === place && index > position));
  const places = after.map((each) => each.place + text.length);
  insert(body, place, text);
  if (isAtCaret) body.setSelectionRange(place + text.length, place + text.length);
  after.forEach((each, index) => { each.place = places[index]; });
}

/** Draws a small copy; what the browser cannot draw has its name alone. */
async function draw(canvas, file) {
  try {
    const picture = await createImageBitmap(file);
    const side = Math.min(picture.width, picture.height);
    canvas.getContext("2d").drawImage(picture, (picture.width - side) / 2,
      (picture.height - side) / 2, side, side, 0, 0, canvas.width, canvas.height);
    picture.close();
  } catch { canvas.remove(); }
}

/** Counts the files that have not arrived; one that is refused never will. */
const count = () => { underWay = uploads.filter(({ state }) => state !== "refused").length; };
const isWaiting = ({ state }) => state === "waiting";
function show(upload, state, words = "") {
  upload.state = state;
  const { item } = upload;
  item.dataset.state = state;
  find("progress", item).value = 0;
  find(".said", item).textContent = words;
  find(".again", item).hidden = state !== "failed";
  count();
}

function remove(upload) {
  const { item } = upload;
  const neighbour = item.nextElementSibling || item.previousElementSibling;
  const hadFocus = item.contains(document.activeElement);
  uploads.splice(uploads.indexOf(upload), 1);
  item.remove();
  if (!uploads.length) strip.remove();
  count();
  if (hadFocus) (neighbour ? find("button:not([hidden])", neighbour) : body).focus();
}

/** Sends the files that wait, two at a time. */
function next() {
  while (running < 2 && uploads.some(isWaiting)) {
    running += 1;
    const upload = uploads.find(isWaiting);
    show(upload, "running");
    send(upload).catch((error) => show(upload, "failed", error.message))
      .finally(() => { running -= 1; next(); });
  }
}

async function send(upload) {
  // A file is saved beside its entry, which is not created from a text in composition.
  while (isComposing && !href) await pause(200);
  await save({ hasFiles: true });
  if (upload.state !== "running") return;
  if (!href) return show(upload, "failed", statusLine.textContent);
  const { status, body: said } = await post(upload);
  if (upload.state !== "running") return;
  if (status !== 201) {
    return show(upload, [413, 415].includes(status) ? "refused" : "failed", reason({ status, body: said || {} }));
  }
  find("button:last-child", upload.item).hidden = true;
  await link(upload, said.markdown);
  if (upload.state === "running") remove(upload);
  await save();
}

/** Sends a file, and shows how much of it has arrived; resolves to `{status, body}`. */
const post = (upload) => new Promise((done) => {
  const { file, item } = upload;
  const ask = upload.ask = new XMLHttpRequest();
  ask.open("POST", entryAddress("/files?name=" + encodeURIComponent(file.name || "picture.png")));
  ask.setRequestHeader("Content-Type", file.type || "application/octet-stream");
  // The answer to the first try may have been lost.
  ask.setRequestHeader("Idempotency-Key", upload.key);
  ask.responseType = "json";
  ask.upload.onprogress = ({ loaded, total }) => { find("progress", item).value = loaded / total; };
  ask.onloadend = () => done({ status: ask.status, body: ask.response });
  ask.send(file);
});

/** The reason why the server would not take a file. */
function refusal(file) {
  if (file.size > Number(page.dataset.fileLimit)) return localized("tooLarge");
  // The server looks at the first bytes of a file whose type the browser does not know.
  return !file.type || isAddable(file) ? "" : localized("otherFile");
}

/** Adds files, whose links are written at a place of the body when it had the text. */
export function add(files, chosen, text) {
  const place = moved(chosen, difference(text, body.value), text);
  follow();
  known = body.value;
  for (const file of files) {
    const name = make("span", { textContent: file.name });
    const canvas = make("canvas", { width: 112, height: 112 });
    const progress = make("progress", { ariaLabel: file.name });
    const said = make("span", { className: "said", role: "alert" });
    const item = make("li");
    const upload = { file, item, place, key: crypto.randomUUID() };
    const again = newButton(localized("tryAgain"), () => { show(upload, "waiting"); next(); });
    const cancel = newButton("✕", () => {
      upload.state = "cancelled";
      if (upload.ask) upload.ask.abort();
      remove(upload);
    });
    again.className = "again";
    cancel.ariaLabel = localized("cancelFile", file.name);
    item.append(canvas, name, progress, said, again, cancel);
    uploads.push(upload);
    strip.append(item);
    draw(canvas, file);
    const words = refusal(file);
    show(upload, words ? "refused" : "waiting", words);
  }
  if (!strip.isConnected) find("main").append(strip);
  next();
}
