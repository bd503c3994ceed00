import DiaryCore
import Glibc

/// The position of one entry in a tree object: `MODE NAME`, a NUL and twenty bytes.
private struct TreeItemOffsets {
  let mode: UInt32
  let name: Range<Int>
  var id: Int { name.upperBound + 1 }
  var end: Int { id + 20 }

  init(_ tree: UnsafeBufferPointer<UInt8>, at start: Int) throws(GitError) {
    var (space, mode) = (start, UInt32(0))
    while space < tree.count, (0x30...0x37).contains(tree[space]) {
      mode = mode << 3 | UInt32(tree[space] & 7)
      space += 1
    }
    guard let bytes = tree.baseAddress, space < tree.count, tree[space] == UInt8(ascii: " "),
      let nul = memchr(bytes + space, 0, tree.count - space)
    else { throw Self.damage }
    let nameEnd = UnsafePointer(nul.assumingMemoryBound(to: UInt8.self)) - bytes
    self.mode = TreeEntry.normalizedMode(mode)
    name = (space + 1)..<nameEnd
    guard end <= tree.count else { throw Self.damage }
  }

  private static var damage: GitError { GitError("read", "a tree", .damaged, "it is malformed") }
}

extension TreeEntry {
  /// Returns the entry of that name in a tree object, or `nil` if there is none. No bytes are
  /// copied: a walk through history looks into every tree.
  static func find(
    _ name: [UInt8], in tree: UnsafeBufferPointer<UInt8>
  ) throws(GitError) -> TreeEntry? {
    var at = 0
    while let bytes = tree.baseAddress, at < tree.count {
      let item = try TreeItemOffsets(tree, at: at)
      if item.name.count == name.count, memcmp(bytes + item.name.lowerBound, name, name.count) == 0
      {
        return TreeEntry(id: ObjectID(UnsafeRawPointer(bytes + item.id)), mode: item.mode)
      }
      at = item.end
    }
    return nil
  }
}

/// One entry of a tree object.
struct TreeItem {
  /// All bytes of the entry.
  let bytes: ArraySlice<UInt8>
  let name: ArraySlice<UInt8>
  let mode: UInt32

  var isFolder: Bool { mode == TreeEntry.folder }
  var entry: TreeEntry { TreeEntry(id: ObjectID(twenty: bytes.suffix(20)), mode: mode) }

  /// Returns every entry of a tree object, in git's order.
  static func all(in tree: [UInt8]) throws(GitError) -> [TreeItem] {
    var items = TreeItems(tree)
    var found: [TreeItem] = []
    while let item = try items.next() { found.append(item) }
    return found
  }

  /// Compares positions in a tree: negative if `one` is first, 0 if both are equal. `nil` is last.
  static func order(_ one: TreeItem?, _ other: TreeItem?) -> Int {
    guard let one else { return other == nil ? 0 : 1 }
    guard let other else { return -1 }
    if one.name == other.name, one.isFolder == other.isFolder { return 0 }
    return precedes(one.name, one.mode, other.name, other.mode) ? -1 : 1
  }
}

/// An iterator over the entries of a tree object.
struct TreeItems {
  private let bytes: [UInt8]
  private var at = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() throws(GitError) -> TreeItem? {
    let start = at
    guard start < bytes.count else { return nil }
    let item = try bytes.withUnsafeBufferPointer { tree throws(GitError) in
      try TreeItemOffsets(tree, at: start)
    }
    at = item.end
    return TreeItem(bytes: bytes[start..<at], name: bytes[item.name], mode: item.mode)
  }
}

/// Compares names by bytes, a folder's as if it ended in `/`.
func precedes(
  _ name: ArraySlice<UInt8>, _ mode: UInt32, _ other: ArraySlice<UInt8>, _ otherMode: UInt32
) -> Bool {
  var (i, j) = (name.startIndex, other.startIndex)
  while i < name.endIndex, j < other.endIndex {
    if name[i] != other[j] { return name[i] < other[j] }
    i += 1
    j += 1
  }
  let slash = UInt8(ascii: "/")
  let next = i < name.endIndex ? name[i] : mode == TreeEntry.folder ? slash : 0
  let otherNext = j < other.endIndex ? other[j] : otherMode == TreeEntry.folder ? slash : 0
  return next < otherNext
}

/// Finds every path that differs between two trees, walking both in git's order. Only folders that
/// differ are read.
func compareTrees(
  _ old: ObjectID?, _ new: ObjectID?, below folder: [UInt8] = [],
  reading read: (ObjectID) throws(GitError) -> [UInt8],
  _ found: (EntryPath, _ old: TreeEntry?, _ new: TreeEntry?) -> Void
) throws(GitError) {
  if old == new { return }
  var before = TreeItems(try old.map(read) ?? [])
  var after = TreeItems(try new.map(read) ?? [])
  var (left, right) = (try before.next(), try after.next())
  while left != nil || right != nil {
    let order = TreeItem.order(left, right)
    let (was, now) = (order <= 0 ? left : nil, order >= 0 ? right : nil)
    if order <= 0 { left = try before.next() }
    if order >= 0 { right = try after.next() }
    if was?.bytes == now?.bytes { continue }
    guard let item = was ?? now else { continue }
    let path = folder + item.name
    if item.isFolder {
      try compareTrees(
        was?.entry.id, now?.entry.id, below: path + [UInt8(ascii: "/")], reading: read, found)
    } else if was?.entry != now?.entry, let path = EntryPath(bytes: path) {
      found(path, was?.entry, now?.entry)
    }
  }
}
