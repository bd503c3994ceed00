import DiaryCore

/// A lookup of one path in many trees. Each folder's result is cached by its id: if the first
/// folder of a path did not change, nothing below it did.
final class PathLookup {
  private let names: [[UInt8]]
  private var cache: [[ObjectID: TreeEntry?]]
  /// The results for the last few root trees: each is needed again as the tree of a child's parent.
  private var recent: [(tree: ObjectID, file: TreeEntry?)] = []
  private var oldest = 0

  init(_ path: EntryPath) {
    names = path.names.map { Array($0) }
    cache = Array(repeating: [:], count: names.count)
  }

  /// Returns the file at the path below `tree`, or `nil` if there is none.
  func file(below tree: ObjectID, _ reader: ObjectReader) throws(GitError) -> TreeEntry? {
    if let answer = recent.first(where: { $0.tree == tree }) { return answer.file }
    let file = try entry(tree, 0, reader)
    if recent.count < 8 {
      recent.append((tree, file))
    } else {
      recent[oldest] = (tree, file)
      oldest = (oldest + 1) & 7
    }
    return file
  }

  private func entry(
    _ tree: ObjectID, _ depth: Int, _ reader: ObjectReader
  ) throws(GitError) -> TreeEntry? {
    if depth > 0, let answer = cache[depth][tree] { return answer }
    let name = names[depth]
    let here: TreeEntry?
    do throws(GitError) {
      here = try reader.read(tree, "tree") { bytes throws(GitError) in
        try TreeEntry.find(name, in: bytes)
      }
    } catch {
      // One malformed tree, perhaps older than the entry, does not hide the entry's other versions.
      guard error.reason == .damaged else { throw error }
      here = nil
    }
    var found: TreeEntry?
    if let here {
      if depth == names.count - 1 {
        found = here.isRegular ? here : nil
      } else if here.isFolder {
        found = try entry(here.id, depth + 1, reader)
      }
    }
    if depth > 0 { cache[depth].updateValue(found, forKey: tree) }
    return found
  }
}
