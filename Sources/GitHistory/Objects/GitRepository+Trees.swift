import CLibgit2
import DiaryCore

// Trees are built here folder by folder: libgit2's git_tree_create_updated cannot turn a folder
// into a file or a file into a folder, and leaves empty folders behind.

extension GitRepository {
  /// Returns the tree of a commit, or `nil` for no commit.
  func tree(of commit: CommitID?) throws(GitError) -> ObjectID? {
    guard let commit else { return nil }
    return try withCommit(commit) { object throws(GitError) in try tree(of: object, commit) }
  }

  func tree(of object: OpaquePointer?, _ id: CommitID) throws(GitError) -> ObjectID {
    guard let tree = git_commit_tree_id(object) else {
      throw GitError("read the commit", id.short, .damaged, "it has no tree")
    }
    return ObjectID(tree.pointee)
  }

  /// Returns the entry at `path` (of the repository), or `nil` if there is none.
  func entry(at path: EntryPath, in tree: ObjectID?) throws(GitError) -> TreeEntry? {
    guard let tree else { return nil }
    let object = try lookUpTree(tree)
    defer { git_tree_free(object) }
    var found: OpaquePointer?
    let code = git_tree_entry_bypath(&found, object, path.cString)
    if code == GIT_ENOTFOUND.rawValue { return nil }
    try GitError.check(code, "find in git", path.text)
    defer { git_tree_entry_free(found) }
    return treeEntry(found)
  }

  /// Returns the entry at `path` if it is a file, a link or a submodule. Callers that look up many
  /// paths pass `folders` and sort the paths.
  func fileEntry(
    at path: EntryPath, in tree: ObjectID?, _ folders: TreeCache = TreeCache()
  ) throws(GitError) -> TreeEntry? {
    guard let tree, let folder = try folders.folder(of: path, in: tree, self) else { return nil }
    let found = treeEntry(git_tree_entry_byname(folder, path.nameBytes.cString))
    return found?.isFolder == true ? nil : found
  }

  /// Returns every path that differs between the two trees, with both entries; folders are opened.
  func differences(
    _ old: ObjectID?, _ new: ObjectID?
  ) throws(GitError) -> [EntryPath: (old: TreeEntry?, new: TreeEntry?)] {
    var found: [EntryPath: (old: TreeEntry?, new: TreeEntry?)] = [:]
    try compareTrees(old, new, reading: treeBytes) { found[$0] = ($1, $2) }
    return found
  }

  /// Returns a tree's bytes as git stores them.
  func treeBytes(_ tree: ObjectID) throws(GitError) -> [UInt8] {
    try withObjects { database throws(GitError) in
      var (id, object) = (tree.raw, OpaquePointer?.none)
      try GitError.check(
        GitError.read(&object) { git_odb_read(&$0, database, &id) }, "read the tree", tree.short)
      defer { git_odb_object_free(object) }
      guard git_odb_object_type(object) == GIT_OBJECT_TREE else {
        throw GitError("read the tree", tree.short, .damaged, "it is no tree")
      }
      return Array(
        UnsafeRawBufferPointer(
          start: git_odb_object_data(object), count: git_odb_object_size(object)))
    }
  }

  func lookUpTree(_ tree: ObjectID) throws(GitError) -> OpaquePointer? {
    var id = tree.raw
    var object: OpaquePointer?
    try GitError.check(
      GitError.read(&object) { git_tree_lookup(&$0, repository, &id) }, "read the tree", tree.short)
    return object
  }

  private func treeEntry(_ item: OpaquePointer?) -> TreeEntry? {
    guard let item, let id = git_tree_entry_id(item) else { return nil }
    return TreeEntry(id: ObjectID(id.pointee), mode: UInt32(git_tree_entry_filemode(item).rawValue))
  }
}

/// A cache of the last opened folder of a few trees, so that many files of one folder need one
/// read. libgit2 unpacks a tree of more than four kilobytes again each time
/// (`GIT_OPT_SET_CACHE_OBJECT_LIMIT`).
final class TreeCache {
  /// The last opened folder of each tree, the latest tree first.
  private var openFolders: [(tree: ObjectID, folder: EntryPath?, opened: OpaquePointer?)] = []

  deinit { for entry in openFolders { git_tree_free(entry.opened) } }

  /// Returns the folder of `path`, or `nil` if there is none.
  fileprivate func folder(
    of path: EntryPath, in tree: ObjectID, _ repository: isolated GitRepository
  ) throws(GitError) -> OpaquePointer? {
    let folder = path.folder
    if let index = openFolders.firstIndex(where: { $0.tree == tree }) {
      if openFolders[index].folder == folder { return openFolders[index].opened }
      git_tree_free(openFolders.remove(at: index).opened)
    } else if openFolders.count == 4 {
      git_tree_free(openFolders.removeLast().opened)
    }
    var opened: OpaquePointer?
    if let folder {
      let found = try repository.entry(at: folder, in: tree)
      if let found, found.isFolder { opened = try repository.lookUpTree(found.id) }
    } else {
      opened = try repository.lookUpTree(tree)
    }
    openFolders.insert((tree, folder, opened), at: 0)
    return opened
  }
}
