// The sheet that sets the place of the weather. The list loads this module when it is opened first.

export function askWeather() {
  const sheet = find("#weather");
  const said = find(".said", sheet);
  const set = async (value) => {
    const answer = await request("PUT", "/api/weather", value);
    said.textContent = answer.status === 200 ? "" : [reason(answer), answer.body.hint].join(". ");
    if (answer.status !== 200) return;
    sheet.close();
    toast(answer.body.said, null, 4000);
    if (find("#ask-weather")) find("#ask-weather").remove();
  };
  said.textContent = "";
  find("[data-do=here]", sheet).onclick = () => navigator.geolocation.getCurrentPosition(
    // Round to about one kilometre: a more precise position never leaves this page.
    ({ coords }) => set({ latitude: Math.round(coords.latitude * 100) / 100,
      longitude: Math.round(coords.longitude * 100) / 100 }),
    () => { said.textContent = localized("refused"); find("#place").focus(); }, { timeout: 15000 });
  find("[data-do=off]", sheet).onclick = () => set({ off: true });
  find("form", sheet).onsubmit = (event) => {
    event.preventDefault();
    const name = find("#place").value.trim();
    if (name) set({ name });
  };
  return openDialog(sheet);
}
