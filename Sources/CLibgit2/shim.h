// libgit2's headers, and a function for each used option of its variadic `git_libgit2_opts`, which
// Swift does not import.
#ifndef DIARY_CLIBGIT2_H
#define DIARY_CLIBGIT2_H

#include <git2.h>
#include <git2/sys/mempack.h>
#include <git2/sys/odb_backend.h>
#include <git2/sys/repository.h>

/// Sets the folder from which a level's configuration is read; empty for none.
static inline int diary_git_set_search_path(int level, const char *path) {
  return git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, path);
}

/// Sets whether a repository of another user is refused.
static inline int diary_git_set_owner_check(int on) {
  return git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, on);
}

/// Sets whether the hash of each object is recomputed when it is read.
static inline int diary_git_set_strict_hash(int on) {
  return git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, on);
}

/// Sets whether objects are cached after they are read.
static inline int diary_git_set_caching(int on) {
  return git_libgit2_opts(GIT_OPT_ENABLE_CACHING, on);
}

/// Sets the bytes of objects that are cached at most.
static inline int diary_git_set_cache_size(long long size) {
  return git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, (ssize_t)size);
}

/// Returns the bytes of objects that are cached now.
static inline long long diary_git_cached_bytes(void) {
  ssize_t current = 0, allowed = 0;
  git_libgit2_opts(GIT_OPT_GET_CACHED_MEMORY, &current, &allowed);
  return current;
}

/// Sets the bytes of a pack that are mapped at once, the bytes of all packs, and the number of
/// packs that are open at a time.
static inline int diary_git_set_windows(size_t window, size_t all, size_t files) {
  int code = git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, window);
  if (code >= 0) code = git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, all);
  return code < 0 ? code : git_libgit2_opts(GIT_OPT_SET_MWINDOW_FILE_LIMIT, files);
}

#endif
