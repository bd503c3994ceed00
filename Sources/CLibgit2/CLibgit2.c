// libgit2, loaded when it is first asked for: it brings twenty libraries along, which would cost each
// verb three milliseconds, and those that only read never ask. Each function that Diary uses stands
// here under its own name and hands over to libgit2's; the compiler holds it to libgit2's headers.

#define _GNU_SOURCE
#include "CLibgit2.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// No caller can go on without it, and a verb may be ended anywhere.
static void refuse(void) {
  fprintf(
      stderr, "diary: cannot load libgit2: %s\n"
      "hint: nothing is lost; is it installed (Debian: `sudo apt install libgit2-dev`), and are more "
      "open files allowed (`ulimit -n`)?\n",
      dlerror());
  exit(1);
}

// What libgit2 calls by these names is its own; the sanitizer allows that for no library.
#if __has_feature(address_sanitizer)
enum { Binding = RTLD_LAZY | RTLD_LOCAL };
#else
enum { Binding = RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND };
#endif

static void *library(void) {
  static void *opened;
  void *found = __atomic_load_n(&opened, __ATOMIC_ACQUIRE);
  if (found) return found;
  found = dlopen("libgit2.so." LIBGIT2_SOVERSION, Binding);
  if (!found) refuse();
  __atomic_store_n(&opened, found, __ATOMIC_RELEASE);
  return found;
}

static void *function(const char *name) {
  void *found = dlsym(library(), name);
  if (!found) refuse();
  return found;
}

