"use strict";
// In a wide window, the list stands beside the entry. This script runs before anything is shown.

const wide = matchMedia("(min-width: 60rem)");
/** A document; `null` without an answer. The policy allows no other parser. */
const loadDocument = (address) => new Promise((done) => {
  const ask = new XMLHttpRequest();
  ask.open("GET", address);
  ask.responseType = "document";
  ask.timeout = 20000;
  ask.onloadend = () => done(ask.status === 200 ? ask.response : null);
  ask.send();
});

{
  const { panes, style } = document.currentScript.dataset;
  const { dataset } = document.documentElement;
  const parsed = new Promise((done) => document.addEventListener("DOMContentLoaded", done));
  const show = () => delete dataset.waiting;
  wide.onchange = () => {
    if (!wide.matches) return;
    wide.onchange = null;
    if (document.readyState === "loading") dataset.waiting = "";
    dataset.panes = "";
    setTimeout(show, 500);
    let place = {};
    // Where the list stood before; otherwise it stands at the entry.
    try { place = JSON.parse(sessionStorage.getItem("place")) || place; } catch { /* as without one */ }
    const [, path] = location.pathname.split(/^\/e\//);
    place.address ||= path ? "/?at=" + path : "/";
    const loading = loadDocument(place.address);
    import(panes).then(({ startPanes }) => startPanes(place, loading, style, parsed)).finally(show);
  };
  wide.onchange();
}
