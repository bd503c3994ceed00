"use strict";
// The screens of an entry's history and of deleted entries. Requires page.js.

on(document, "click", async ({ target }) => {
  const button = target.closest(".restore, .step");
  if (!button) return;
  const { href = page.dataset.href, step } = button.dataset;
  const question = step ? "step" : button.dataset.href ? "restoreAgain" : "restoreThis";
  const name = step ? find("p", button.parentElement).firstChild.data
    : button.dataset.href ? find("b", button.parentElement).textContent : localized("restore");
  if (!(await confirmed(name, localized(question), button.textContent))) return;
  const answer = step ? await request("POST", "/api/steps/" + step)
    : await request("POST", addressWith("/api/restore/", href), { at: page.dataset.commit });
  if (![200, 204].includes(answer.status)) return toast(reason(answer));
  if (step) location.reload(); else location.href = answer.body.href;
});
