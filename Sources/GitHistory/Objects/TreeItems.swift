import DiaryCore

/// One entry of a tree object: `MODE NAME`, a NUL and twenty bytes.
struct TreeItem {
  /// All bytes of the entry.
  let bytes: ArraySlice<UInt8>
  let name: ArraySlice<UInt8>
  let mode: UInt32

  var isFolder: Bool { mode == TreeEntry.folder }
  var entry: TreeEntry { TreeEntry(id: ObjectID(twenty: bytes.suffix(20)), mode: mode) }

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
    guard at < bytes.count else { return nil }
    var (space, mode) = (at, UInt32(0))
    while space < bytes.count, (0x30...0x37).contains(bytes[space]) {
      mode = mode << 3 | UInt32(bytes[space] & 7)
      space += 1
    }
    guard space < bytes.count, bytes[space] == UInt8(ascii: " "),
      let end = bytes[space...].firstIndex(of: 0), end + 20 < bytes.count
    else { throw GitError("read", "a tree", .damaged, "it is malformed") }
    let start = at
    at = end + 21
    return TreeItem(
      bytes: bytes[start..<at], name: bytes[(space + 1)..<end], mode: TreeEntry.normalizedMode(mode)
    )
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
