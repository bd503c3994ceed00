import DiaryCore

/// The files that exist in only one of two trees, found without reading folders that are equal.
final class TreeDiff {
  /// A file that was added or removed.
  struct File {
    var path: EntryPath
    var entry: TreeEntry
  }

  private let reader: ObjectReader
  private var folders: [ObjectID: [UInt8]] = [:]

  init(_ reader: ObjectReader) { self.reader = reader }

  /// Returns the files that only `old` has, and those that only `new` has.
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

  /// Returns the old path of each added file that was renamed.
  func renames(_ removed: [File], _ added: [File]) throws(GitError) -> [EntryPath: EntryPath] {
    guard !removed.isEmpty, !added.isEmpty else { return [:] }
    func sides(_ files: [File]) -> [RenameCandidate] {
      files.map { RenameCandidate(path: $0.path, contentID: $0.entry.id.bytes, bytes: nil) }
    }
    return try renamesInHistory(removed: sides(removed), added: sides(added)) {
      side throws(GitError) in
      guard side.path.isMarkdown, let id = ObjectID(bytes: side.contentID) else { return nil }
      return try reader.read(id, "version") { Array($0) }
    }
  }

  /// Caches a folder, which is read as a commit's and as its child's parent's, and seldom later.
  private func bytes(of tree: ObjectID) throws(GitError) -> [UInt8] {
    if let known = folders[tree] { return known }
    let bytes = try reader.read(tree, "tree") { Array($0) }
    if folders.count > 4_000 { folders.removeAll(keepingCapacity: true) }
    folders[tree] = bytes
    return bytes
  }
}
