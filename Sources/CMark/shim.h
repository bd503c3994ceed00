// The headers of cmark-gfm: CommonMark with GitHub's tables, tasks, strikethrough and autolinks.
#ifndef DIARY_CMARK_H
#define DIARY_CMARK_H

#include <cmark-gfm.h>
#include <cmark-gfm-core-extensions.h>

#endif
