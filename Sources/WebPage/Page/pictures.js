"use strict";
// The screen of all pictures. Requires page.js and thumbnails.js.

startThumbnails()(document);
