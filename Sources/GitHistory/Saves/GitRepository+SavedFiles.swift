import CLibgit2
import DiaryCore

// The saved state of files: the pending one on the saves ref, else that of HEAD.

extension GitRepository {
  /// Returns the saved file at a path of the repository, or `nil` if it is missing or deleted.
  package func savedEntry(at full: EntryPath) throws(GitError) -> TreeEntry? {
    try savedEntries(at: [full])[full]
  }

  /// Returns the saved file of each path. A path that is not saved anywhere, or saved as deleted,
  /// is not in the result.
  package func savedFiles(at paths: [EntryPath]) throws(GitError) -> [EntryPath: TreeEntry] {
    let entries = try savedEntries(at: paths.map { location.repositoryPath($0) })
    var found: [EntryPath: TreeEntry] = [:]
    for path in paths {
      if let entry = entries[location.repositoryPath(path)], entry.isRegular { found[path] = entry }
    }
    return found
  }

  /// Returns the saved blob of each path, like ``savedFiles(at:)``.
  package func savedBlobs(at paths: [EntryPath]) throws(GitError) -> [EntryPath: ObjectID] {
    try savedFiles(at: paths).mapValues(\.id)
  }

  /// Returns the saved text of a path, or `nil` if it is not saved, or saved as deleted.
  package func savedContent(_ path: EntryPath) throws(GitError) -> [UInt8]? {
    guard let file = try savedFiles(at: [path])[path] else { return nil }
    return try content(of: file.id, as: path)
  }

  /// Returns the changes without the writes of what is saved already.
  package func unsaved(_ changes: [FileChange]) throws(GitError) -> [FileChange] {
    let saved = try savedEntries(at: changes.map { location.repositoryPath($0.path) })
    var rules = AttributeRules(self)
    var found: [FileChange] = []
    for change in changes {
      let path = location.repositoryPath(change.path)
      if case .write(_, let bytes, let executable) = change, let entry = saved[path],
        mode(executable, insteadOf: entry) == entry.mode
      {
        let isFiltered = rules.mayHaveAttributes(path, self)
        let stored = isFiltered ? try filtered(bytes, path, GIT_FILTER_TO_ODB) : bytes
        if try ObjectID(of: stored) == entry.id { continue }
      }
      found.append(change)
    }
    return found
  }

  /// Returns the saved entries at paths of the repository.
  private func savedEntries(at paths: [EntryPath]) throws(GitError) -> [EntryPath: TreeEntry] {
    let head = try head()
    let committed = try tree(of: head.commit)
    let pending = try pendingEdits(head, committed)
    let folders = TreeCache()
    var found: [EntryPath: TreeEntry] = [:]
    for path in paths.sorted() {
      let entry: TreeEntry? =
        if let saved = pending[path] { saved } else {
          try fileEntry(at: path, in: committed, folders)
        }
      found[path] = entry
    }
    return found
  }

  /// Returns the saved files of the journal, committed or pending, that have one of the contents.
  package func savedFiles(
    withContents contents: Set<ObjectID>
  ) throws(GitError) -> [EntryPath: ObjectID] {
    guard !contents.isEmpty else { return [:] }
    return try savedFiles().filter { contents.contains($0.value) }
  }

  /// Returns the paths of all saved files of the journal.
  package func savedPaths() throws(GitError) -> [EntryPath] { try savedFiles().keys.sorted() }

  /// Returns those of the paths, all missing on disk, that are saved and that the user did not
  /// remove on purpose (`git rm`, sparse checkout).
  package func missingPaths(among paths: [EntryPath]) throws(GitError) -> [EntryPath] {
    let saved = try savedBlobs(at: paths)
    let missing = paths.filter { saved[$0] != nil }
    guard !missing.isEmpty, case .readable(let index) = try openIndex() else { return missing }
    let committed = try tree(of: head().commit)
    let folders = TreeCache()
    var found: [EntryPath] = []
    for path in missing.sorted() {
      let full = location.repositoryPath(path)
      if let staged = index.entry(at: full) {
        if !staged.isSkipWorktree { found.append(path) }
      } else if try fileEntry(at: full, in: committed, folders) == nil
        || index.hasConflict(at: full)
      {
        found.append(path)
      }
    }
    return found
  }

  private func savedFiles() throws(GitError) -> [EntryPath: ObjectID] {
    let head = try head()
    let committed = try tree(of: head.commit)
    var files = try differences(nil, committed).compactMapValues { $0.new }
    for (path, entry) in try pendingEdits(head, committed) { files[path] = entry }
    var found: [EntryPath: ObjectID] = [:]
    for (full, entry) in files where entry.isRegular {
      if let path = location.journalPath(full) { found[path] = entry.id }
    }
    return found
  }
}
