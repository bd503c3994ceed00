import CLibgit2

extension GitRepository {
  /// The youngest age at which a save may be pruned: 90 days.
  private static let minimumPruneAge = 90 * 86_400

  /// Prunes the saves of the current branch that are older than 90 days at `now` and whose every
  /// text is in the branch's history. Texts that only the saves ref contains stay for good. Returns
  /// how many were pruned.
  ///
  /// The remaining saves become a new chain with other parents; git collects the old chain once no
  /// ref names it. This is done only if it pays: the new chain is at most twice as long as the
  /// pruned part. Otherwise pruning would in time write more than all saves did.
  package func pruneSaves(now: Int) throws(GitError) -> Int {
    let head = try head()
    let reference = try savesReference(head)
    guard let newest = try target(of: reference), let tip = head.commit else { return 0 }
    let reader = try ObjectReader(repository, location)
    let chain = try saves(from: newest, reader)
    let oldest = now - Self.minimumPruneAge
    let old = chain.count { $0.facts.commitTime < oldest && $0.id != newest }
    guard old > 0, isWorthPruning(old, of: chain.count) else { return 0 }
    let onBranch = try objects(from: [tip], reader)
    var remaining: [Save] = []
    for save in chain {
      let isYoung = save.id == newest || save.facts.commitTime >= oldest
      if !isYoung, try isSuperfluous(save.facts, onBranch, reader) { continue }
      remaining.append(save)
    }
    guard isWorthPruning(chain.count - remaining.count, of: chain.count) else { return 0 }
    var objects = ObjectBatch()
    var previous: CommitID?
    for save in remaining.reversed() {
      let bytes = try reader.read(save.id, "save") { Array($0) }
      let parents = [previous, save.facts.save?.tip].compactMap(\.self)
      previous = try newObject(
        commitBytes(bytes, withParents: parents), GIT_OBJECT_COMMIT, &objects)
    }
    guard let previous else { return 0 }
    try store(objects)
    try confirmObjects(objects)
    // A concurrent save by another Diary wins; the next pruning tries again.
    guard try move(reference, from: newest, to: previous) == .moved else { return 0 }
    try verifyStored(objects)
    return chain.count - remaining.count
  }

  private func isWorthPruning(_ gone: Int, of all: Int) -> Bool { gone > 0 && gone * 3 >= all }

  private typealias Save = (id: ObjectID, facts: CommitNode)

  /// Returns the chain of saves, newest first.
  private func saves(from start: ObjectID, _ reader: ObjectReader) throws(GitError) -> [Save] {
    var found: [Save] = []
    var next: ObjectID? = start
    while let id = next {
      let facts = try reader.parsedCommit(id)
      guard let save = facts.save else { break }
      found.append((id, facts))
      // A single parent may be the tip.
      next = facts.parents.count > 1 ? facts.parents[0] : facts.parents.first { $0 != save.tip }
    }
    return found
  }

  /// Returns every blob in the history of some commits, and the ids of these commits.
  func objects(
    from starts: [ObjectID], _ reader: ObjectReader
  ) throws(GitError) -> Set<ObjectID> {
    var found: Set<ObjectID> = []
    var trees: Set<ObjectID> = []
    var seen: Set<ObjectID> = []
    var open = starts
    while let id = open.popLast() {
      guard seen.insert(id).inserted else { continue }
      let facts = try reader.commit(id)
      open += facts.parents
      var folders = [facts.tree]
      while let tree = folders.popLast() {
        guard trees.insert(tree).inserted else { continue }
        for item in try reader.treeItems(tree) {
          if item.isFolder { folders.append(item.entry.id) } else { found.insert(item.entry.id) }
        }
      }
    }
    return found.union(seen)
  }

  /// True if the branch also contains everything that a save introduced.
  private func isSuperfluous(
    _ save: CommitNode, _ onBranch: Set<ObjectID>, _ reader: ObjectReader
  ) throws(GitError) -> Bool {
    // A commit that the branch has dropped (a rebase, a reset) may be referenced by its saves only.
    if let tip = save.save?.tip, !onBranch.contains(tip) { return false }
    let base = try (save.save?.tip).map { tip throws(GitError) in try reader.commit(tip).tree }
    var pairs: [(ObjectID?, ObjectID)] = [(base, save.tree)]
    while let (old, new) = pairs.popLast() {
      if old == new { continue }
      let before = try old.map { id throws(GitError) in try reader.treeItems(id) } ?? []
      let known = Dictionary(before.map { ($0.name, $0.entry) }) { first, _ in first }
      for item in try reader.treeItems(new) {
        let (was, entry) = (known[item.name], item.entry)
        if was == entry { continue }
        if entry.isFolder {
          pairs.append((was?.isFolder == true ? was?.id : nil, entry.id))
        } else if !onBranch.contains(entry.id) {
          return false
        }
      }
    }
    return true
  }

  /// Returns a commit's bytes with other parents.
  private func commitBytes(_ bytes: [UInt8], withParents parents: [CommitID]) -> [UInt8] {
    var at = 46
    while at + 48 <= bytes.count, bytes[at...].starts(with: "parent ".utf8) { at += 48 }
    return Array(bytes[..<46]) + parents.flatMap { Array("parent \($0)\n".utf8) } + bytes[at...]
  }
}
