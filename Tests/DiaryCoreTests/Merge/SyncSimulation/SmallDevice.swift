import DiaryCore

/// One device: a folder, a branch, the saves of its sitting, the notes of what a sync brought, and an
/// editor. It follows the steps of `Journal+Sync` and its neighbours.
final class SmallDevice {
  /// As `Arrival` in the app: which version of a file the writer last saw.
  struct Arrival {
    var path: EntryPath
    var disk: [UInt8]?
    /// All that an editor may still hold, the oldest first.
    var seen: [[UInt8]]
    var movedTo: EntryPath?
    var onto: [UInt8]?
    var brought: [UInt8]?
    /// The sync took the file away.
    var isGone = false
    var isWaiting: Bool { brought == nil && !isGone }

    mutating func wait(showing bytes: [UInt8]?) {
      (disk, brought, onto, isGone) = (bytes, nil, nil, false)
    }

    mutating func replace(showing bytes: [UInt8]) {
      wait(showing: bytes)
      seen = [bytes]
    }
  }

  /// An open file; an editor that `holds` it is seen by the sync.
  struct Buffer {
    var path: EntryPath
    var bytes: [UInt8]
    /// As it was opened, or last saved.
    var seen: [UInt8]
    var holds: Bool
  }

  /// The branch on the remote.
  final class Remote {
    var tip: SmallHistory.ID?
  }

  let name: String
  /// Merges carry the writer's name, so that two devices' merges of one pair differ.
  let signer: String
  /// Merges by another rule for entries, as an older program does.
  let hasOldRule: Bool
  let history: SmallHistory
  let remote: Remote
  /// What the clock is wrong by.
  let skew: Int
  var disk: [EntryPath: [UInt8]] = [:]
  var tip: SmallHistory.ID?
  /// The branch's files with the saves of the sitting.
  var kept: SmallHistory.Tree = [:]
  /// The own words that the disk showed at a save.
  var written: Set<String> = []
  /// Every version that was saved here.
  var saves: Set<[UInt8]> = []
  var arrivals: [Arrival] = []
  var editor: Buffer?
  var lastSeen: SmallHistory.ID?
  var now = 0
  /// Every tip that the branch had.
  var tips: [SmallHistory.ID] = []
  /// Whether a watcher looks at each file that was written, whoever wrote it.
  var isWatched = false
  /// The files that the last sync replaced.
  var replaced: Set<EntryPath> = []
  /// What went wrong in a way that must never be.
  var broken: String?

  init(
    _ name: String, _ history: SmallHistory, _ remote: Remote, skew: Int, signer: String = "",
    hasOldRule: Bool = false
  ) {
    self.hasOldRule = hasOldRule
    (self.name, self.history, self.remote) = (name, history, remote)
    (self.skew, self.signer) = (skew, signer)
  }

  /// The watcher's look at what a sync has replaced.
  func lookAtReplaced() {
    if isWatched { save(lookingAt: replaced) }
    replaced = []
  }

