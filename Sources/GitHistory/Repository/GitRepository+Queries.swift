import CLibgit2
import CLinux
import DiaryCore
import Glibc

extension GitRepository {
  /// Returns the paths that git ignores. Tracked or saved paths are never ignored.
  package func ignoredPaths(among paths: [EntryPath]) throws(GitError) -> Set<EntryPath> {
    var found: Set<EntryPath> = []
    for path in paths {
      var answer: Int32 = 0
      let full = location.repositoryPath(path)
      try GitError.check(
        git_ignore_path_is_ignored(&answer, repository, full.cString), "ask what git ignores of",
        path.text)
      if answer != 0 { found.insert(path) }
    }
    guard !found.isEmpty else { return [] }
    return found.subtracting(try trackedPaths(among: Array(found))).subtracting(
      try savedBlobs(at: Array(found)).keys)
  }

  /// Returns the paths of which git's index has several versions, because a merge by git stopped.
  package func unmergedPaths() throws(GitError) -> Set<EntryPath> {
    guard case .readable(let index) = try openIndex() else { return [] }
    return Set(index.conflicts().compactMap { location.journalPath($0.path) })
  }

  /// Returns the paths that HEAD or the index contains.
  package func trackedPaths(among paths: [EntryPath]) throws(GitError) -> Set<EntryPath> {
    let tree = try tree(of: head().commit)
    let folders = TreeCache()
    var found: Set<EntryPath> = []
    for path in paths
    where try fileEntry(at: location.repositoryPath(path), in: tree, folders) != nil {
      found.insert(path)
    }
    // HEAD usually contains all paths: then the index need not be read.
    let others = paths.filter { !found.contains($0) }
    guard !others.isEmpty, case .readable(let index) = try openIndex() else { return found }
    for path in others {
      let full = location.repositoryPath(path)
      if index.entry(at: full) != nil || index.hasConflict(at: full) { found.insert(path) }
    }
    return found
  }

  /// Returns every regular file of HEAD below the journal.
  package func headEntries() throws(GitError) -> [EntryPath: ObjectID] {
    var tree = try tree(of: head().commit)
    if let prefix = location.prefix {
      let folder = try entry(at: prefix, in: tree)
      tree = folder?.isFolder == true ? folder?.id : nil
    }
    return try differences(nil, tree).compactMapValues { change in
      change.new.flatMap { $0.isRegular ? $0.id : nil }
    }
  }

  /// Returns the paths whose attributes name a filter program or an encoding (`filter=lfs`).
  /// libgit2 does not apply these, so the bytes must not be saved unchanged.
  package func unusualAttributes(_ paths: [EntryPath]) throws(GitError) -> [EntryPath: String] {
    var rules = AttributeRules(self)
    var found: [EntryPath: String] = [:]
    for path in paths where rules.mayHaveAttributes(location.repositoryPath(path), self) {
      loadIndexIntoLibgit2()
      for name in ["filter", "working-tree-encoding"] {
        var value: UnsafePointer<CChar>?
        try GitError.check(
          git_attr_get(&value, repository, 0, location.repositoryPath(path).cString, name),
          "read git's attributes of", path.text)
        guard let value, git_attr_value(value) == GIT_ATTR_VALUE_STRING else { continue }
        let text = String(cString: value)
        if name == "working-tree-encoding", ["utf-8", "utf8"].contains(text.lowercased()) {
          continue
        }
        found[path] = "\(name)=\(text)"
        break
      }
    }
    return found
  }

  /// Returns the paths whose index entry differs from HEAD's: staged by the user in whole or in
  /// part, removed, or marked to be added. With `paths`, only these are checked.
  package func pathsStagedByUser(_ paths: [EntryPath]? = nil) throws(GitError) -> [EntryPath] {
    guard case .readable(let index) = try openIndex() else { return [] }
    let tree = try tree(of: head().commit)
    let requested = if let paths { paths } else { try stagedPaths(index, tree) }
    let folders = TreeCache()
    var found: [EntryPath] = []
    for path in requested.sorted() {
      let full = location.repositoryPath(path)
      let staged = index.entry(at: full)
      let committed = try fileEntry(at: full, in: tree, folders)
      if index.hasConflict(at: full) || staged?.isIntentToAdd == true || staged?.entry != committed
      {
        found.append(path)
      }
    }
    return found
  }

  /// Returns the paths of the journal whose index entry differs from a tree.
  func stagedPaths(_ index: GitIndex, _ tree: ObjectID?) throws(GitError) -> [EntryPath] {
    if let tree, index.rootTree == tree { return [] }
    var found: [EntryPath] = []
    var items = index.entries()[...]
    // The index has the order of the tree.
    try compareTrees(nil, tree, reading: treeBytes) { path, _, committed in
      while let item = items.first, item.path < path { found.append(items.removeFirst().path) }
      let staged = items.first?.path == path ? items.removeFirst().entry : nil
      if staged?.entry != committed || staged?.isIntentToAdd == true { found.append(path) }
    }
    found += items.map(\.path)
    return found.compactMap { location.journalPath($0) }
  }

  /// Returns the paths inside another repository, a submodule or an encrypted folder, where Diary never
  /// saves.
  package func pathsInForeignFolders(_ paths: [EntryPath]) throws(GitError) -> Set<EntryPath> {
    let tree = try tree(of: head().commit)
    var answers: [EntryPath: Bool] = [:]
    var found: Set<EntryPath> = []
    for path in paths {
      var folder = location.repositoryPath(path).folder
      while let next = folder {
        let isOther: Bool
        if let answer = answers[next] {
          isOther = answer
        } else {
          let marker = next.appending(".git".utf8).map { location.diskPath($0) } ?? [0]
          let isMarked =
            access(marker, F_OK) == 0
            || diary_is_encrypted_folder(AT_FDCWD, location.diskPath(next)) != 0
          isOther =
            isMarked ? true : try entry(at: next, in: tree)?.mode == TreeEntry.submodule
          answers[next] = isOther
        }
        if isOther { found.insert(path) }
        folder = next.folder
      }
    }
    return found
  }
}
