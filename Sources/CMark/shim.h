// cmark-gfm's headers: CommonMark with GitHub's tables, task lists, strikethrough and autolinks.
#ifndef DIARY_CMARK_H
#define DIARY_CMARK_H

#include <cmark-gfm.h>
#include <cmark-gfm-core-extensions.h>

#endif
