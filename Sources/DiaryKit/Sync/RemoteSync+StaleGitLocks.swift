import DiaryCore
import FolderWatch
import Foundation
import GitHistory
import Glibc

/// The locks that a fetch or push in progress may create and that did not exist at its start,
/// stored in `.git/diary/git.json`.
///
/// A git that is killed, alone or with Diary, leaves its locks behind, and every later git fails.
/// This record distinguishes these locks from those of other programs.
struct GitLockRecord: Codable, Sendable {
  var locks: [String] = []
}

extension RemoteSync {
  /// The time for which a lock must be unchanged to count as stale. A running git holds one of
  /// these locks for milliseconds.
  private static let staleTimeout = Duration.seconds(2)

  /// Returns the sync lock; `nil` if another sync holds it for ten seconds. Under it, the stale locks
  /// of a killed git are removed, and those that the next git may create are recorded.
  func syncLock(with target: SyncTarget) async throws -> ProcessLock? {
    do { try journal.gitLocation.makeDiaryDirectory() } catch { throw DiaryError(error) }
    for _ in 0..<100 {
      if let lock = try ProcessLock(journal.stateFolder + "/sync.lock") {
        try await removeStaleGitLocks()
        let absent = locks(for: target).filter { GitLockFile($0) == nil }
        try journal.state.gitLocks.write(GitLockRecord(locks: absent))
        return lock
      }
      try await wait(for: .milliseconds(100))
    }
    return nil
  }

  /// Removes the record, unless git failed and left a lock.
  func clearGitLockRecord(_ outcome: GitRunEnd) {
    // An unreadable record may name such a lock.
    if outcome == .failed,
      (try? journal.state.gitLocks.load())?.locks.allSatisfy({ GitLockFile($0) == nil }) != true
    {
      return
    }
    journal.state.gitLocks.remove()
  }

  private func removeStaleGitLocks() async throws {
    let staleLocks = try journal.state.gitLocks.load().locks.compactMap { GitLockFile($0) }
    guard !staleLocks.isEmpty else { return }
    try await wait(for: RemoteSync.staleTimeout)
    for lock in staleLocks where GitLockFile(lock.path) == lock { unlink(lock.path) }
  }

  /// The locks of the remote-tracking refs and of a shallow clone. The branch of a remote folder is
  /// not among them: other devices push there, and Diary must never remove their locks.
  private func locks(for target: SyncTarget) -> [String] {
    let refs = [
      target.trackingRef, (target.trackingRef as NSString).deletingLastPathComponent + "/HEAD",
    ]
    return (refs + ["shallow"]).map { "\(journal.gitLocation.commonDirectory)/\($0).lock" }
  }
}

/// The end of a sync, with regard to git's locks.
enum GitRunEnd {
  /// Every git process has completed.
  case completed
  /// A git process may have been killed.
  case failed
}

/// The state of a lock file of git.
private struct GitLockFile: Equatable {
  let path: String
  private let inode: UInt64
  private let changed: Int

  /// Reads the lock file; `nil` if there is none.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.path = path
    inode = UInt64(status.st_ino)
    changed = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
  }
}