#define FORWARD(result, name, parameters, arguments) \
  result name parameters { \
    static result(*known) parameters; \
    result(*real) parameters = __atomic_load_n(&known, __ATOMIC_ACQUIRE); \
    if (!real) { \
      real = (result(*) parameters)function(#name); \
      __atomic_store_n(&known, real, __ATOMIC_RELEASE); \
    } \
    return real arguments; \
  }

FORWARD(
    int, git_attr_get,
    (const char **value_out, git_repository *repo, uint32_t flags, const char *path,
     const char *name),
    (value_out, repo, flags, path, name))
FORWARD(git_attr_value_t, git_attr_value, (const char *attr), (attr))
FORWARD(void, git_blob_free, (git_blob *blob), (blob))
FORWARD(
    int, git_blob_lookup,
    (git_blob **blob, git_repository *repo, const git_oid *id),
    (blob, repo, id))
FORWARD(const void *, git_blob_rawcontent, (const git_blob *blob), (blob))
FORWARD(git_object_size_t, git_blob_rawsize, (const git_blob *blob), (blob))
FORWARD(void, git_buf_dispose, (git_buf *buffer), (buffer))
FORWARD(const git_signature *, git_commit_author, (const git_commit *commit), (commit))
FORWARD(void, git_commit_free, (git_commit *commit), (commit))
FORWARD(
    int, git_commit_lookup,
    (git_commit **commit, git_repository *repo, const git_oid *id),
    (commit, repo, id))
FORWARD(const char *, git_commit_message_raw, (const git_commit *commit), (commit))
FORWARD(
    const git_oid *, git_commit_parent_id,
    (const git_commit *commit, unsigned int n),
    (commit, n))
FORWARD(unsigned int, git_commit_parentcount, (const git_commit *commit), (commit))
FORWARD(git_time_t, git_commit_time, (const git_commit *commit), (commit))
FORWARD(const git_oid *, git_commit_tree_id, (const git_commit *commit), (commit))
FORWARD(
    int, git_config_add_file_ondisk,
    (git_config *cfg, const char *path, git_config_level_t level, const git_repository *repo,
     int force),
    (cfg, path, level, repo, force))
FORWARD(int, git_config_delete_entry, (git_config *cfg, const char *name), (cfg, name))
FORWARD(
    int, git_config_foreach_match,
    (const git_config *cfg, const char *regexp, git_config_foreach_cb callback, void *payload),
    (cfg, regexp, callback, payload))
FORWARD(void, git_config_free, (git_config *cfg), (cfg))
FORWARD(
    int, git_config_get_bool,
    (int *out, const git_config *cfg, const char *name),
    (out, cfg, name))
FORWARD(
    int, git_config_get_int64,
    (int64_t *out, const git_config *cfg, const char *name),
    (out, cfg, name))
FORWARD(
    int, git_config_get_string,
    (const char **out, const git_config *cfg, const char *name),
    (out, cfg, name))
FORWARD(int, git_config_new, (git_config **out), (out))
FORWARD(
    int, git_config_open_level,
    (git_config **out, const git_config *parent, git_config_level_t level),
    (out, parent, level))
FORWARD(
    int, git_config_set_string,
    (git_config *cfg, const char *name, const char *value),
    (cfg, name, value))
FORWARD(void, git_diff_free, (git_diff *diff), (diff))
FORWARD(const git_diff_delta *, git_diff_get_delta, (const git_diff *diff, size_t idx), (diff, idx))
FORWARD(size_t, git_diff_num_deltas, (const git_diff *diff), (diff))
FORWARD(int, git_diff_options_init, (git_diff_options *opts, unsigned int version), (opts, version))
FORWARD(
    int, git_diff_tree_to_workdir,
    (git_diff **diff, git_repository *repo, git_tree *old_tree, const git_diff_options *opts),
    (diff, repo, old_tree, opts))
FORWARD(const git_error *, git_error_last, (void), ())
FORWARD(
    int, git_filter_list_apply_to_buffer,
    (git_buf *out, git_filter_list *filters, const char *in, size_t in_len),
    (out, filters, in, in_len))
FORWARD(void, git_filter_list_free, (git_filter_list *filters), (filters))
FORWARD(
    int, git_filter_list_load,
    (git_filter_list **filters, git_repository *repo, git_blob *blob, const char *path,
     git_filter_mode_t mode, uint32_t flags),
    (filters, repo, blob, path, mode, flags))
FORWARD(
    int, git_graph_ahead_behind,
    (size_t *ahead, size_t *behind, git_repository *repo, const git_oid *local,
     const git_oid *upstream),
    (ahead, behind, repo, local, upstream))
FORWARD(
    int, git_ignore_path_is_ignored,
    (int *ignored, git_repository *repo, const char *path),
    (ignored, repo, path))
FORWARD(
    int, git_index_add,
    (git_index *index, const git_index_entry *source_entry),
    (index, source_entry))
FORWARD(void, git_index_conflict_iterator_free, (git_index_conflict_iterator *iterator), (iterator))
FORWARD(
    int, git_index_conflict_iterator_new,
    (git_index_conflict_iterator **iterator_out, git_index *index),
    (iterator_out, index))
FORWARD(
    int, git_index_conflict_next,
    (const git_index_entry **ancestor_out, const git_index_entry **our_out,
     const git_index_entry **their_out, git_index_conflict_iterator *iterator),
    (ancestor_out, our_out, their_out, iterator))
FORWARD(int, git_index_entry_stage, (const git_index_entry *entry), (entry))
FORWARD(size_t, git_index_entrycount, (const git_index *index), (index))
FORWARD(
    int, git_index_find_prefix,
    (size_t *at_pos, git_index *index, const char *prefix),
    (at_pos, index, prefix))
FORWARD(void, git_index_free, (git_index *index), (index))
FORWARD(const git_index_entry *, git_index_get_byindex, (git_index *index, size_t n), (index, n))
FORWARD(
    const git_index_entry *, git_index_get_bypath,
    (git_index *index, const char *path, int stage),
    (index, path, stage))
FORWARD(int, git_index_has_conflicts, (const git_index *index), (index))
FORWARD(int, git_index_new, (git_index **out), (out))
FORWARD(int, git_index_open, (git_index **out, const char *index_path), (out, index_path))
FORWARD(int, git_index_read, (git_index *index, int force), (index, force))
FORWARD(
    int, git_index_remove,
    (git_index *index, const char *path, int stage),
    (index, path, stage))
FORWARD(int, git_index_write, (git_index *index), (index))
FORWARD(int, git_libgit2_init, (void), ())
FORWARD(
    int, git_merge_bases_many,
    (git_oidarray *out, git_repository *repo, size_t length, const git_oid input_array[]),
    (out, repo, length, input_array))
FORWARD(int, git_mempack_new, (git_odb_backend **out), (out))
FORWARD(void, git_object_free, (git_object *object), (object))
FORWARD(const git_oid *, git_object_id, (const git_object *obj), (obj))
FORWARD(
    int, git_object_lookup_prefix,
    (git_object **object_out, git_repository *repo, const git_oid *id, size_t len,
     git_object_t type),
    (object_out, repo, id, len, type))
FORWARD(
    int, git_odb_add_backend,
    (git_odb *odb, git_odb_backend *backend, int priority),
    (odb, backend, priority))
FORWARD(
    int, git_odb_backend_loose,
    (git_odb_backend **out, const char *objects_dir, int compression_level, int do_fsync,
     unsigned int dir_mode, unsigned int file_mode),
    (out, objects_dir, compression_level, do_fsync, dir_mode, file_mode))
FORWARD(int, git_odb_exists, (git_odb *db, const git_oid *id), (db, id))
FORWARD(
    int, git_odb_exists_ext,
    (git_odb *db, const git_oid *id, unsigned int flags),
    (db, id, flags))
FORWARD(void, git_odb_free, (git_odb *db), (db))
FORWARD(
    int, git_odb_hash, (git_oid *out, const void *data, size_t len, git_object_t type),
    (out, data, len, type))
FORWARD(int, git_odb_new, (git_odb **out), (out))
FORWARD(const void *, git_odb_object_data, (git_odb_object *object), (object))
FORWARD(void, git_odb_object_free, (git_odb_object *object), (object))
FORWARD(size_t, git_odb_object_size, (git_odb_object *object), (object))
FORWARD(git_object_t, git_odb_object_type, (git_odb_object *object), (object))
FORWARD(int, git_odb_open, (git_odb **out, const char *objects_dir), (out, objects_dir))
FORWARD(int, git_odb_read, (git_odb_object **out, git_odb *db, const git_oid *id), (out, db, id))
FORWARD(
    int, git_odb_read_header,
    (size_t *length, git_object_t *type, git_odb *db, const git_oid *id),
    (length, type, db, id))
FORWARD(int, git_odb_refresh, (git_odb *db), (db))
FORWARD(
    int, git_odb_write,
    (git_oid *out, git_odb *odb, const void *data, size_t len, git_object_t type),
    (out, odb, data, len, type))
FORWARD(int, git_oid_equal, (const git_oid *a, const git_oid *b), (a, b))
FORWARD(int, git_oid_fromstrn, (git_oid *out, const char *str, size_t length), (out, str, length))
FORWARD(void, git_oidarray_dispose, (git_oidarray *array), (array))
FORWARD(void, git_packbuilder_free, (git_packbuilder *pb), (pb))
FORWARD(
    int, git_packbuilder_insert,
    (git_packbuilder *pb, const git_oid *id, const char *name),
    (pb, id, name))
FORWARD(const char *, git_packbuilder_name, (git_packbuilder *pb), (pb))
FORWARD(int, git_packbuilder_new, (git_packbuilder **out, git_repository *repo), (out, repo))
FORWARD(
    int, git_packbuilder_write,
    (git_packbuilder *pb, const char *path, unsigned int mode,
     git_indexer_progress_cb progress_cb, void *progress_cb_payload),
    (pb, path, mode, progress_cb, progress_cb_payload))
FORWARD(void, git_reference_free, (git_reference *ref), (ref))
FORWARD(void, git_reference_iterator_free, (git_reference_iterator *iter), (iter))
FORWARD(
    int, git_reference_iterator_glob_new,
    (git_reference_iterator **out, git_repository *repo, const char *glob),
    (out, repo, glob))
FORWARD(
    int, git_reference_lookup,
    (git_reference **out, git_repository *repo, const char *name),
    (out, repo, name))
FORWARD(
    int, git_reference_name_to_id,
    (git_oid *out, git_repository *repo, const char *name),
    (out, repo, name))
FORWARD(int, git_reference_next_name, (const char **out, git_reference_iterator *iter), (out, iter))
FORWARD(
    int, git_reference_peel,
    (git_object **out, const git_reference *ref, git_object_t type),
    (out, ref, type))
FORWARD(int, git_reference_remove, (git_repository *repo, const char *name), (repo, name))
FORWARD(const char *, git_reference_symbolic_target, (const git_reference *ref), (ref))
FORWARD(const git_oid *, git_reference_target, (const git_reference *ref), (ref))
FORWARD(git_direction, git_refspec_direction, (const git_refspec *spec), (spec))
FORWARD(
    int, git_refspec_src_matches,
    (const git_refspec *refspec, const char *refname),
    (refspec, refname))
FORWARD(
    int, git_refspec_transform,
    (git_buf *out, const git_refspec *spec, const char *name),
    (out, spec, name))
FORWARD(void, git_remote_free, (git_remote *remote), (remote))
FORWARD(
    const git_refspec *, git_remote_get_refspec,
    (const git_remote *remote, size_t n),
    (remote, n))
FORWARD(int, git_remote_list, (git_strarray *out, git_repository *repo), (out, repo))
FORWARD(
    int, git_remote_lookup,
    (git_remote **out, git_repository *repo, const char *name),
    (out, repo, name))
FORWARD(size_t, git_remote_refspec_count, (const git_remote *remote), (remote))
FORWARD(const char *, git_remote_url, (const git_remote *remote), (remote))
FORWARD(int, git_repository_config, (git_config **out, git_repository *repo), (out, repo))
FORWARD(int, git_repository_config_snapshot, (git_config **out, git_repository *repo), (out, repo))
FORWARD(void, git_repository_free, (git_repository *repo), (repo))
FORWARD(
    int, git_repository_init_ext,
    (git_repository **out, const char *repo_path, git_repository_init_options *opts),
    (out, repo_path, opts))
FORWARD(
    int, git_repository_init_options_init,
    (git_repository_init_options *opts, unsigned int version),
    (opts, version))
FORWARD(int, git_repository_is_shallow, (git_repository *repo), (repo))
FORWARD(int, git_repository_odb, (git_odb **out, git_repository *repo), (out, repo))
FORWARD(
    int, git_repository_open_ext,
    (git_repository **out, const char *path, unsigned int flags, const char *ceiling_dirs),
    (out, path, flags, ceiling_dirs))
FORWARD(
    int, git_repository_set_config,
    (git_repository *repo, git_config *config),
    (repo, config))
FORWARD(int, git_repository_set_index, (git_repository *repo, git_index *index), (repo, index))
FORWARD(int, git_repository_wrap_odb, (git_repository **out, git_odb *odb), (out, odb))
FORWARD(void, git_revwalk_free, (git_revwalk *walk), (walk))
FORWARD(int, git_revwalk_hide, (git_revwalk *walk, const git_oid *commit_id), (walk, commit_id))
FORWARD(int, git_revwalk_new, (git_revwalk **out, git_repository *repo), (out, repo))
FORWARD(int, git_revwalk_next, (git_oid *out, git_revwalk *walk), (out, walk))
FORWARD(int, git_revwalk_push, (git_revwalk *walk, const git_oid *id), (walk, id))
FORWARD(int, git_revwalk_sorting, (git_revwalk *walk, unsigned int sort_mode), (walk, sort_mode))
FORWARD(
    const git_status_entry *, git_status_byindex,
    (git_status_list *statuslist, size_t idx),
    (statuslist, idx))
FORWARD(size_t, git_status_list_entrycount, (git_status_list *statuslist), (statuslist))
FORWARD(void, git_status_list_free, (git_status_list *statuslist), (statuslist))
FORWARD(
    int, git_status_list_new,
    (git_status_list **out, git_repository *repo, const git_status_options *opts),
    (out, repo, opts))
FORWARD(
    int, git_status_options_init,
    (git_status_options *opts, unsigned int version),
    (opts, version))
FORWARD(void, git_strarray_dispose, (git_strarray *array), (array))
FORWARD(
    int, git_tree_create_updated,
    (git_oid *out, git_repository *repo, git_tree *baseline, size_t nupdates,
     const git_tree_update *updates),
    (out, repo, baseline, nupdates, updates))
FORWARD(
    const git_tree_entry *, git_tree_entry_byindex,
    (const git_tree *tree, size_t idx),
    (tree, idx))
FORWARD(
    const git_tree_entry *, git_tree_entry_byname,
    (const git_tree *tree, const char *filename),
    (tree, filename))
FORWARD(
    int, git_tree_entry_bypath,
    (git_tree_entry **out, const git_tree *root, const char *path),
    (out, root, path))
FORWARD(int, git_tree_entry_cmp, (const git_tree_entry *e1, const git_tree_entry *e2), (e1, e2))
FORWARD(git_filemode_t, git_tree_entry_filemode, (const git_tree_entry *entry), (entry))
FORWARD(void, git_tree_entry_free, (git_tree_entry *entry), (entry))
FORWARD(const git_oid *, git_tree_entry_id, (const git_tree_entry *entry), (entry))
FORWARD(const char *, git_tree_entry_name, (const git_tree_entry *entry), (entry))
FORWARD(size_t, git_tree_entrycount, (const git_tree *tree), (tree))
FORWARD(void, git_tree_free, (git_tree *tree), (tree))
FORWARD(
    int, git_tree_lookup,
    (git_tree **out, git_repository *repo, const git_oid *id),
    (out, repo, id))

// Variadic in libgit2; each use has a shim of its own.

static int (*options(void))(int, ...) { return (int (*)(int, ...))function("git_libgit2_opts"); }

int diary_git_set_search_path(int level, const char *path) {
  return options()(GIT_OPT_SET_SEARCH_PATH, level, path);
}

int diary_git_set_strict_hash(int on) {
  return options()(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, on);
}

int diary_git_set_caching(int on) { return options()(GIT_OPT_ENABLE_CACHING, on); }
