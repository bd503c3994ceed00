import DiaryCore

/// What a sitting found when it looked at disk, index and HEAD under the lock. Paths are the
/// repository's.
struct CommitPlan {
  struct Change {
    var path: EntryPath
    /// In the tree that is being replaced.
    var old: TreeEntry?
    /// In the new one.
    var new: TreeEntry?
    /// The working file that `new` was read from.
    var content: FileContents?
    /// In the index.
    var staged: IndexEntry?
    /// What the working file looked like when it heldBackChanges `new`; `nil` when nobody looked.
    var signature: FileSignature?

    /// Whether the index, but not HEAD, has it as the disk does: the writer has staged it, or git has
    /// checked it out for another branch.
    var isStagedAsOnDisk: Bool { staged?.entry == new && staged?.entry != old }
  }

  /// HEAD's tree.
  let base: ObjectID?
  /// What the commit will hold, in order.
  var changes: [Change] = []
  /// Staged by the writer otherwise than HEAD and disk: left to them.
  var heldBackChanges: [Change] = []
  var heldBackPaths: [EntryPath] = []
  /// The disk holds what HEAD holds.
  var unchanged: Set<EntryPath> = []

  init(base: ObjectID?) { self.base = base }

  /// Sorts a path in: what the writer has staged themselves stays out of the commit.
  mutating func add(
    _ path: EntryPath, old: TreeEntry?, new: TreeEntry?, content: FileContents?, _ index: GitIndex
  ) {
    let staged = index.entry(at: path)
    let change = Change(
      path: path, old: old, new: new, content: content, staged: staged,
      signature: content?.signature)
    if old == new {
      unchanged.insert(path)
    } else if new == nil, staged?.isSkipWorktree == true {
      // Left out by a sparse checkout: not a deletion.
      unchanged.insert(path)
    } else if staged?.isIntentToAdd == true || index.hasConflict(at: path)
      || (staged?.entry != old && staged?.entry != new)
      || (new != nil && hasBlockingEntry(in: index, for: path))
    {
      heldBackChanges.append(change)
    } else {
      changes.append(change)
    }
  }

  /// Whether the index holds a file where this path needs a folder, or the other way round, that is
  /// not going with this commit: putting the path in would throw out the writer's entry.
  private func hasBlockingEntry(in index: GitIndex, for path: EntryPath) -> Bool {
    let isRemoved = { (other: EntryPath) in
      changes.contains { $0.path == other && $0.new == nil }
    }
    var folder = path.folder
    while let above = folder {
      if index.entry(at: above) != nil, !isRemoved(above) { return true }
      folder = above.folder
    }
    guard index.hasEntries(below: path) else { return false }
    return index.entries().contains { $0.path.isInside(path) && !isRemoved($0.path) }
  }

  /// `git mv`, then an edit: the new name is held back, so the staged removal of the old one is too;
  /// else the branch would lack the text under either name.
  mutating func holdBackStagedRenames() {
    guard heldBackChanges.contains(where: { $0.old == nil && $0.staged != nil }) else { return }
    let removed = changes.filter { $0.new == nil && $0.staged == nil && $0.old != nil }
    heldBackChanges += removed
    let removedPaths = Set(removed.map(\.path))
    changes.removeAll { removedPaths.contains($0.path) }
  }
}
