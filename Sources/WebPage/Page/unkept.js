"use strict";
// In the place of drafts.js for a journal that can be locked: the browser keeps no text of it.

const keepsText = false;
const draftKeys = () => [];
const readDraft = () => null;
const keepDraft = () => {};
// The place in the list that was kept while the journal was plain may have words of a search.
told("place");
told("page");
