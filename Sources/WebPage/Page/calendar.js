// The calendar: the days of a year with an entry, and the way to each. The list loads this module
// when the calendar is opened first.

/** Sets up the calendar. Returns the function that opens it at a day, and resolves to the chosen one. */
function startCalendar() {
  const sheet = find("#calendar");
  const months = find(".months", sheet);
  let shown = null;
  const dateOf = (day) => new Date(day + "T00:00Z");
  const dayOf = (date) => date.toISOString().slice(0, 10);
  const dayAfter = (day, days, monthsAfter = 0) => {
    const date = dateOf(day);
    if (monthsAfter) date.setUTCMonth(date.getUTCMonth() + monthsAfter, 1);
    date.setUTCDate(date.getUTCDate() + days);
    return dayOf(date);
  };
  const element = (name, text, more = {}) =>
    Object.assign(document.createElement(name), { textContent: text, ...more });

  const fill = () => {
    const form = (parts) => new Intl.DateTimeFormat(shown.language, { timeZone: "UTC", ...parts });
    const [monthForm, weekdayForm] = [form({ month: "long" }), form({ weekday: "narrow" })];
    const dayForm = form({ dateStyle: "long" });
    const columnOf = (date) => (date.getUTCDay() - shown.firstWeekday + 7) % 7;
    // 5 January 1970 was a Monday.
    const names = [0, 1, 2, 3, 4, 5, 6].map((column) =>
      element("i", weekdayForm.format(new Date((column + shown.firstWeekday + 3) * 864e5)),
        { ariaHidden: "true" }));
    const year = String(shown.year).padStart(4, "0");
    // This year ends with the present month, or with that of its last entry.
    const last = year < shown.today.slice(0, 4) ? year + "-12"
      : [shown.today, ...Object.keys(shown.days)].sort().pop().slice(0, 7);
    const parts = [];
    for (let day = year + "-01-01"; day.startsWith(year) && day.slice(0, 7) <= last;) {
      const month = day.slice(0, 7);
      const part = element("section", "");
      const grid = element("div", "");
      part.dataset.month = month;
      grid.append(...names.map((name) => name.cloneNode(true)));
      for (; day.startsWith(month); day = dayAfter(day, 1)) {
        const date = dateOf(day);
        const count = shown.days[day];
        const button = element("button", date.getUTCDate(), { type: "button", value: day, tabIndex: -1 });
        button.ariaLabel = dayForm.format(date) + (count ? ", " + localized("count", count.entries) : "");
        if (count) button.dataset.shade = count.shade;
        if (day === shown.today) button.ariaCurrent = "date";
        if (day.endsWith("-01")) button.style.gridColumnStart = columnOf(date) + 1;
        grid.append(button);
      }
      part.append(element("h3", monthForm.format(dateOf(month + "-01"))), grid);
      parts.push(part);
    }
    months.replaceChildren(...parts);
    find("#year").textContent = shown.year;
    find(".before", sheet).disabled = shown.year <= shown.first;
    find(".next", sheet).disabled = shown.year >= Math.max(shown.last, Number(shown.today.slice(0, 4)));
  };
  /** Shows the day's year, if there is one; the day gets the focus. Returns false on a failure. */
  const show = async (day) => {
    const year = Number(day.slice(0, 4));
    if (!shown || shown.year !== year) {
      const answer = await request("GET", "/api/calendar/" + year);
      if (answer.status !== 200) { toast(reason(answer)); return false; }
      shown = answer.body;
      fill();
    }
    const buttons = findAll("button", months);
    const button = buttons.find(({ value }) => value >= day) || buttons.at(-1);
    for (const other of findAll("[tabindex='0']", months)) other.tabIndex = -1;
    button.tabIndex = 0;
    return button;
  };
  const focus = async (day) => {
    const button = await show(day);
    if (button) button.focus();
  };
  const turn = (years) => focus(years < 0 ? shown.year - 1 + "-12-31" : shown.year + 1 + "-01-01");
  on(find(".before", sheet), "click", () => turn(-1));
  on(find(".next", sheet), "click", () => turn(1));
  on(months, "keydown", (event) => {
    const day = event.target.value;
    const move = {
      ArrowLeft: [-1], ArrowRight: [1], ArrowUp: [-7], ArrowDown: [7], PageUp: [0, -1], PageDown: [0, 1],
    }[event.key];
    if (!move || !day) return;
    event.preventDefault();
    const to = dayAfter(day, ...move);
    const year = Number(to.slice(0, 4));
    if (year === shown.year || (year < shown.year ? year >= shown.first : !find(".next", sheet).disabled)) {
      focus(to);
    }
  });

  return async (day) => {
    // Entries may have been written since it was open.
    shown = null;
    const button = await show(day);
    if (!button) return "";
    const chosen = openDialog(sheet);
    const part = button.closest("section");
    months.scrollTop += part.getBoundingClientRect().top - months.getBoundingClientRect().top;
    button.focus({ preventScroll: true });
    const answer = await chosen;
    return answer === "cancel" ? "" : answer;
  };
}

export const openCalendar = startCalendar();
