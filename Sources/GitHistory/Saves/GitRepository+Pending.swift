import DiaryCore

extension GitRepository {
  /// Returns the paths that are on the saves ref and not yet on the branch. It compares only trees:
  /// a save's differences from the commit it was made on that also differ from HEAD.
  package func pending() throws(GitError) -> [PendingPath] {
    let head = try head()
    return try pendingEdits(head, tree(of: head.commit)).compactMap { full, entry in
      location.journalPath(full).map { PendingPath(path: $0, isDeletion: entry == nil) }
    }.sorted { $0.path < $1.path }
  }

  /// Returns the entries of the newest save that differ both from the commit it was made on and
  /// from `tree`, the tree of `head` (paths of the repository).
  func pendingEdits(_ head: Head, _ tree: ObjectID?) throws(GitError) -> TreeEdits {
    guard let save = try newestSave(head) else { return [:] }
    return try pendingEdits(save, tree)
  }

  /// Returns the entries of a save that differ both from the commit it was made on and from `tree`
  /// (paths of the repository).
  func pendingEdits(_ save: SaveCommit, _ tree: ObjectID?) throws(GitError) -> TreeEdits {
    var found: TreeEdits = [:]
    let folders = TreeCache()
    let changes = try differences(self.tree(of: save.tip), save.tree)
    for (path, change) in changes.sorted(by: { $0.key < $1.key })
    where try fileEntry(at: path, in: tree, folders) != change.new {
      found.updateValue(change.new, forKey: path)
    }
    return found
  }

  /// Marks on the saves ref the changes that the branch contains by now. A sitting does this when
  /// it ends. If it is killed just before, and the branch then moves on, those old saves look newer
  /// than the branch's changes. Returns false if another process holds the ref's lock.
  func markCommitted(_ head: Head, _ time: CommitTime) throws(GitError) -> Bool {
    guard let newest = try newestSave(head) else { return true }
    let base = try tree(of: head.commit)
    let held = try differences(tree(of: newest.tip), newest.tree)
    guard try held.count > pendingEdits(newest, base).count else { return true }
    var objects = ObjectBatch()
    let outcome = try updateSavesRef(
      [:], isSittingEnd: true, head: head, message: "End of a sitting", at: time, &objects)
    if case .done = outcome { return true }
    return false
  }
}
