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
  private var folders: [ObjectID: [UInt8]] = [:]

  init(_ reader: ObjectReader) { self.reader = reader }

  /// What `old` has and `new` lacks, and the other way round.
  func between(
    _ old: ObjectID?, _ new: ObjectID?
  ) throws(GitError) -> (gone: [File], came: [File]) {
    var removed: [File] = []
    var added: [File] = []
    try compareTrees(old, new, reading: bytes) { path, was, now in
      guard was?.isRegular != now?.isRegular else { return }
      if let was, was.isRegular { removed.append(File(path: path, entry: was)) }
      if let now, now.isRegular { added.append(File(path: path, entry: now)) }
    }
    return (removed, added)
  }

  /// The old names of the files that came, as far as they are renamed ones.
  func renames(_ removed: [File], _ added: [File]) throws(GitError) -> [EntryPath: EntryPath] {
    guard !removed.isEmpty, !added.isEmpty else { return [:] }
    func sides(_ files: [File]) -> [RenameCandidate] {
      files.map { RenameCandidate(path: $0.path, contentID: $0.entry.id.bytes, bytes: nil) }
    }
    return try DiaryCore.renames(removed: sides(removed), added: sides(added)) {
      side throws(GitError) in
      guard side.path.isMarkdown, let id = ObjectID(bytes: side.contentID) else { return nil }
      return try reader.read(id, "version") { Array($0) }
    }
  }

  /// A folder is looked into twice, as a commit's and as its child's parent's; seldom later.
  private func bytes(of tree: ObjectID) throws(GitError) -> [UInt8] {
    if let known = folders[tree] { return known }
    let bytes = try reader.read(tree, "tree") { Array($0) }
    if folders.count > 4_000 { folders.removeAll(keepingCapacity: true) }
    folders[tree] = bytes
    return bytes
  }
}
