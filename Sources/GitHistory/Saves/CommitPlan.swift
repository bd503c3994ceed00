import DiaryCore

/// The differences between disk, index and HEAD that a sitting found under the index lock. Paths
/// are the repository's.
struct CommitPlan {
  struct Change {
    var path: EntryPath
    /// The entry in the tree that is replaced.
    var old: TreeEntry?
    /// The entry in the new tree.
    var new: TreeEntry?
    /// The working file that `new` was read from.
    var content: FileContents?
    /// The entry in the index.
    var staged: IndexEntry?
    /// The working file's signature when it had the content of `new`, or `nil` if it was not read.
    var signature: FileSignature?

    /// True if the index, but not HEAD, has the version on disk: the user has staged it, or git has
    /// checked it out for another branch.
    var isStagedAsOnDisk: Bool { staged?.entry == new && staged?.entry != old }
  }

  /// HEAD's tree.
  let base: ObjectID?
  /// The changes of the commit, sorted by path.
  var changes: [Change] = []
  /// Changes that the user has staged in a version of neither HEAD nor disk; they stay as they are.
  var heldBackChanges: [Change] = []
  var heldBackPaths: [EntryPath] = []
  /// The paths whose content on disk equals HEAD's.
  var unchanged: Set<EntryPath> = []

  init(base: ObjectID?) { self.base = base }

  /// Adds a path to the plan. A change that the user has staged stays out of the commit.
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
      // A sparse checkout omits the file: this is not a deletion.
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

  /// True if the index has a file where this path needs a folder, or the reverse, and this commit
  /// does not remove it. Adding the path would then remove the user's entry.
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

  /// Handles `git mv`, then an edit: the new name is held back, so the staged removal of the old
  /// one must be held back too. Otherwise the branch would lack the text under both names.
  mutating func holdBackStagedRenames() {
    guard heldBackChanges.contains(where: { $0.old == nil && $0.staged != nil }) else { return }
    let removed = changes.filter { $0.new == nil && $0.staged == nil && $0.old != nil }
    heldBackChanges += removed
    let removedPaths = Set(removed.map(\.path))
    changes.removeAll { removedPaths.contains($0.path) }
  }
}
