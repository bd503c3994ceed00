import CLibgit2
import DiaryCore

/// A file of which only the saves hold some versions.
package struct SavesOnlyFile: Sendable, Equatable {
  /// The file, as the repository spells it.
  package let path: EntryPath
  /// How many versions.
  package let versionCount: Int
}

extension GitRepository {
  /// What would be lost with the saves of all branches and work trees: each version that neither a
  /// branch, a tag, another reference nor HEAD leads to. In order of the paths.
  package func savesOnlyFiles() throws(GitError) -> [SavesOnlyFile] {
    let reader = try ObjectReader(repository, location)
    var otherTips = [try head().commit].compactMap { $0 }
    for name in try referenceNames("refs/*") where !name.hasPrefix("refs/diary/") {
      if let commit = try peeled(name) { otherTips.append(commit) }
    }
    let reachable = try objects(from: otherTips, reader)
    var (seen, trees, blobs): (Set<ObjectID>, Set<ObjectID>, Set<ObjectID>) = ([], [], [])
    var counts: [EntryPath: Int] = [:]
    var open: [ObjectID] = []
    for name in try referenceNames("refs/diary/*") {
      if let id = try target(of: name) { open.append(id) }
    }
    while let id = open.popLast() {
      guard !reachable.contains(id), seen.insert(id).inserted else { continue }
      let facts = try reader.commit(id)
      open += facts.parents
      var folders: [(tree: ObjectID, path: [UInt8])] = [(facts.tree, [])]
      while let folder = folders.popLast() {
        guard trees.insert(folder.tree).inserted else { continue }
        for (name, entry) in try reader.read(folder.tree, "tree", { TreeEntry.all(in: $0) }) {
          let full = folder.path.isEmpty ? name : folder.path + [UInt8(ascii: "/")] + name
          if entry.isFolder {
            folders.append((entry.id, full))
          } else if entry.isRegular, !reachable.contains(entry.id), !isEmptyBlob(entry.id),
            blobs.insert(entry.id).inserted, let path = EntryPath(bytes: full)
          {
            counts[path, default: 0] += 1
          }
        }
      }
    }
    return counts.map { SavesOnlyFile(path: $0.key, versionCount: $0.value) }
      .sorted { $0.path < $1.path }
  }

  /// Whether it is the text without a byte.
  private func isEmptyBlob(_ id: ObjectID) -> Bool { id == (try? ObjectID(of: [])) }

  /// The commit that a reference leads to, through annotated tags; `nil` for what is no commit.
  private func peeled(_ name: String) throws(GitError) -> CommitID? {
    var reference: OpaquePointer?
    guard git_reference_lookup(&reference, repository, name) >= 0 else { return nil }
    defer { git_reference_free(reference) }
    var object: OpaquePointer?
    guard git_reference_peel(&object, reference, GIT_OBJECT_COMMIT) >= 0 else { return nil }
    defer { git_object_free(object) }
    return git_object_id(object).map { ObjectID($0.pointee) }
  }

  /// The names of all references that the pattern takes.
  func referenceNames(_ pattern: String) throws(GitError) -> [String] {
    var iterator: OpaquePointer?
    try GitError.check(
      git_reference_iterator_glob_new(&iterator, repository, pattern), "list", pattern)
    defer { git_reference_iterator_free(iterator) }
    var names: [String] = []
    var name: UnsafePointer<CChar>?
    while git_reference_next_name(&name, iterator) == 0 {
      if let name { names.append(String(cString: name)) }
    }
    return names
  }

  /// The inverse of `savesReference`.
  static func branch(ofSaves name: String) -> String {
    let parts = name.split(separator: "/", maxSplits: 4)
    let branch = parts.count == 5 ? String(parts[4]) : name
    return branch.hasSuffix("%")
      ? String(branch.dropLast()).replacing("%2F", with: "/") : branch
  }
}
