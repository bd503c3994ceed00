import DiaryCore

/// The walk through history that finds an entry's versions: from the newest commit to the oldest,
/// with the entry's names at each.
struct VersionWalk {
  /// A commit in which the entry differs from every parent.
  struct Revision {
    var commit: ObjectID
    var path: EntryPath
    var entry: TreeEntry?
    var authorTime: Int
    var commitTime: Int
    var isSave: Bool
  }

  private(set) var revisions: [Revision] = []
  private(set) var isCutOff = false
  private(set) var names: [EntryPath]
  private let reader: ObjectReader
  private let changes: TreeDiff
  private var lookups: [PathLookup]
  private var walkCount = 0
  private var renames: [ObjectID: [ObjectID: [EntryPath: EntryPath]]] = [:]

  init(_ path: EntryPath, _ reader: ObjectReader) {
    names = [path]
    lookups = [PathLookup(path)]
    self.reader = reader
    changes = TreeDiff(reader)
  }

  /// Visits all commits reachable from `starts`, except those that an earlier walk has visited.
  mutating func run(from starts: [ObjectID]) throws(GitError) {
    walkCount += 1
    var walk = try CommitWalk(starts, walk: walkCount, reader)
    let starts = Set(walk.starts.map { ObjectIdentifier($0) })
    while let commit = walk.next() {
      // A start gets every name known so far: this morning's saves may be on a line parallel to the
      // commit that renamed the entry, not behind it.
      if starts.contains(ObjectIdentifier(commit)) {
        commit.nameMask = names.count == 64 ? .max : (1 << UInt64(names.count)) - 1
      }
      for bit in 0..<names.count where commit.nameMask & (1 << UInt64(bit)) != 0 {
        try visit(bit, commit)
      }
    }
  }

  /// Looks up one name in one commit, and passes the names on to its parents.
  private mutating func visit(_ bit: Int, _ commit: CommitNode) throws(GitError) {
    let now = try lookups[bit].file(below: commit.tree, reader)
    if commit.isShallowBoundary, now != nil { isCutOff = true }
    guard !commit.parents.isEmpty else {
      if now != nil { add(bit, now, commit) }
      return
    }
    var isRenamedAway = false
    var isNewVersion = true
    for (index, parent) in commit.parentNodes.enumerated() {
      let was = try lookups[bit].file(below: parent.tree, reader)
      var next = bit
      if now != nil, was == nil {
        next = try oldName(of: bit, in: commit, parent)
      } else if now == nil, was != nil, !isRenamedAway {
        isRenamedAway = try wasAddedUnderOtherName(besides: bit, commit, parent)
      }
      parent.nameMask |= 1 << UInt64(next)
      if was == now {
        if index == 0 || !isSaveOnSameTip(commit) { isNewVersion = false }
      }
    }
    if isNewVersion, !isRenamedAway { add(bit, now, commit) }
  }

  /// True if a save and the save before it were made on the same commit of the branch. Only the
  /// difference from that save counts then; otherwise a change may come from the branch.
  private func isSaveOnSameTip(_ commit: CommitNode) -> Bool {
    guard commit.parentNodes.count > 1, let save = commit.save else { return false }
    return commit.parentNodes[0].save.map { $0.tip == save.tip } ?? false
  }

  private mutating func add(_ bit: Int, _ entry: TreeEntry?, _ commit: CommitNode) {
    if commit.save?.isSitting == true { return }
    revisions.append(
      Revision(
        commit: commit.id, path: names[bit], entry: entry, authorTime: commit.authorTime,
        commitTime: commit.monotonicTime, isSave: commit.save != nil))
  }

  /// Returns the bit of the name under which a parent has the file that is new under this name.
  private mutating func oldName(
    of bit: Int, in commit: CommitNode, _ parent: CommitNode
  ) throws(GitError) -> Int {
    let found: [EntryPath: EntryPath]
    if let known = renames[commit.tree]?[parent.tree] {
      found = known
    } else {
      let (removed, added) = try changes.between(parent.tree, commit.tree)
      found = try changes.renames(removed, added)
      renames[commit.tree, default: [:]][parent.tree] = found
    }
    guard let path = found[names[bit]] else { return bit }
    if let known = names.firstIndex(of: path) { return known }
    guard names.count < 64 else { return bit }
    names.append(path)
    lookups.append(PathLookup(path))
    return names.count - 1
  }

  /// True if another of the entry's names is new in the commit: then it was not deleted.
  private func wasAddedUnderOtherName(
    besides bit: Int, _ commit: CommitNode, _ parent: CommitNode
  ) throws(GitError) -> Bool {
    for other in names.indices where other != bit {
      if try lookups[other].file(below: commit.tree, reader) != nil,
        try lookups[other].file(below: parent.tree, reader) == nil
      {
        return true
      }
    }
    return false
  }
}
