import CLibgit2
import DiaryCore
import Glibc

extension GitRepository {
  /// Which of the paths git ignores; what it tracks, or what a save holds, is never ignored.
  public func ignored(_ paths: [EntryPath]) throws(GitError) -> Set<EntryPath> {
    var found: Set<EntryPath> = []
    for path in paths {
      var answer: Int32 = 0
      let full = place.inRepository(path)
      try GitError.check(
        git_ignore_path_is_ignored(&answer, repository, full.cString), "ask what git ignores of",
        path.text)
      if answer != 0 { found.insert(path) }
    }
    guard !found.isEmpty else { return [] }
    return found.subtracting(try known(Array(found))).subtracting(try kept(Array(found)).keys)
  }

  /// Which of the paths HEAD or the index knows.
  public func known(_ paths: [EntryPath]) throws(GitError) -> Set<EntryPath> {
    let tree = try tree(of: head().commit)
    let folders = OpenFolders()
    var found: Set<EntryPath> = []
    for path in paths where try leaf(at: place.inRepository(path), in: tree, folders) != nil {
      found.insert(path)
    }
    // Mostly the commit knows all: then the index need not be read.
    let others = paths.filter { !found.contains($0) }
    guard !others.isEmpty, case .readable(let index) = try openIndex() else { return found }
    for path in others {
      let full = place.inRepository(path)
      if index.entry(at: full) != nil || index.hasConflict(at: full) { found.insert(path) }
    }
    return found
  }

  /// Every regular file of HEAD below the journal.
  public func headEntries() throws(GitError) -> [EntryPath: ObjectID] {
    var tree = try tree(of: head().commit)
    if let prefix = place.prefix {
      let folder = try entry(at: prefix, in: tree)
      tree = folder?.isFolder == true ? folder?.id : nil
    }
    return try differences(nil, tree).compactMapValues { change in
      change.new.flatMap { $0.isRegular ? $0.id : nil }
    }
  }

  /// What HEAD holds at a path, as git keeps it; `nil` when it is no file of HEAD.
  public func headContent(_ path: EntryPath) throws(GitError) -> [UInt8]? {
    let tree = try tree(of: head().commit)
    guard let found = try leaf(at: place.inRepository(path), in: tree), found.isRegular else {
      return nil
    }
    return try content(of: found.id)
  }

  /// Paths whose attributes name a filter program or an encoding (`filter=lfs`), which libgit2 does
  /// not apply: their bytes must not be saved as they are.
  public func unusualAttributes(_ paths: [EntryPath]) throws(GitError) -> [EntryPath: String] {
    var rules = AttributeRules(self)
    var found: [EntryPath: String] = [:]
    for path in paths where rules.mayName(place.inRepository(path), self) {
      useReadableIndex()
      for name in ["filter", "working-tree-encoding"] {
        var value: UnsafePointer<CChar>?
        try GitError.check(
          git_attr_get(&value, repository, 0, place.inRepository(path).cString, name),
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

  /// Paths whose index entry is not HEAD's: staged by the writer in whole or in part, removed, or
  /// meant to be added. With paths, only of these.
  public func stagedByWriter(_ paths: [EntryPath]? = nil) throws(GitError) -> [EntryPath] {
    guard case .readable(let index) = try openIndex() else { return [] }
    let tree = try tree(of: head().commit)
    let asked = if let paths { paths } else { try allStaged(index, tree) }
    let folders = OpenFolders()
    var found: [EntryPath] = []
    for path in asked.sorted() {
      let full = place.inRepository(path)
      let staged = index.entry(at: full)
      let committed = try leaf(at: full, in: tree, folders)
      if index.hasConflict(at: full) || staged?.isIntent == true || staged?.entry != committed {
        found.append(path)
      }
    }
    return found
  }

  private func allStaged(_ index: GitIndex, _ tree: ObjectID?) throws(GitError) -> [EntryPath] {
    var committed = try differences(nil, tree).compactMapValues { $0.new }
    var found: [EntryPath] = []
    for (path, item) in index.entries() {
      if committed.removeValue(forKey: path) != item.entry || item.isIntent { found.append(path) }
    }
    return (found + committed.keys).compactMap { place.inJournal($0) }
  }

  /// Which of the paths lie inside another repository or a submodule: nothing there is ever saved.
  public func insideOthers(_ paths: [EntryPath]) throws(GitError) -> Set<EntryPath> {
    let tree = try tree(of: head().commit)
    var answers: [EntryPath: Bool] = [:]
    var found: Set<EntryPath> = []
    for path in paths {
      var folder = place.inRepository(path).folder
      while let next = folder {
        let isOther: Bool
        if let answer = answers[next] {
          isOther = answer
        } else {
          let marker = next.appending(".git".utf8).map { place.onDisk($0) } ?? [0]
          let isMarked = access(marker, F_OK) == 0
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
