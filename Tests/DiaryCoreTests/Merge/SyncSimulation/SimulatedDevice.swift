import DiaryCore

/// A simulated device: folder, branch, saves of the sitting, records of synced files, an editor.
/// It follows the steps of `Journal+Sync` and the related files.
final class SimulatedDevice {
  /// The counterpart of the app's `Arrival`: the version of a file that the user last saw.
  struct Arrival {
    var path: EntryPath
    var disk: [UInt8]?
    /// The versions that an editor may still have in its buffer, oldest first.
    var seen: [[UInt8]]
    var movedTo: EntryPath?
    var branchVersion: [UInt8]?
    var incoming: [UInt8]?
    /// The saves of old buffers that were merged, newest last.
    var returned: [[UInt8]] = []
    /// Whether the sync removed the file.
    var isRemoved = false
    var isPending: Bool { incoming == nil && !isRemoved }
    /// The versions that an editor may show after another sync, oldest first.
    var shown: [[UInt8]] { seen.filter { $0 != incoming } + [incoming].compactMap(\.self) }

    /// The save of an old buffer that a killed process has saved without its merge.
    var unmerged: [UInt8]? { branchVersion == nil ? nil : returned.last }

    mutating func setPending(disk bytes: [UInt8]?) {
      (disk, incoming, branchVersion, isRemoved) = (bytes, nil, nil, false)
    }

    mutating func setPendingAndSeen(disk bytes: [UInt8]) {
      setPending(disk: bytes)
      seen = seen.filter { $0 != bytes && !returned.contains($0) } + [bytes]
      returned = returned.filter { $0 != bytes } + [bytes]
    }
  }

  /// A file open in an editor. The sync detects the editor only if it `holds` the file.
  struct Buffer {
    var path: EntryPath
    var bytes: [UInt8]
    /// The text as it was opened or last saved.
    var seen: [UInt8]
    var holds: Bool
  }

  /// The branch on the remote.
  final class Remote {
    var tip: SimulatedHistory.ID?
  }

  let name: String
  /// The signer's name, which makes two devices' merges of the same commits differ.
  let signer: String
  let history: SimulatedHistory
  let remote: Remote
  /// The clock error.
  let skew: Int
  var disk: [EntryPath: [UInt8]] = [:]
  var tip: SimulatedHistory.ID?
  /// The branch's files, updated with the saves of the sitting.
  var savedTree: SimulatedHistory.Tree = [:]
  /// The unique words on the disk at any save.
  var writtenWords: Set<String> = []
  /// All versions that were saved on this device.
  var saves: Set<[UInt8]> = []
  var arrivals: [Arrival] = []
  var editor: Buffer?
  var lastSeen: SimulatedHistory.ID?
  var now = 0
  /// All tips that the branch had.
  var allTips: [SimulatedHistory.ID] = []
  /// Whether a watcher checks every written file, no matter which program wrote it.
  var isWatched = false
  /// The files that the last sync replaced.
  var replaced: Set<EntryPath> = []
  /// The texts that a user wrote from what was on the disk.
  var currentTexts: Set<[UInt8]> = []
  /// The words of such texts that were taken for an old buffer after a sync. The merge keeps what the
  /// user removed from the incoming text, and what they moved can be there twice.
  var misjudgedWords: Set<String> = []
  /// A violation that must never happen.
  var violation: String?

  init(
    _ name: String, _ history: SimulatedHistory, _ remote: Remote, skew: Int, signer: String = ""
  ) {
    (self.name, self.history, self.remote) = (name, history, remote)
    (self.skew, self.signer) = (skew, signer)
  }

  /// Simulates the watcher's check of files that a sync has replaced.
  func checkReplaced() {
    if isWatched { save(checking: replaced) }
    replaced = []
  }

