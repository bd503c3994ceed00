import DiaryCore

/// The files that are on one side only of two trees, found without a look into folders that are the
/// same.
final class TreeDiff {
  /// A file that came or went.
  struct File {
    var path: EntryPath
    var entry: TreeEntry
  }

  private let reader: ObjectReader
  private var folders: [ObjectID: [(name: [UInt8], entry: TreeEntry)]] = [:]

  init(_ reader: ObjectReader) { self.reader = reader }

  /// What `old` has and `new` lacks, and the other way round.
  func between(
    _ old: ObjectID?, _ new: ObjectID?
  ) throws(GitError) -> (gone: [File], came: [File]) {
    var gone: [File] = []
    var came: [File] = []
    try compare(old, new, below: [], &gone, &came)
    return (gone, came)
  }

  /// The old names of the files that came, as far as they are renamed ones.
  func renames(_ gone: [File], _ came: [File]) throws(GitError) -> [EntryPath: EntryPath] {
    guard !gone.isEmpty, !came.isEmpty else { return [:] }
    func sides(_ files: [File]) -> [RenameCandidate] {
      files.map { RenameCandidate(path: $0.path, identity: $0.entry.id.bytes, bytes: nil) }
    }
    return try DiaryCore.renames(gone: sides(gone), new: sides(came)) { side throws(GitError) in
      guard side.path.isMarkdown, let id = ObjectID(bytes: side.identity) else { return nil }
      return try reader.read(id, "version") { Array($0) }
    }
  }

  private func compare(
    _ old: ObjectID?, _ new: ObjectID?, below: [UInt8], _ gone: inout [File],
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
      if was?.entry == now?.entry { continue }
      guard let name = was?.name ?? now?.name else { continue }
      let full = below.isEmpty ? name : below + [UInt8(ascii: "/")] + name
      if was?.entry.isFolder == true || now?.entry.isFolder == true {
        try compare(was?.entry.id, now?.entry.id, below: full, &gone, &came)
      } else if was?.entry.isRegular != now?.entry.isRegular, let path = EntryPath(bytes: full) {
        if let was, was.entry.isRegular { gone.append(File(path: path, entry: was.entry)) }
        if let now, now.entry.isRegular { came.append(File(path: path, entry: now.entry)) }
      }
    }
  }

  /// As git orders a tree: a folder as if its name ended in `/`.
  private func compareNames(
    _ left: (name: [UInt8], entry: TreeEntry), _ right: (name: [UInt8], entry: TreeEntry)
  ) -> Int {
    let slash = UInt8(ascii: "/")
    if left.name == right.name, left.entry.isFolder == right.entry.isFolder { return 0 }
    let one = left.entry.isFolder ? left.name + [slash] : left.name
    let other = right.entry.isFolder ? right.name + [slash] : right.name
    return one.lexicographicallyPrecedes(other) ? -1 : 1
  }

  private func children(
    _ tree: ObjectID?
  ) throws(GitError) -> [(name: [UInt8], entry: TreeEntry)] {
    guard let tree else { return [] }
    if let known = folders[tree] { return known }
    let found = try reader.read(tree, "tree") { TreeEntry.all(in: $0) }
    // A folder is looked into twice, as a commit's and as its child's parent's; seldom later.
    if folders.count > 4_000 { folders.removeAll(keepingCapacity: true) }
    folders[tree] = found
    return found
  }
}
