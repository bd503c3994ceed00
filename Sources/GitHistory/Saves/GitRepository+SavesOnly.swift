import CLibgit2
import DiaryCore

/// A file with versions that only the saves contain.
package struct SavesOnlyFile: Sendable, Equatable {
  /// The path in the repository.
  package let path: EntryPath
  /// The number of these versions.
  package let versionCount: Int
}

extension GitRepository {
  /// Returns the versions that would be lost with the saves of all branches and work trees: those
  /// not reachable from a branch, a tag, another ref or HEAD. The result is sorted by path.
  package func savesOnlyFiles() throws(GitError) -> [SavesOnlyFile] {
    let reader = try ObjectReader(repository, location)
    var otherTips = [try head().commit].compactMap { $0 }
    for name in try referenceNames("refs/*") where !name.hasPrefix("refs/diary/") {
      if let commit = try peeled(name) { otherTips.append(commit) }
    }
    let reachable = try objects(from: otherTips, reader)
    let emptyBlob = try ObjectID(of: [])
    var (seen, trees, blobs): (Set<ObjectID>, Set<ObjectID>, Set<ObjectID>) = ([], [], [])
    var counts: [EntryPath: Int] = [:]
    var open: [ObjectID] = []
    // The refs of a sealed remote name no saves.
    for name in try referenceNames("refs/diary/*") where !name.hasPrefix("refs/diary/sealed/") {
      if let id = try target(of: name) { open.append(id) }
    }
    while let id = open.popLast() {
      guard !reachable.contains(id), seen.insert(id).inserted else { continue }
      let facts = try reader.commit(id)
      open += facts.parents
      var folders: [(tree: ObjectID, path: [UInt8])] = [(facts.tree, [])]
      while let folder = folders.popLast() {
        guard trees.insert(folder.tree).inserted else { continue }
        for item in try reader.treeItems(folder.tree) {
          let (entry, full) = (item.entry, folder.path + item.name)
          if entry.isFolder {
            folders.append((entry.id, full + [UInt8(ascii: "/")]))
          } else if entry.isRegular, !reachable.contains(entry.id), entry.id != emptyBlob,
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

  /// Returns those of the ids to which a ref or HEAD leads. Walks the history until it has found all
  /// of them, from HEAD on.
  package func reachable(_ ids: Set<ObjectID>) throws(GitError) -> Set<ObjectID> {
    guard !ids.isEmpty else { return [] }
    var tips: [CommitID] = []
    for name in try referenceNames("refs/*") {
      if let commit = try peeled(name) { tips.append(commit) }
    }
    if let commit = try head().commit { tips.append(commit) }
    return ids.intersection(
      try objects(from: tips, ObjectReader(repository, location), until: ids))
  }

  /// Returns every blob in the history of some commits, and the ids of these commits; only part of
  /// them if it has found all of `ids` before.
  private func objects(
    from starts: [ObjectID], _ reader: ObjectReader, until ids: Set<ObjectID>? = nil
  ) throws(GitError) -> Set<ObjectID> {
    var found: Set<ObjectID> = []
    var trees: Set<ObjectID> = []
    var seen: Set<ObjectID> = []
    var open = starts
    while let id = open.popLast() {
      guard seen.insert(id).inserted else { continue }
      let facts = try reader.commit(id)
      open += facts.parents
      var folders = [facts.tree]
      while let tree = folders.popLast() {
        guard trees.insert(tree).inserted else { continue }
        for item in try reader.treeItems(tree) {
          if item.isFolder { folders.append(item.entry.id) } else { found.insert(item.entry.id) }
        }
      }
      if let ids, ids.isSubset(of: found) { break }
    }
    return found.union(seen)
  }

  /// Returns the commit of a ref, through annotated tags, or `nil` if it is not a commit.
  private func peeled(_ name: String) throws(GitError) -> CommitID? {
    var reference: OpaquePointer?
    let found = GitError.read(&reference) { git_reference_lookup(&$0, repository, name) }
    guard found >= 0 else { return nil }
    defer { git_reference_free(reference) }
    var object: OpaquePointer?
    let peeled = GitError.read(&object) {
      git_reference_peel(&$0, reference, GIT_OBJECT_COMMIT)
    }
    guard peeled >= 0 else { return nil }
    defer { git_object_free(object) }
    return git_object_id(object).map { ObjectID($0.pointee) }
  }
}