  /// Saves the changes on the disk to the sitting. With `isCut`, the process is killed after a save
  /// from an old buffer and before its merge is saved.
  ///
  /// - Parameter checked: files to check although they are unchanged since their save.
  /// - Parameter commanded: files that a Diary command has written.
  func save(
    isCut: Bool = false, checking checked: Set<EntryPath> = [],
    by commanded: Set<EntryPath> = []
  ) {
    let formerPaths = followMoves()
    let (before, known) = (history.tree(tip), arrivals)
    var (during, after) = (known, known)
    var places: [EntryPath: Int] = [:]
    for (index, arrival) in known.enumerated() { places[arrival.path] = index }
    var late: [OldBufferSave] = []
    var plain: [EntryPath: [UInt8]?] = [:]
    var answered: Set<EntryPath> = []
    for path in Set(disk.keys).union(savedTree.keys).union(before.keys).sorted() {
      let present = disk[path]
      let name = present.map { TestTrees.blobID($0) }
      let isSaved = name == savedTree[path]?.id
      if isSaved, name == before[path]?.id, !checked.contains(path) { continue }
      let arrival = places[path].map { known[$0] }
      if let arrival, arrival.isPending, formerPaths[path] == nil,
        present == nil || present == arrival.disk
      {
        if let raw = arrival.unmerged, savedTree[path]?.id == TestTrees.blobID(raw),
          let save = oldBufferSave(raw, path, arrival, nil)
        {
          late.append(save)
        }
        continue
      }
      let isPending = arrival?.isPending ?? false
      let isOwn = commanded.contains(path) && !isPending
      if let present, let arrival, !isOwn,
        let save = oldBufferSave(present, path, arrival, formerPaths[path])
      {
        late.append(save)
        if arrival.incoming != nil, currentTexts.contains(present) {
          misjudgedWords.formUnion(UniqueWords.counts(present).keys)
        }
      } else {
        plain.updateValue(present, forKey: path)
        let isNew = present != nil && !isSaved && formerPaths[path] == nil && !isOwn
        if isPending || isNew { answered.insert(path) }
      }
    }
    for (path, bytes) in plain { store(bytes, path) }
    var merged: [EntryPath: [UInt8]?] = [:]
    for save in late {
      guard let index = places[save.path] else { continue }
      let (path, target) = (save.path, save.target)
      let shown = plain[target] ?? save.branchVersion
      during[index].branchVersion = save.branchVersion
      during[index].returned = known[index].returned.filter { $0 != save.bytes } + [save.bytes]
      after[index].setPendingAndSeen(disk: save.bytes)
      if target != path {
        // At its old path it is only a version; another file may exist there by now.
        merged.updateValue(before[path].map { TestTrees.bytes($0.id) }, forKey: path)
      }
      let onto: [UInt8] = (merged[target] ?? nil) ?? shown ?? save.branchVersion
      for (change, bytes) in save.changes(onto: onto) {
        merged.updateValue(bytes, forKey: change)
        guard change != path else { continue }
        let disk = change == target ? shown : nil
        if let index = places[change], !answered.contains(change) {
          if !known[index].isPending { after[index].setPending(disk: disk) }
        } else if !after[known.count...].contains(where: { $0.path == change }) {
          after.append(Arrival(path: change, disk: disk, seen: [disk].compactMap(\.self)))
        }
      }
    }
    for save in late { store(save.bytes, save.path) }
    if isCut, !merged.isEmpty {
      arrivals = during
      return
    }
    for (path, bytes) in merged { store(bytes, path) }
    let open = after[..<known.count].filter { !answered.contains($0.path) }
    arrivals = open + after[known.count...]
  }

  /// Moves the records of files that moved, and returns the former path of each.
  private func followMoves() -> [EntryPath: EntryPath] {
    var formerPaths: [EntryPath: EntryPath] = [:]
    // A file that waits for its checkout has not moved.
    let waiting = arrivals.filter { $0.isPending && $0.disk == disk[$0.path] }.map(\.path)
    let added = disk.filter { savedTree[$0.key] == nil && !waiting.contains($0.key) }
    // The record of another file at the new path ends.
    for (path, file) in savedTree.sorted(by: { $0.key < $1.key }) where disk[path] == nil {
      let same = added.filter { $0.value == TestTrees.bytes(file.id) }.map(\.key)
      guard same.count == 1, !arrivals.contains(where: { $0.path == path }) else { continue }
      formerPaths[same[0]] = path
      arrivals.removeAll { $0.path == same[0] && $0.movedTo != path }
    }
    for arrival in arrivals where disk[arrival.path] == nil {
      let path = arrival.path
      // A sync has moved the file, and then the user moved it to the same path.
      let moved = arrival.isRemoved ? nil : arrival.movedTo.flatMap { disk[$0] }
      let isMoved = moved.map { bytes in arrival.seen.contains { isBased(bytes, on: $0) } } ?? false
      let saved = savedTree[path].map { TestTrees.bytes($0.id) }
      let same = added.filter { $0.value == saved }.map(\.key)
      let targets = isMoved ? [arrival.movedTo].compactMap(\.self) : same
      guard targets.count == 1, let target = targets.first else { continue }
      arrivals.removeAll { $0.path == target }
      for index in arrivals.indices where arrivals[index].path == path {
        arrivals[index].path = target
      }
      formerPaths[target] = path
    }
    return formerPaths
  }

