import DiaryCore

/// The point at which a sync is interrupted.
enum CutPoint: CaseIterable {
  case noNetwork, fetched, late, merged, noted, moved, someFiles, answerLost
}

extension SimulatedDevice {
  /// Simulates `diary sync`. `meanwhile` runs between fetch and push, `typing` between the updates
  /// of the branch and of the files.
  func sync(cut: CutPoint? = nil, typing: () -> Void = {}, meanwhile: () -> Void = {}) {
    save(isCut: cut == .late)
    if cut == .late { return }
    endSitting()
    if cut == .noNetwork { return }
    for attempt in 0..<4 {
      let theirs = remote.tip
      if let lastSeen, theirs.map({ !history.isAncestor(lastSeen, of: $0) }) ?? true {
        violation = "the remote went back"
      }
      lastSeen = theirs ?? lastSeen
      if cut == .fetched { return }
      guard integrate(theirs, cut, typing) else { return }
      if attempt == 0 { meanwhile() }
      guard let tip else { return }
      if tip == theirs { return }
      if remote.tip == theirs {
        remote.tip = tip
        if cut != .answerLost { lastSeen = tip }
        return
      }
    }
  }

  /// Merges another device's branch without the remote.
  func mergeDirectly(_ other: SimulatedDevice) {
    save()
    endSitting()
    _ = integrate(other.tip, nil, {})
  }

  /// Returns `false` if the sync was interrupted.
  private func integrate(
    _ theirs: SimulatedHistory.ID?, _ cut: CutPoint?, _ typing: () -> Void
  ) -> Bool {
    if let theirs, tip.map({ !history.isAncestor(theirs, of: $0) }) ?? true {
      save()
      endSitting()
      guard merge(theirs, cut) else { return false }
      typing()
      if cut == .moved { return false }
    }
    checkOutWaiting(most: cut == .someFiles ? 1 : .max)
    return cut != .someFiles
  }

  private func merge(_ theirs: SimulatedHistory.ID, _ cut: CutPoint?) -> Bool {
    guard let ours = tip else { return moveBranch(to: theirs, moved: [:], cut) }
    if history.isAncestor(ours, of: theirs) { return moveBranch(to: theirs, moved: nil, cut) }
    if let equivalent = history.equivalentMerge(of: ours, in: theirs),
      history.tree(equivalent) == history.tree(ours)
    {
      return moveBranch(to: theirs, moved: nil, cut)
    }
    let (commit, merge) = history.merge(ours, theirs, signer: signer)
    if cut == .merged { return false }
    return moveBranch(to: commit, moved: ours < theirs ? merge.newPathsOfA : merge.newPathsOfB, cut)
  }

  private func moveBranch(
    to commit: SimulatedHistory.ID, moved: [EntryPath: EntryPath]?, _ cut: CutPoint?
  ) -> Bool {
    let files = SimulatedHistory.changes(history.tree(tip), history.tree(commit))
    recordArrivals(files, moved: moved ?? renamedPaths(in: files))
    if cut == .noted { return false }
    advance(to: commit)
    return true
  }

  private func renamedPaths(in files: [EntryPath: TreeChange]) -> [EntryPath: EntryPath] {
    func sides(_ part: KeyPath<TreeChange, TreeFile?>, _ other: KeyPath<TreeChange, TreeFile?>)
      -> [RenameCandidate]
    {
      files.compactMap { path, change in
        guard change[keyPath: other] == nil, let file = change[keyPath: part] else { return nil }
        return RenameCandidate(
          path: path, contentID: file.id, bytes: path.isMarkdown ? TestTrees.bytes(file.id) : nil)
      }
    }
    var targets: [EntryPath: EntryPath] = [:]
    let found = renames(removed: sides(\.before, \.after), added: sides(\.after, \.before))
    for (new, old) in found { targets[old] = new }
    return targets
  }

  /// Records the current versions of the files that are about to change.
  private func recordArrivals(_ files: [EntryPath: TreeChange], moved: [EntryPath: EntryPath]) {
    let targets = moved.filter { $0.key != $0.value }
    let known = Set(arrivals.filter(\.isPending).map(\.path))
    let fresh = Set(files.keys).subtracting(known)
    var unanswered: [EntryPath: [[UInt8]]] = [:]
    for arrival in arrivals where !arrival.isPending { unanswered[arrival.path] = arrival.shown }
    arrivals.removeAll { fresh.contains($0.path) }
    for path in fresh.sorted() {
      let old = files[path]?.before.map { TestTrees.bytes($0.id) }
      arrivals.append(
        Arrival(
          path: path, disk: old, seen: (unanswered[path] ?? []) + [old].compactMap(\.self),
          movedTo: files[path]?.after == nil ? targets[path] : nil))
    }
    for index in arrivals.indices where !fresh.contains(arrivals[index].path) {
      if let change = files[arrivals[index].path] {
        arrivals[index].movedTo = change.after == nil ? targets[arrivals[index].path] : nil
      } else if let next = arrivals[index].movedTo.flatMap({ targets[$0] }) {
        arrivals[index].movedTo = next
      }
    }
  }

  /// Checks out the pending files that are unchanged since they were recorded and not held by
  /// an editor.
  func checkOutWaiting(most: Int = .max) {
    var remaining = arrivals.filter { !$0.isPending }
    var count = 0
    for var arrival in arrivals where arrival.isPending {
      let path = arrival.path
      let target = savedTree[path].map { TestTrees.bytes($0.id) }
      let present = disk[path]
      let isHeld = editor.map { $0.holds && $0.path == path } ?? false
      if present != target {
        guard count < most, present == nil || present == arrival.disk && !isHeld else {
          remaining.append(arrival)
          continue
        }
        disk[path] = target
        replaced.insert(path)
        count += 1
      }
      // No editor can have an old buffer of a file that was just created.
      if arrival.seen.isEmpty { continue }
      (arrival.incoming, arrival.isRemoved) = (target, target == nil)
      remaining.append(arrival)
    }
    arrivals = remaining
  }
}
