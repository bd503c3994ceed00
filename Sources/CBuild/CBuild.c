#include "CBuild.h"

#include <stddef.h>

#ifndef DIARY_COMMIT
#define DIARY_COMMIT NULL
#endif
#ifndef DIARY_SWIFT
#define DIARY_SWIFT NULL
#endif

const char *diary_build_commit(void) { return DIARY_COMMIT; }

const char *diary_build_swift(void) { return DIARY_SWIFT; }
