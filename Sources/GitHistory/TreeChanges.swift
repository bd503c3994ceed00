import DiaryCore

/// The files that are on one side only of two trees, found without a look into folders that are the
/// same.
final class TreeChanges {
  /// A file that came or went.
  struct File {
    var path: EntryPath
    var slot: Slot
  }

  private let reader: ObjectReader
  private var folders: [ObjectKey: [(name: [UInt8], slot: Slot)]] = [:]

  init(_ reader: ObjectReader) { self.reader = reader }

  /// What `old` has and `new` lacks, and the other way round.
  func between(
    _ old: ObjectKey?, _ new: ObjectKey?
  ) throws(GitError) -> (gone: [File], came: [File]) {
    var gone: [File] = []
    var came: [File] = []
    try compare(old, new, below: [], &gone, &came)
    return (gone, came)
  }

  /// The old names of the files that came, as far as they are renamed ones.
  func renames(_ gone: [File], _ came: [File]) throws(GitError) -> [EntryPath: EntryPath] {
    guard !gone.isEmpty, !came.isEmpty else { return [:] }
    func sides(_ files: [File]) -> [RenameSide] {
      files.map { RenameSide(path: $0.path, identity: $0.slot.key.id.bytes, bytes: nil) }
    }
    return try DiaryCore.renames(gone: sides(gone), new: sides(came)) { side throws(GitError) in
      guard side.path.isMarkdown, let id = ObjectID(bytes: side.identity) else { return nil }
      return try reader.read(ObjectKey(id), "version") { Array($0) }
    }
  }

  private func compare(
    _ old: ObjectKey?, _ new: ObjectKey?, below: [UInt8], _ gone: inout [File],
    _ came: inout [File]
  ) throws(GitError) {
    if old == new { return }
    let before = try children(old)
    let after = try children(new)
    var (i, j) = (0, 0)
    while i < before.count || j < after.count {
      let order =
        if i == before.count {
          1
        } else if j == after.count {
          -1
        } else {
          compareNames(before[i], after[j])
        }
      let was = order <= 0 ? before[i] : nil
      let now = order >= 0 ? after[j] : nil
      i += order <= 0 ? 1 : 0
      j += order >= 0 ? 1 : 0
      if was?.slot == now?.slot { continue }
      guard let name = was?.name ?? now?.name else { continue }
      let full = below.isEmpty ? name : below + [UInt8(ascii: "/")] + name
      if was?.slot.isFolder == true || now?.slot.isFolder == true {
        try compare(was?.slot.key, now?.slot.key, below: full, &gone, &came)
      } else if was?.slot.isRegular != now?.slot.isRegular, let path = EntryPath(bytes: full) {
        if let was, was.slot.isRegular { gone.append(File(path: path, slot: was.slot)) }
        if let now, now.slot.isRegular { came.append(File(path: path, slot: now.slot)) }
      }
    }
  }

  /// As git orders a tree: a folder as if its name ended in `/`.
  private func compareNames(
    _ left: (name: [UInt8], slot: Slot), _ right: (name: [UInt8], slot: Slot)
  ) -> Int {
    let slash = UInt8(ascii: "/")
    if left.name == right.name, left.slot.isFolder == right.slot.isFolder { return 0 }
    let one = left.slot.isFolder ? left.name + [slash] : left.name
    let other = right.slot.isFolder ? right.name + [slash] : right.name
    return one.lexicographicallyPrecedes(other) ? -1 : 1
  }

  private func children(
    _ tree: ObjectKey?
  ) throws(GitError) -> [(name: [UInt8], slot: Slot)] {
    guard let tree else { return [] }
    if let known = folders[tree] { return known }
    let found = try reader.read(tree, "tree") { Slot.all(in: $0) }
    // A folder is looked into twice, as a commit's and as its child's parent's; seldom later.
    if folders.count > 4_000 { folders.removeAll(keepingCapacity: true) }
    folders[tree] = found
    return found
  }
}
