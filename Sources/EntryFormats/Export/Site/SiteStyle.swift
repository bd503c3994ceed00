/// The style of a site: ``pageStyle``, and the styles of pages other than entries.
package let siteStyle =
  pageStyle + #"""
      main { padding-top: 2rem; }
      .top {
        max-width: 40rem; margin: 0 auto; padding: 1.5rem 1.375rem 0; display: flex; flex-wrap: wrap;
        align-items: baseline; gap: .4rem 1.25rem; font-size: .9375rem;
      }
      .top, .rows, .jump, .search, .page-title, .group, .turn {
        font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK KR",
          sans-serif;
      }
      .top a { color: var(--soft); text-decoration: none; padding: .3rem 0; }
      .top a:hover, .top a[aria-current] { color: var(--ink); text-decoration: underline; }
      .top .home, .top .home[aria-current] { text-decoration: none; color: var(--ink); font-weight: 650; margin-inline-end: auto; }
      .search { max-width: 40rem; margin: .75rem auto 0; padding: 0 1.375rem; }
      .search[hidden] { display: none; }
      .search label { font-size: .875rem; color: var(--soft); }
      .search input {
        display: block; width: 100%; margin-top: .25rem; padding: .5em .8em; font: inherit;
        font-size: 1rem; color: var(--ink); background: var(--tint); border: 1px solid var(--line);
        border-radius: .5em;
      }
      .search p { margin: .6rem 0 0; font-size: .875rem; color: var(--soft); }
      .page-title { font-size: 1.5rem; margin: 0 0 1.5rem; }
      .group { font-size: 1.05rem; margin: 2.2rem 0 .4rem; }
      .group a { color: inherit; text-decoration: none; }
      .group a:hover { text-decoration: underline; }
      article h2 { font-size: 1.9rem; margin: .35rem 0 .7rem; letter-spacing: -.01em; }
      article h3 { font-size: 1.35rem; }
      article h4 { font-size: 1.15rem; }
      article { scroll-margin-top: 1rem; }
      .rows { list-style: none; margin: 0; padding: 0; }
      .rows li { margin: 0; border-bottom: 1px solid var(--line); }
      .rows a {
        display: grid; grid-template-columns: 10rem 1fr; grid-template-rows: auto 1fr; gap: 0 1rem; padding: .65rem 0;
        color: inherit; text-decoration: none;
      }
      .rows a:hover .row-title { text-decoration: underline; }
      .rows time, .rows .preview { color: var(--soft); font-size: .875rem; }
      .rows time { padding-top: .15em; grid-row: 1 / 3; }
      .row-title { font-weight: 550; line-height: 1.45; min-width: 0; }
      .preview {
        grid-column: 2; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
        line-clamp: 2; overflow: hidden; line-height: 1.5; min-width: 0;
      }
      .rows mark { background: none; color: var(--accent); font-weight: 650; }
      .jump { display: flex; flex-wrap: wrap; gap: .3rem .9rem; margin: 0 0 1.5rem; padding: 0; list-style: none;
        font-size: .9375rem; }
      .jump li { margin: 0; }
      .jump a { display: inline-block; padding: .2rem 0; text-decoration: none; }
      .jump a:hover { text-decoration: underline; }
      .jump small { color: var(--soft); }
      .turn { display: flex; justify-content: space-between; gap: 1rem; margin-top: 4rem; }
      @media (max-width: 30rem) {
        main { padding-top: 1.5rem; }
        .top, .search { padding-inline: 1.25rem; }
        .rows a { grid-template-columns: 1fr; grid-template-rows: none; }
        .rows time { grid-row: auto; }
        .preview { grid-column: 1; }
        article h2 { font-size: 1.6rem; }
      }
      @media print {
        .top, .search, .jump, .turn { display: none; }
        article { break-inside: auto; }
        .rows a { grid-template-columns: 10rem 1fr; }
        .rows time { grid-row: 1 / 3; }
      }

    """#

/// A search for words in the entries that runs only in the browser. The texts are scripts that it
/// loads when a search starts, because a page on disk may read no other file. Without the script
/// the pages are complete; only the search and the link to today's date are missing.
package let siteScript = #"""
  (() => {
    "use strict";
    const own = document.body.dataset;
    const today = document.getElementById("today");
    const now = new Date();
    const month = String(now.getMonth() + 1).padStart(2, "0");
    if (today && (own.days || "").split(" ").includes(month)) {
      today.href = own.root + "days/" + month + ".html#d" + String(now.getDate()).padStart(2, "0");
    }
    const box = document.getElementById("search");
    if (!box) return;
    const field = box.querySelector("input");
    const said = box.querySelector("p");
    const main = document.querySelector("main");
    const list = document.createElement("ol");
    list.className = "rows";
    const found = document.createElement("div");
    found.hidden = true;
    found.append(list);
    const hold = document.createElement("main");
    hold.hidden = true;
    hold.append(found);
    main.after(hold);
    box.hidden = false;

    const most = 100;
    const texts = [];
    const waiting = (own.parts || "").split(" ").filter(Boolean);
    let isLoading = false;

    // As Diary's own search: case and accents do not matter.
    const fold = (text) =>
      text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").normalize("NFC").toUpperCase().toLowerCase();

    window.diaryTexts = (part) => {
      for (const [title, date, day, address, body] of part) {
        texts.push({ title, date, day, address, body, all: null });
      }
    };

    const load = () => {
      if (isLoading || !waiting.length) return;
      isLoading = true;
      const script = document.createElement("script");
      script.src = own.root + "search/" + waiting.shift() + ".js";
      script.onload = script.onerror = () => { isLoading = false; show(); load(); };
      document.head.append(script);
    };

    const element = (name, className, text) => {
      const made = document.createElement(name);
      if (className) made.className = className;
      if (text) made.textContent = text;
      return made;
    };

    // The words around the first that is found, which is marked.
    const excerpt = (text, word) => {
      const line = element("span", "preview");
      const plain = text.replace(/\s+/g, " ");
      const at = fold(plain).indexOf(word);
      const exact = fold(plain).length === plain.length;
      if (at < 0 || !exact) { line.textContent = plain.slice(0, 160); return line; }
      const from = Math.max(0, at - 50);
      line.append((from ? "…" : "") + plain.slice(from, at));
      line.append(element("mark", "", plain.slice(at, at + word.length)));
      line.append(plain.slice(at + word.length, at + 110));
      return line;
    };

    const show = () => {
      const words = fold(field.value).split(/\s+/).filter(Boolean);
      const isOn = words.length > 0;
      hold.hidden = found.hidden = !isOn;
      main.hidden = isOn;
      list.replaceChildren();
      said.textContent = "";
      if (!isOn) return;
      let count = 0;
      for (const entry of texts) {
        entry.all ??= fold(entry.title + "\n" + entry.date + "\n" + entry.body);
        if (!words.every((word) => entry.all.includes(word))) continue;
        count += 1;
        if (count > most) continue;
        const link = element("a");
        link.href = own.root + entry.address;
        const time = element("time", "", entry.date);
        if (entry.day) time.dateTime = entry.day;
        link.append(time, element("span", "row-title", entry.title), excerpt(entry.body, words[0]));
        const item = element("li");
        item.append(link);
        list.append(item);
      }
      const isDone = !waiting.length && !isLoading;
      said.textContent = count ? own.found.replace("#", count) : isDone ? own.none : "…";
    };

    let timer = 0;
    field.addEventListener("focus", load);
    field.addEventListener("input", () => {
      load();
      clearTimeout(timer);
      timer = setTimeout(show, 80);
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { field.value = ""; show(); }
    });
  })();

  """#
