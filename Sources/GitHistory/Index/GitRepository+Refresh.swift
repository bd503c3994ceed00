import DiaryCore

/// A working file that was replaced by the version of a commit.
package struct ReplacedFile: Sendable, Equatable {
  /// The path in the repository.
  package let path: EntryPath
  /// The current content.
  package let blob: ObjectID
  /// The signature of the file after the write.
  package let signature: FileSignature

  package init(path: EntryPath, blob: ObjectID, signature: FileSignature) {
    self.path = path
    self.blob = blob
    self.signature = signature
  }
}

extension GitRepository {
  /// Updates the file status in the index for working files whose content the index names, so that
  /// `git status` need not read them. This only saves time: if another process holds the lock or
  /// Diary cannot read the index, nothing is done, and `git status` is right all the same.
  package func refreshIndex(_ files: [ReplacedFile]) throws(GitError) {
    guard !files.isEmpty,
      let lock = try OwnedLockFile.acquire(indexPath + ".lock", in: location, flush)
    else {
      return
    }
    defer { lock.release() }
    guard case .readable(let lockedIndex) = try openIndex(under: lock) else { return }
    var changes: [CommitPlan.Change] = []
    for file in files {
      guard let staged = lockedIndex.index.entry(at: file.path), staged.entry.id == file.blob,
        staged.entry.isRegular, !staged.isIntentToAdd
      else { continue }
      changes.append(
        CommitPlan.Change(
          path: file.path, old: staged.entry, new: staged.entry, content: nil, staged: staged,
          signature: file.signature))
    }
    guard !changes.isEmpty else { return }
    try lock.write(lockedIndex.updatedBytes(applying: changes), mode: lockedIndex.mode)
    try lock.replace(indexPath)
  }
}
