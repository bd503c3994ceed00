import CLibgit2
import DiaryCore
import Glibc

extension GitRepository {
  /// Returns the paths where disk, index and HEAD may differ: untracked files (folders opened,
  /// ignored ones omitted), changed, deleted and staged ones, without files that a sparse checkout
  /// omits and other repositories. If libgit2 cannot read the index, the files are compared with
  /// HEAD instead. Throws `tooDeep` if folders are nested too deeply for libgit2; git itself can
  /// list them then.
  package func possibleChanges() throws(GitError) -> [EntryPath] {
    let found = try loadIndexIntoLibgit2() ? changesFromStatus() : changesFromHead()
    return found.compactMap { location.journalPath($0) }.sorted()
  }

  private func changesFromStatus() throws(GitError) -> Set<EntryPath> {
    var options = git_status_options()
    git_status_options_init(&options, UInt32(GIT_STATUS_OPTIONS_VERSION))
    options.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR
    options.flags =
      GIT_STATUS_OPT_INCLUDE_UNTRACKED.rawValue | GIT_STATUS_OPT_RECURSE_UNTRACKED_DIRS.rawValue
      | GIT_STATUS_OPT_DISABLE_PATHSPEC_MATCH.rawValue | GIT_STATUS_OPT_EXCLUDE_SUBMODULES.rawValue
      | GIT_STATUS_OPT_NO_REFRESH.rawValue
    var list: OpaquePointer?
    let paths = PathList(location.prefix)
    options.pathspec = paths.array
    let code = git_status_list_new(&list, repository, &options)
    withExtendedLifetime(paths) {}
    try GitError.check(code, "compare with git", location.workTree)
    defer { git_status_list_free(list) }
    var found: Set<EntryPath> = []
    for position in 0..<git_status_list_entrycount(list) {
      guard let item = git_status_byindex(list, position) else { continue }
      for delta in [item.pointee.head_to_index, item.pointee.index_to_workdir] {
        for path in files(of: delta) where try !isSkipped(path, item.pointee.status) {
          found.insert(path)
        }
      }
    }
    return found.union(try pathsUncheckedByStatus())
  }

  /// Returns the files that libgit2's status takes for unchanged without reading them: those marked
  /// by `git update-index --assume-unchanged`, and those that a sparse checkout omits but that
  /// exist on disk.
  private func pathsUncheckedByStatus() throws(GitError) -> [EntryPath] {
    guard case .readable(let index) = try openIndex() else { return [] }
    return index.uncheckedPaths().filter { path in
      var status = stat()
      return lstat(location.diskPath(path), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
  }

  /// True if a missing file is only omitted by a sparse checkout.
  private func isSkipped(_ path: EntryPath, _ status: git_status_t) throws(GitError) -> Bool {
    guard status.rawValue & GIT_STATUS_WT_DELETED.rawValue != 0,
      case .readable(let index) = try openIndex()
    else { return false }
    return index.entry(at: path)?.isSkipWorktree == true
  }

  private func changesFromHead() throws(GitError) -> Set<EntryPath> {
    var options = git_diff_options()
    git_diff_options_init(&options, UInt32(GIT_DIFF_OPTIONS_VERSION))
    options.flags =
      GIT_DIFF_INCLUDE_UNTRACKED.rawValue | GIT_DIFF_RECURSE_UNTRACKED_DIRS.rawValue
      | GIT_DIFF_DISABLE_PATHSPEC_MATCH.rawValue | GIT_DIFF_IGNORE_SUBMODULES.rawValue
      | GIT_DIFF_INCLUDE_TYPECHANGE.rawValue
    let tree = try tree(of: head().commit)
    let object = try tree.map { id throws(GitError) in try lookUpTree(id) } ?? nil
    defer { git_tree_free(object) }
    var list: OpaquePointer?
    let paths = PathList(location.prefix)
    options.pathspec = paths.array
    let code = git_diff_tree_to_workdir(&list, repository, object, &options)
    withExtendedLifetime(paths) {}
    try GitError.check(code, "compare with git", location.workTree)
    defer { git_diff_free(list) }
    // Only the index lists the files that a sparse checkout omits.
    let isSparse = isConfigured("core.sparseCheckout", unset: false)
    var found: Set<EntryPath> = []
    for position in 0..<git_diff_num_deltas(list) {
      guard let delta = git_diff_get_delta(list, position) else { continue }
      if isSparse, delta.pointee.status == GIT_DELTA_DELETED { continue }
      found.formUnion(files(of: UnsafeMutablePointer(mutating: delta)))
    }
    return found
  }

  /// Returns the files of a delta; another repository appears as a folder and is not a file.
  private func files(of delta: UnsafeMutablePointer<git_diff_delta>?) -> [EntryPath] {
    guard let delta else { return [] }
    return [delta.pointee.old_file, delta.pointee.new_file].compactMap { file in
      file.mode == UInt16(TreeEntry.submodule) || file.mode == UInt16(TreeEntry.folder)
        ? nil : file.path.flatMap { EntryPath(cString: $0) }
    }
  }
}

/// A list of at most one path in libgit2's format; it owns the memory.
private final class PathList {
  let array: git_strarray

  init(_ path: EntryPath?) {
    guard let path else {
      array = git_strarray()
      return
    }
    let strings = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: 1)
    strings.initialize(to: strdup(path.cString))
    array = git_strarray(strings: strings, count: 1)
  }

  deinit {
    free(array.strings?.pointee)
    array.strings?.deallocate()
  }
}
