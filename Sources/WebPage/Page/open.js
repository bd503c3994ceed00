"use strict";
// Sends the link's code, which is valid once, and opens the list.
(async () => {
  const code = location.hash.slice(1);
  history.replaceState(null, "", "/open");
  const answer = await fetch("/open", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
  }).catch(() => null);
  if (answer && answer.ok) {
    location.replace("/");
    return;
  }
  const words = answer && (await answer.json().catch(() => null));
  const message = document.getElementById("message");
  message.textContent = words ? words.what + ". " + words.hint : "—";
})();