  private func store(_ bytes: [UInt8]?, _ path: EntryPath) {
    savedTree[path] = bytes.map { TreeFile(id: TestTrees.blobID($0), kind: .regular) }
    if let bytes { saves.insert(bytes) }
  }

  /// A save from an old buffer.
  private struct OldBufferSave {
    var path: EntryPath
    var bytes: [UInt8]
    var target: EntryPath
    /// The version on which the buffer was based.
    var seen: [UInt8]?
    /// The version in the branch.
    var branchVersion: [UInt8]

    /// The resulting changes to the branch.
    func changes(onto: [UInt8]) -> [(EntryPath, [UInt8])] {
      guard path.isMarkdown, [seen ?? [], bytes, onto].allSatisfy(EntryMerge.canMerge) else {
        return [
          (target, onto), (path.conflictCopyPath(contentID: TestTrees.shortID(of: bytes)), bytes),
        ]
      }
      return [(target, EntryMerge(base: seen, bytes, onto).bytes)]
    }
  }

  /// The save from an old buffer, or `nil` if the user has seen the synced version or the branch
  /// has no such file.
  private func oldBufferSave(
    _ bytes: [UInt8], _ path: EntryPath, _ arrival: Arrival, _ formerPath: EntryPath?
  ) -> OldBufferSave? {
    var target = arrival.movedTo ?? path
    // A sync that was killed before it moved the branch has only recorded the new path.
    if savedTree[target] == nil, arrival.isPending, savedTree[path] != nil { target = path }
    let file = savedTree[target] ?? formerPath.flatMap { savedTree[$0] }
    var saved = file.map { TestTrees.bytes($0.id) }
    let other = target == path ? nil : arrivals.first { $0.path == target }
    for record in [arrival, other].compactMap(\.self) {
      if let branchVersion = record.branchVersion, saved == nil || saved == record.returned.last {
        saved = branchVersion
      }
    }
    if arrival.isRemoved || saved == nil {
      guard target != path || arrival.incoming != nil,
        arrival.seen.contains(where: { isBased(bytes, on: $0) })
      else { return nil }
    }
    guard let branchVersion = saved ?? arrival.incoming, branchVersion != bytes else { return nil }
    // Without the entry at its new path, the user has moved the file back.
    if target != path, other?.isPending != true,
      !(disk[target].map { isBased($0, on: branchVersion) } ?? false)
    {
      return nil
    }
    func olderBase(_ incoming: [UInt8]) -> [UInt8]? {
      oldBufferBase(
        seen: arrival.seen, returned: arrival.returned, incoming: incoming, saved: bytes)
    }
    let last = arrival.seen.last
    let seen: [UInt8]?
    if arrival.isRemoved {
      seen = olderBase(branchVersion) ?? last
    } else if let incoming = arrival.incoming {
      guard let older = olderBase(incoming) else { return nil }
      seen = older
    } else if arrival.disk != nil, arrival.disk == arrival.returned.last {
      seen = last
    } else {
      seen = last.flatMap(olderBase) ?? last
    }
    return OldBufferSave(
      path: path, bytes: bytes, target: target, seen: seen, branchVersion: branchVersion)
  }

  /// Commits the saves of the sitting to the branch.
  func endSitting() {
    guard savedTree != history.tree(tip) else { return }
    let parents = [tip].compactMap(\.self)
    advance(to: history.commit(savedTree, parents: parents, time: now + skew))
  }

  func advance(to commit: SimulatedHistory.ID) {
    tip = commit
    allTips.append(commit)
    savedTree = history.tree(commit)
  }
}

extension TestTrees {
  static func shortID(of bytes: [UInt8]) -> String {
    shortID(String(decoding: bytes, as: UTF8.self))
  }
}
