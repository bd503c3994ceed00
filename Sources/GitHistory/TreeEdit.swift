import CLibgit2
import DiaryCore

/// What is to stand at a path of a new tree; `nil`: nothing.
typealias TreeEdits = [EntryPath: TreeEntry?]

extension GitRepository {
  /// The tree that `base` becomes under `edits`; an emptied folder goes, and a file takes a folder's
  /// place or the other way round.
  func writeTree(
    _ base: ObjectID?, _ edits: TreeEdits, _ objects: inout NewObjects
  ) throws(GitError) -> ObjectID {
    if edits.isEmpty, let base { return base }
    let items = edits.map { (names: $0.key.names[...], entry: $0.value) }
    if let tree = try writeFolder(base, items, &objects) { return tree }
    return try write([], GIT_OBJECT_TREE, &objects)
  }

  private func writeFolder(
    _ base: ObjectID?, _ items: [(names: ArraySlice<ArraySlice<UInt8>>, entry: TreeEntry?)],
    _ objects: inout NewObjects
  ) throws(GitError) -> ObjectID? {
    var holds = try children(of: base)
    let groups = Dictionary(grouping: items) { Array($0.names.first ?? []) }
    for (name, group) in groups {
      let leaves = group.filter { $0.names.count == 1 }
      let nested = group.filter { $0.names.count > 1 }
      if !nested.isEmpty {
        let folder = holds[name]?.isFolder == true ? holds[name]?.id : nil
        let below = nested.map { (names: $0.names.dropFirst(), entry: $0.entry) }
        if let tree = try writeFolder(folder, below, &objects) {
          holds[name] = TreeEntry(id: tree, mode: TreeEntry.folder)
        } else if holds[name]?.isFolder == true {
          holds[name] = nil
        }
      }
      guard let leaf = leaves.first else { continue }
      if let entry = leaf.entry {
        holds[name] = entry
      } else if holds[name]?.isFolder != true {
        holds[name] = nil
      }
    }
    return holds.isEmpty ? nil : try write(encoded(holds), GIT_OBJECT_TREE, &objects)
  }

  /// A tree object's bytes: entries in git's order, a folder compared as if its name ended in `/`.
  private func encoded(_ holds: [[UInt8]: TreeEntry]) throws(GitError) -> [UInt8] {
    let sorted = holds.map { name, entry in
      (key: entry.isFolder ? name + [UInt8(ascii: "/")] : name, name: name, entry: entry)
    }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    var bytes: [UInt8] = []
    for item in sorted {
      guard !isReserved(item.name) else {
        throw GitError(
          "save", String(decoding: item.name, as: UTF8.self), .otherRepository,
          "the name belongs to git")
      }
      bytes += Array(String(item.entry.mode, radix: 8).utf8) + [UInt8(ascii: " ")]
      bytes += item.name + [0] + item.entry.id.bytes
    }
    return bytes
  }

  private func isReserved(_ name: [UInt8]) -> Bool {
    String(decoding: name, as: UTF8.self).lowercased() == ".git"
  }
}