  /// Reads what changed on the disk into the sitting. Killed with `isCut` after a late save was kept
  /// and before its merge was.
  ///
  /// - Parameter looked: files that are looked at although they are as they were saved.
  /// - Parameter commanded: files that a command of Diary has written.
  func save(
    isCut: Bool = false, lookingAt looked: Set<EntryPath> = [],
    by commanded: Set<EntryPath> = []
  ) {
    let (before, known) = (history.tree(tip), arrivals)
    var (during, after) = (known, known)
    var places: [EntryPath: Int] = [:]
    for (index, arrival) in known.enumerated() { places[arrival.path] = index }
    var late: [LateSave] = []
    var plain: [EntryPath: [UInt8]?] = [:]
    var answered: Set<EntryPath> = []
    for path in Set(disk.keys).union(kept.keys).union(before.keys).sorted() {
      let present = disk[path]
      let name = present.map { SmallTrees.name($0) }
      let isSaved = name == kept[path]?.id
      if isSaved, name == before[path]?.id, !looked.contains(path) { continue }
      let arrival = places[path].map { known[$0] }
      if let arrival, arrival.isWaiting, present == nil || present == arrival.disk { continue }
      if let present, let arrival, let save = lateSave(present, path, arrival) {
        late.append(save)
      } else {
        plain.updateValue(present, forKey: path)
        let isWaiting = arrival?.isWaiting ?? false
        if isWaiting || !isSaved && !commanded.contains(path) { answered.insert(path) }
      }
    }
    for (path, bytes) in plain { keep(bytes, path) }
    var merged: [EntryPath: [UInt8]?] = [:]
    for save in late {
      guard let index = places[save.path] else { continue }
      let (path, target) = (save.path, save.target)
      let shown = plain[target] ?? save.onto
      during[index].onto = save.onto
      after[index].replace(showing: save.bytes)
      if target != path {
        // Under its old name it is a version, and no file; another may stand there by now.
        merged.updateValue(before[path].map { SmallTrees.bytes($0.id) }, forKey: path)
      }
      for (change, bytes) in save.changes(onto: (merged[target] ?? nil) ?? shown ?? save.onto) {
        merged.updateValue(bytes, forKey: change)
        guard change != path else { continue }
        let disk = change == target ? shown : nil
        if let index = places[change], !answered.contains(change) {
          if !known[index].isWaiting { after[index].wait(showing: disk) }
        } else if !after[known.count...].contains(where: { $0.path == change }) {
          after.append(Arrival(path: change, disk: disk, seen: [disk].compactMap(\.self)))
        }
      }
    }
    for save in late { keep(save.bytes, save.path) }
    if isCut, !merged.isEmpty {
      arrivals = during
      return
    }
    for (path, bytes) in merged { keep(bytes, path) }
    let open = after[..<known.count].filter { !answered.contains($0.path) }
    arrivals = open + after[known.count...]
  }

  private func keep(_ bytes: [UInt8]?, _ path: EntryPath) {
    kept[path] = bytes.map { TreeFile(id: SmallTrees.name($0), kind: .regular) }
    if let bytes { saves.insert(bytes) }
  }

  /// A save from an editor's old buffer.
  private struct LateSave {
    var path: EntryPath
    var bytes: [UInt8]
    var target: EntryPath
    /// The version that it was written from.
    var seen: [UInt8]?
    /// What the branch has.
    var onto: [UInt8]

    /// What the branch goes on with.
    func changes(onto: [UInt8]) -> [(EntryPath, [UInt8])] {
      guard path.isMarkdown, [seen ?? [], bytes, onto].allSatisfy(EntryMerge.canMerge) else {
        return [
          (target, onto), (path.conflictCopyPath(contentID: SmallTrees.mark(of: bytes)), bytes),
        ]
      }
      return [(target, EntryMerge(base: seen, bytes, onto).bytes)]
    }
  }

  /// `nil`: the writer has seen what the sync brought, or the branch has nothing there.
  private func lateSave(_ bytes: [UInt8], _ path: EntryPath, _ arrival: Arrival) -> LateSave? {
    if arrival.isGone { return nil }
    var seen = arrival.seen.first
    if let brought = arrival.brought {
      guard path.isMarkdown, EntryMerge.canMerge(bytes) else { return nil }
      seen = staleBufferBase(seen: arrival.seen, incoming: brought, saved: bytes)
      if seen == nil { return nil }
    }
    let target = arrival.movedTo ?? path
    guard let onto = arrival.onto ?? kept[target].map({ SmallTrees.bytes($0.id) }), onto != bytes
    else { return nil }
    return LateSave(path: path, bytes: bytes, target: target, seen: seen, onto: onto)
  }

  /// What the sitting has become a commit of the branch.
  func endSitting() {
    guard kept != history.tree(tip) else { return }
    let parents = [tip].compactMap(\.self)
    advance(to: history.commit(kept, parents: parents, time: now + skew))
  }

  func advance(to commit: SmallHistory.ID) {
    tip = commit
    tips.append(commit)
    kept = history.tree(commit)
  }
}

extension SmallTrees {
  static func mark(of bytes: [UInt8]) -> String { mark(String(decoding: bytes, as: UTF8.self)) }
}
