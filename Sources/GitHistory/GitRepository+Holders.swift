import CLibgit2
import DiaryCore

extension GitRepository {
  /// Those of the contents that the repository has already.
  public func known(_ contents: Set<ObjectID>) throws(GitError) -> Set<ObjectID> {
    guard !contents.isEmpty else { return [] }
    var database: OpaquePointer?
    try GitError.check(git_repository_odb(&database, repository), "open", objectsFolder)
    defer { git_odb_free(database) }
    return contents.filter { id in
      var raw = id.raw
      return git_odb_exists(database, &raw) != 0
    }
  }

  /// The saved files of the journal, on the branch or since, that hold one of the contents.
  public func savedFiles(
    holding contents: Set<ObjectID>
  ) throws(GitError) -> [EntryPath: ObjectID] {
    guard !contents.isEmpty else { return [:] }
    let head = try head()
    let committed = try tree(of: head.commit)
    var files = try differences(nil, committed).compactMapValues { $0.new }
    if let save = try newestSave(head) {
      for (path, entry) in try unsettled(save, committed) { files[path] = entry }
    }
    var found: [EntryPath: ObjectID] = [:]
    for (full, entry) in files where entry.isRegular && contents.contains(entry.id) {
      if let path = place.inJournal(full) { found[path] = entry.id }
    }
    return found
  }
}
