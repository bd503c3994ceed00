import CLibgit2
import DiaryCore

extension GitRepository {
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
    if let save = try newestSave(head) {
      for (path, entry) in try pendingEdits(save, committed) { files[path] = entry }
    }
    var found: [EntryPath: ObjectID] = [:]
    for (full, entry) in files where entry.isRegular {
      if let path = location.journalPath(full) { found[path] = entry.id }
    }
    return found
  }
}
