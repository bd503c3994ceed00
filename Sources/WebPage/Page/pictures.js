"use strict";
// The screen of all pictures. Requires page.js.

if (find("[data-thumbnail]")) use("thumbnails", "makeThumbnails", document);
