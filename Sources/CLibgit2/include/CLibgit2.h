// libgit2's headers, and shims for what Swift's importer cannot see.
#ifndef DIARY_CLIBGIT2_H
#define DIARY_CLIBGIT2_H

#include <git2.h>
#include <git2/sys/mempack.h>
#include <git2/sys/odb_backend.h>
#include <git2/sys/repository.h>

/// git_libgit2_opts. `path` empty: nothing is read from that level. NULL: libgit2's own guess again.
int diary_git_set_search_path(int level, const char *path);

/// Whether the hash of each object is computed again when it is read.
int diary_git_set_strict_hash(int on);

/// Whether objects that were read are kept for a second reading.
int diary_git_set_caching(int on);

#endif
