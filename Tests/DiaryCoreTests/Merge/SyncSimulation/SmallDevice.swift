import DiaryCore

/// A simulated device: folder, branch, saves of the sitting, records of synced files, an editor.
/// It follows the steps of `Journal+Sync` and the related files.
final class SmallDevice {
  /// The counterpart of the app's `Arrival`: the version of a file that the user last saw.
  struct Arrival {
    var path: EntryPath
    var disk: [UInt8]?
    /// The versions that an editor may still have in its buffer, oldest first.
    var seen: [[UInt8]]
    var movedTo: EntryPath?
    var onto: [UInt8]?
    var brought: [UInt8]?
    /// Whether the sync removed the file.
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
    var tip: SmallHistory.ID?
  }

  let name: String
  /// The signer's name, which makes two devices' merges of the same commits differ.
  let signer: String
  /// Whether entries are merged by another rule, as in an older program.
  let hasOldRule: Bool
  let history: SmallHistory
  let remote: Remote
  /// The clock error.
  let skew: Int
  var disk: [EntryPath: [UInt8]] = [:]
  var tip: SmallHistory.ID?
  /// The branch's files, updated with the saves of the sitting.
  var kept: SmallHistory.Tree = [:]
  /// The unique words on the disk at any save.
  var written: Set<String> = []
  /// All versions that were saved on this device.
  var saves: Set<[UInt8]> = []
  var arrivals: [Arrival] = []
  var editor: Buffer?
  var lastSeen: SmallHistory.ID?
  var now = 0
  /// All tips that the branch had.
  var tips: [SmallHistory.ID] = []
  /// Whether a watcher checks every written file, no matter which program wrote it.
  var isWatched = false
  /// The files that the last sync replaced.
  var replaced: Set<EntryPath> = []
  /// A violation that must never happen.
  var broken: String?

  init(
    _ name: String, _ history: SmallHistory, _ remote: Remote, skew: Int, signer: String = "",
    hasOldRule: Bool = false
  ) {
    self.hasOldRule = hasOldRule
    (self.name, self.history, self.remote) = (name, history, remote)
    (self.skew, self.signer) = (skew, signer)
  }

  /// Simulates the watcher's check of files that a sync has replaced.
  func lookAtReplaced() {
    if isWatched { save(lookingAt: replaced) }
    replaced = []
  }

  /// Saves the changes on the disk to the sitting. With `isCut`, the process is killed after a save
  /// from a stale buffer and before its merge is saved.
  ///
  /// - Parameter looked: files to check although they are unchanged since their save.
  /// - Parameter commanded: files that a Diary command has written.
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
        // At its old path it is only a version; another file may exist there by now.
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

  /// A save from a stale buffer.
  private struct LateSave {
    var path: EntryPath
    var bytes: [UInt8]
    var target: EntryPath
    /// The version on which the buffer was based.
    var seen: [UInt8]?
    /// The version in the branch.
    var onto: [UInt8]

    /// The resulting changes to the branch.
    func changes(onto: [UInt8]) -> [(EntryPath, [UInt8])] {
      guard path.isMarkdown, [seen ?? [], bytes, onto].allSatisfy(EntryMerge.canMerge) else {
        return [
          (target, onto), (path.conflictCopyPath(contentID: SmallTrees.mark(of: bytes)), bytes),
        ]
      }
      return [(target, EntryMerge(base: seen, bytes, onto).bytes)]
    }
  }

  /// The save from a stale buffer, or `nil` if the user has seen the synced version or the branch
  /// has no such file.
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

  /// Commits the saves of the sitting to the branch.
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
