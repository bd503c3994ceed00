import CLibgit2
import DiaryCore

/// The result of a merge of two trees.
struct MergedTree {
  var tree: ObjectID
  /// The changes inside the journal; paths are the journal's.
  var merge: TreeMerge
  /// The paths of the repository, outside the journal, that both sides changed differently.
  var conflicting: [EntryPath]
}

extension GitRepository {
  /// Merges two trees with the common `base` (`nil`: none). Outside the journal, changes of only
  /// one side are used; conflicting files there are left out of the new tree.
  func mergeTrees(
    base: ObjectID?, _ a: ObjectID?, _ b: ObjectID?, _ rules: MergeRules,
    _ objects: inout ObjectBatch
  ) throws(GitError) -> MergedTree {
    let ours = split(try differences(base, a))
    let theirs = split(try differences(base, b))
    var (edits, conflicting) = mergedOutside(ours.outside, theirs.outside)
    let merge = try TreeMerge(
      a: ours.journal, b: theirs.journal, rules: rules, source: source(of: base))
    for (path, outcome) in merge.paths {
      let entry: TreeEntry? =
        switch outcome {
        case .absent: nil
        case .file(let file): try TreeEntry(file)
        case .text(let bytes, let kind):
          TreeEntry(id: try newObject(bytes, GIT_OBJECT_BLOB, &objects), kind: kind)
        }
      edits.updateValue(entry, forKey: location.repositoryPath(path))
    }
    conflicting.formUnion(fileFolderConflicts(edits))
    for path in conflicting { edits.updateValue(nil, forKey: path) }
    return MergedTree(
      tree: try writeTree(base, edits, &objects), merge: merge, conflicting: conflicting.sorted())
  }

  private typealias Differences = [EntryPath: (old: TreeEntry?, new: TreeEntry?)]

  private func split(
    _ changes: Differences
  ) -> (journal: [EntryPath: TreeChange], outside: Differences) {
    var journal: [EntryPath: TreeChange] = [:]
    var outside: Differences = [:]
    for (path, change) in changes {
      if let journalPath = location.journalPath(path) {
        journal[journalPath] = TreeChange(before: change.old?.file, after: change.new?.file)
      } else {
        outside[path] = change
      }
    }
    return (journal, outside)
  }

  private func mergedOutside(
    _ ours: Differences, _ theirs: Differences
  ) -> (edits: TreeEdits, conflicting: Set<EntryPath>) {
    var edits = ours.mapValues(\.new)
    var conflicting: Set<EntryPath> = []
    for (path, change) in theirs {
      if let our = ours[path], our.new != change.new { conflicting.insert(path) }
      edits.updateValue(change.new, forKey: path)
    }
    return (edits, conflicting)
  }

  /// Returns the files outside the journal where the other side needs a folder. Inside, none exist.
  private func fileFolderConflicts(_ edits: TreeEdits) -> Set<EntryPath> {
    guard location.prefix != nil else { return [] }
    let present = Set(edits.filter { $0.value != nil }.keys)
    var found: Set<EntryPath> = []
    for path in present {
      var folder = path.folder
      while let next = folder {
        if present.contains(next) { found.insert(next) }
        folder = next.folder
      }
    }
    return found
  }

  private func source(of base: ObjectID?) -> MergeSource<GitError> {
    MergeSource(
      read: { id throws(GitError) in
        try self.content(of: TreeEntry(TreeFile(id: id, kind: .regular)).id)
      },
      blobID: { bytes throws(GitError) in try ObjectID(of: bytes).bytes },
      base: { path throws(GitError) in
        guard let found = try self.entry(at: self.location.repositoryPath(path), in: base) else {
          return .nothing
        }
        return found.isFolder ? .folder : .file(found.file)
      })
  }
}
