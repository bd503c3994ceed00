import CLibgit2
import DiaryCore

/// What is to stand at a path of a new tree; `nil`: nothing.
typealias TreeEdits = [EntryPath: TreeEntry?]

extension GitRepository {
  /// The tree that `base` becomes under `edits`; an emptied folder goes, and a file takes a folder's
  /// place or the other way round.
  func writeTree(
    _ base: ObjectID?, _ edits: TreeEdits, _ objects: inout ObjectBatch
  ) throws(GitError) -> ObjectID {
    if edits.isEmpty, let base { return base }
    let items = edits.map { (names: $0.key.names[...], entry: $0.value) }
    if let tree = try writeFolder(base, items, &objects) { return tree }
    return try newObject([], GIT_OBJECT_TREE, &objects)
  }

  private func writeFolder(
    _ base: ObjectID?, _ items: [(names: ArraySlice<ArraySlice<UInt8>>, entry: TreeEntry?)],
    _ objects: inout ObjectBatch
  ) throws(GitError) -> ObjectID? {
    let groups = Dictionary(grouping: items) { $0.names.first ?? [] }
    var folder = try TreeBytes(base.map { id throws(GitError) in try treeBytes(id) } ?? [])
    var changed: [(name: ArraySlice<UInt8>, entry: TreeEntry)] = []
    for (name, group) in groups {
      var now = folder.remove(name)
      let nested = group.filter { $0.names.count > 1 }
      if !nested.isEmpty {
        let below = nested.map { (names: $0.names.dropFirst(), entry: $0.entry) }
        if let tree = try writeFolder(now?.isFolder == true ? now?.id : nil, below, &objects) {
          now = TreeEntry(id: tree, mode: TreeEntry.folder)
        } else if now?.isFolder == true {
          now = nil
        }
      }
      if let leaf = group.first(where: { $0.names.count == 1 }) {
        if let entry = leaf.entry { now = entry } else if now?.isFolder != true { now = nil }
      }
      guard let now else { continue }
      if isReserved(name) {
        throw GitError(
          "save", String(decoding: name, as: UTF8.self), .otherRepository,
          "the name belongs to git")
      }
      changed.append((name, now))
    }
    let bytes = folder.joined(changed)
    return bytes.isEmpty ? nil : try newObject(bytes, GIT_OBJECT_TREE, &objects)
  }

  private func isReserved(_ name: ArraySlice<UInt8>) -> Bool {
    name.count == 4 && String(decoding: name, as: UTF8.self).lowercased() == ".git"
  }

  /// A tree as git keeps it.
  private func treeBytes(_ tree: ObjectID) throws(GitError) -> [UInt8] {
    var database: OpaquePointer?
    try GitError.check(git_repository_odb(&database, repository), "open", objectsFolder)
    defer { git_odb_free(database) }
    var (id, object) = (tree.raw, OpaquePointer?.none)
    try GitError.check(git_odb_read(&object, database, &id), "read the tree", tree.short)
    defer { git_odb_object_free(object) }
    guard git_odb_object_type(object) == GIT_OBJECT_TREE else {
      throw GitError("read the tree", tree.short, .damaged, "it is no tree")
    }
    return Array(
      UnsafeRawBufferPointer(start: git_odb_object_data(object), count: git_odb_object_size(object))
    )
  }
}

/// A tree object's bytes, entry by entry: `MODE NAME`, a NUL and twenty bytes. What does not change is
/// copied as it stands.
private struct TreeBytes {
  private struct Item {
    var all: Range<Int>
    var name: Range<Int>
    var mode: UInt32
    var isGone = false
  }

  private let bytes: [UInt8]
  private var items: [Item] = []
  private var positions: [ArraySlice<UInt8>: Int] = [:]

  init(_ bytes: [UInt8]) throws(GitError) {
    self.bytes = bytes
    var start = 0
    while start < bytes.count {
      guard let space = bytes[start...].firstIndex(of: UInt8(ascii: " ")),
        let end = bytes[space...].firstIndex(of: 0), end + 20 < bytes.count,
        let mode = UInt32(String(decoding: bytes[start..<space], as: UTF8.self), radix: 8)
      else { throw GitError("read", "a tree", .damaged, "it is malformed") }
      items.append(Item(all: start..<(end + 21), name: (space + 1)..<end, mode: mode))
      start = end + 21
    }
  }

  /// Takes an entry out.
  mutating func remove(_ name: ArraySlice<UInt8>) -> TreeEntry? {
    if positions.isEmpty {
      for (position, item) in items.enumerated() { positions[bytes[item.name]] = position }
    }
    guard let position = positions[name], !items[position].isGone else { return nil }
    items[position].isGone = true
    let item = items[position]
    return ObjectID(bytes: Array(bytes[item.name.upperBound + 1..<item.all.upperBound])).map {
      TreeEntry(id: $0, mode: item.mode)
    }
  }

  /// The tree with more entries, all in git's order.
  func joined(_ changed: [(name: ArraySlice<UInt8>, entry: TreeEntry)]) -> [UInt8] {
    var new = changed.sorted { precedes($0.name, $0.entry.mode, $1.name, $1.entry.mode) }[...]
    var joined: [UInt8] = []
    joined.reserveCapacity(bytes.count + 64 * changed.count)
    for item in items where !item.isGone {
      while let next = new.first,
        precedes(next.name, next.entry.mode, bytes[item.name], item.mode)
      {
        append(new.removeFirst(), to: &joined)
      }
      joined += bytes[item.all]
    }
    for next in new { append(next, to: &joined) }
    return joined
  }

  private func append(
    _ next: (name: ArraySlice<UInt8>, entry: TreeEntry), to joined: inout [UInt8]
  ) {
    joined += Array(String(next.entry.mode, radix: 8).utf8) + [UInt8(ascii: " ")]
    joined += next.name
    joined.append(0)
    joined += next.entry.id.bytes
  }

  /// By bytes, a folder as if its name ended in `/`.
  private func precedes(
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
}
