import CLibgit2
import DiaryCore
import Glibc
import Localization

/// A save that has just been made.
package struct NewSave: Sendable, Equatable {
  package let id: CommitID
  /// The paths in the repository whose saved content changed, sorted.
  package let paths: [EntryPath]
}

extension GitRepository {
  /// Saves `changes` on the saves ref: one commit whose tree is HEAD's, the pending changes, and
  /// these. The save is durable on return. Returns `nil` if all of it is already saved.
  ///
  /// `at`: seconds since 1970. A path inside another repository is refused before anything is
  /// written. With `beforeCommit` the caller ends the sitting next
  /// (``commitSitting(_:read:message:at:offsetMinutes:timeout:)``); the save is durable only then.
  package func save(
    _ changes: [FileChange], message: String, at seconds: Int, offsetMinutes: Int,
    beforeCommit: Bool = false
  ) throws(GitError) -> NewSave? {
    beginFlush()
    do throws(GitError) {
      if !hasClearedLocks { try clearStaleLocks() }
      if beforeCommit { try OwnedLockFile.prepare(indexPath + ".lock", in: location, flush) }
      let save = try saveChanges(changes, message, at: seconds, offsetMinutes)
      if !beforeCommit { try endFlush() }
      return save
    } catch {
      abandonFlush()
      throw error
    }
  }

  private func saveChanges(
    _ changes: [FileChange], _ message: String, at seconds: Int, _ offsetMinutes: Int
  ) throws(GitError) -> NewSave? {
    // Checked again for every caller: one such path would spoil the whole save.
    if let other = try pathsInForeignFolders(changes.map(\.path)).min() {
      throw GitError(
        "save", other.text, .foreignFolder,
        localized("it is inside another git repository, or an encrypted folder"))
    }
    for attempt in 0..<60 {
      var objects = ObjectBatch()
      let head = try head()
      let edits = try edits(changes, head, &objects)
      let time = CommitTime(seconds: seconds, offsetMinutes: offsetMinutes)
      switch try updateSavesRef(edits, head: head, message: message, at: time, &objects) {
      case .done(let save): return save
      // Only `git pack-refs` or another Diary hold this lock, for moments, or a killed Diary does.
      case .retry:
        try clearStaleLocks()
        usleep(UInt32(min(2_000 << min(attempt, 5), 50_000)))
      }
    }
    let name = try savesReference(head())
    throw GitError(
      "move", name, .locked,
      localized("its lock is not released: \(location.commonDirectory)/\(name).lock"))
  }

  private func edits(
    _ changes: [FileChange], _ head: Head, _ objects: inout ObjectBatch
  ) throws(GitError) -> TreeEdits {
    let committed = try tree(of: head.commit)
    let folders = TreeCache()
    var edits: TreeEdits = [:]
    var rules = AttributeRules(self)
    var written: [(path: EntryPath, bytes: [UInt8], mode: UInt32)] = []
    for change in changes {
      let path = location.repositoryPath(change.path)
      switch change {
      case .delete: edits.updateValue(nil, forKey: path)
      case .write(_, let bytes, let executable):
        let stored =
          rules.mayHaveAttributes(path, self) ? try filtered(bytes, path, GIT_FILTER_TO_ODB) : bytes
        let mode = try mode(executable, insteadOf: fileEntry(at: path, in: committed, folders))
        written.append((path, stored, mode))
      }
    }
    for (file, name) in zip(written, concurrentMap(written) { try? ObjectID(of: $0.bytes) }) {
      let blob = try newObject(file.bytes, GIT_OBJECT_BLOB, id: name, &objects)
      edits[file.path] = TreeEntry(id: blob, mode: file.mode)
    }
    return edits
  }

  /// Returns a file's mode in git. If git does not trust the disk's mode, the old mode stays.
  func mode(_ executable: Bool, insteadOf old: TreeEntry?) -> UInt32 {
    if let old, old.isRegular, !isConfigured("core.fileMode", unset: true) { return old.mode }
    return executable ? TreeEntry.executable : TreeEntry.file
  }

  enum SavesRefUpdate {
    case done(NewSave?)
    /// The saves ref moved or was locked: read it again.
    case retry
  }

  /// Makes one attempt to update the saves ref by `edits`. Committed paths stop being pending, and
  /// the end of a sitting is marked in the commit.
  func updateSavesRef(
    _ edits: TreeEdits, committed: Set<EntryPath> = [], isSittingEnd: Bool = false, head: Head,
    message: String, at time: CommitTime, _ objects: inout ObjectBatch
  ) throws(GitError) -> SavesRefUpdate {
    let reference = try savesReference(head)
    let previous = try target(of: reference).map { id throws(GitError) in try saveCommit(id) }
    let base = try tree(of: head.commit)
    let before = try previous.map { save throws(GitError) in try pendingEdits(save, base) } ?? [:]
    var after = before.filter { !committed.contains($0.key) }
    let folders = TreeCache()
    var changed: [EntryPath] = []
    for (path, entry) in edits.sorted(by: { $0.key < $1.key }) {
      let committed = try fileEntry(at: path, in: base, folders)
      if before[path, default: committed] != entry { changed.append(path) }
      if committed == entry {
        after[path] = nil
      } else {
        after.updateValue(entry, forKey: path)
      }
    }
    if after == before, !isSittingEnd {
      // Already saved, but a crash may have happened between the write and the sync.
      try store(objects)
      return .done(nil)
    }
    let tree = try writeTree(base, after, &objects)
    let key = isSittingEnd ? "\(SaveCommit.sittingKey)\(head.commit?.description ?? "none")\n" : ""
    let commit = try writeCommit(
      tree: tree, parents: [previous?.id, head.commit].compactMap { $0 },
      message: message + "\n\n" + key + SaveCommit.tipKey + (head.commit?.description ?? "none"),
      at: time, &objects)
    try store(objects)
    guard try move(reference, from: previous?.id, to: commit) == .moved else { return .retry }
    try verifyStored(objects)
    return .done(NewSave(id: commit, paths: changed))
  }
}
