import CLibgit2
import DiaryCore

/// The new entry at each path of a tree, or `nil` to remove the entry.
typealias TreeEdits = [EntryPath: TreeEntry?]

extension GitRepository {
  /// Writes the tree that results from `base` and `edits`. An emptied folder is removed, and a file
  /// may replace a folder or the reverse.
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
          "save", String(decoding: name, as: UTF8.self), .foreignFolder,
          "the name belongs to git")
      }
      changed.append((name, now))
    }
    let bytes = folder.bytes(adding: changed)
    return bytes.isEmpty ? nil : try newObject(bytes, GIT_OBJECT_TREE, &objects)
  }

  private func isReserved(_ name: ArraySlice<UInt8>) -> Bool {
    name.count == 4 && String(decoding: name, as: UTF8.self).lowercased() == ".git"
  }
}

/// A tree whose entries are changed. Unchanged entries are copied byte for byte.
private struct TreeBytes {
  private let items: [TreeItem]
  private var positions: [ArraySlice<UInt8>: Int] = [:]
  private var removed: Set<Int> = []

  init(_ bytes: [UInt8]) throws(GitError) { items = try TreeItem.all(in: bytes) }

  /// Removes an entry and returns it.
  mutating func remove(_ name: ArraySlice<UInt8>) -> TreeEntry? {
    if positions.isEmpty {
      for (position, item) in items.enumerated() { positions[item.name] = position }
    }
    guard let position = positions[name], removed.insert(position).inserted else { return nil }
    return items[position].entry
  }

  /// Returns the tree with additional entries, all in git's order.
  func bytes(adding changed: [(name: ArraySlice<UInt8>, entry: TreeEntry)]) -> [UInt8] {
    var new = changed.sorted { precedes($0.name, $0.entry.mode, $1.name, $1.entry.mode) }[...]
    var joined: [UInt8] = []
    joined.reserveCapacity(64 * (items.count + changed.count))
    for (position, item) in items.enumerated() where !removed.contains(position) {
      while let next = new.first, precedes(next.name, next.entry.mode, item.name, item.mode) {
        append(new.removeFirst(), to: &joined)
      }
      joined += item.bytes
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
}
