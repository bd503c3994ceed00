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

  /// Returns the time of the first save that the branch lacks, and that of the newest pending
  /// content, in seconds since 1970; `nil` if nothing is pending. It reads every save in between.
  package func pendingTimes() throws(GitError) -> (first: Int, last: Int)? {
    let head = try head()
    guard let newest = try newestSave(head) else { return nil }
    let edits = try pendingEdits(newest, tree(of: head.commit))
      .filter { location.journalPath($0.key) != nil }
    guard !edits.isEmpty else { return nil }
    var first: [EntryPath: Int] = [:]
    var last: [EntryPath: Int] = [:]
    var growing = Set(edits.keys)
    var changing = growing
    var save: SaveCommit? = newest
    let folders = TreeCache()
    // Follows one save, and returns the save before it.
    func follow(_ found: SaveCommit) throws(GitError) -> SaveCommit? {
      let older = try found.previous.map { id throws(GitError) in try saveCommit(id) }
      let base = try tree(of: found.tip)
      for path in growing.sorted() {
        let now = try fileEntry(at: path, in: found.tree, folders)
        guard try now != fileEntry(at: path, in: base, folders) else {
          growing.remove(path)
          continue
        }
        if !found.isSitting || first[path] == nil { first[path] = found.time }
        if changing.contains(path) { last[path] = found.time }
        let before = try fileEntry(at: path, in: older?.tree, folders)
        if older == nil || before != now { changing.remove(path) }
      }
      return older
    }
    // The times of the saves after a damaged one are known.
    while let found = save, !growing.isEmpty { save = try? follow(found) }
    return (first.values.min() ?? newest.time, last.values.max() ?? newest.time)
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
