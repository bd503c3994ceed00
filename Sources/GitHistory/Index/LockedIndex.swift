import DiaryCore
import Glibc

/// The user's index as read under its lock, and its new bytes after a sitting.
struct LockedIndex {
  let index: GitIndex
  let location: RepositoryLocation
  /// The time of the index; an entry that is not older is no proof of its file's content.
  let modifiedAt: timespec?
  /// The permission bits of the index, or `nil` if there is none yet.
  let mode: mode_t?

  /// Returns the bytes of the index with the entry of each changed path updated.
  func updatedBytes(applying changes: [CommitPlan.Change]) -> [UInt8] {
    var edits: [EntryPath: GitIndex.Replacement?] = [:]
    for change in changes {
      let new = change.new.map { entry in
        GitIndex.Replacement(
          entry: entry, isAssumedUnchanged: change.staged?.isAssumedUnchanged == true,
          isSkipWorktree: change.staged?.isSkipWorktree == true, status: status(change))
      }
      edits.updateValue(new, forKey: change.path)
    }
    return index.updatedBytes(applying: edits, written: modifiedAt)
  }

  /// Returns the status that git compares, so that `git status` need not read the file, or `nil` if
  /// the file may have changed since it was read.
  private func status(_ change: CommitPlan.Change) -> stat? {
    guard let signature = change.signature else { return nil }
    var status = stat()
    var now = timespec()
    guard lstat(location.diskPath(change.path), &status) == 0,
      clock_gettime(CLOCK_REALTIME, &now) == 0,
      Int64(status.st_size) == signature.size, UInt64(status.st_ino) == signature.inode,
      status.st_mtim.nanoseconds == signature.modified,
      // Within one tick of the kernel's clock, a second write leaves the same time.
      now.nanoseconds &- signature.modified > 20_000_000
    else { return nil }
    return status
  }
}

extension GitRepository {
  /// Calls `body` under git's index lock, unless the branch must not move now: git has an operation
  /// in progress, HEAD is detached, or the index has conflicts or cannot be read. If `unexpected`
  /// has an outcome for HEAD, that is returned, and the index is not read.
  func withLockedIndex<Outcome>(
    unless unexpected: (Head) -> Outcome? = { _ in nil },
    _ body: (OwnedLockFile, Head, LockedIndex) throws(GitError) -> BranchMoveAttempt<Outcome>
  ) throws(GitError) -> BranchMoveAttempt<Outcome> {
    guard let lock = try OwnedLockFile.acquire(indexPath + ".lock", in: location, flush) else {
      return .locked(indexPath + ".lock")
    }
    defer { lock.release() }
    if let operation = operationFile() { return .deferred(.operation(operation)) }
    let head = try head()
    if case .detached = head { return .deferred(.detached) }
    if let outcome = unexpected(head) { return .ended(outcome) }
    switch try openIndex(under: lock) {
    case .unreadable(let reason): return .deferred(.indexUnreadable(reason))
    case .readable(let lockedIndex):
      if lockedIndex.index.hasConflicts { return .deferred(.operation("conflict")) }
      return try body(lock, head, lockedIndex)
    }
  }

  /// Returns the index that the lock protects, and its status.
  func openIndex(under lock: OwnedLockFile) throws(GitError) -> IndexOpenResult<LockedIndex> {
    var status = stat()
    let isPresent = stat(indexPath, &status) == 0
    switch try openIndex() {
    case .readable(let index):
      return .readable(
        LockedIndex(
          index: index, location: location, modifiedAt: isPresent ? status.st_mtim : nil,
          mode: isPresent ? status.st_mode & 0o777 : nil))
    case .unreadable(let reason): return .unreadable(reason)
    }
  }
}
