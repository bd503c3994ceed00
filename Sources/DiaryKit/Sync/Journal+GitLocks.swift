import DiaryCore
import FolderWatch
import Foundation
import GitHistory
import Glibc

/// A fetch and a push under way, as `.git/diary/git.json` remembers them: the locks that this git may
/// take, and that nobody held when it began.
///
/// git that is killed, with Diary or alone, leaves its locks behind, and every later git refuses to
/// pass them. This note tells them from anybody else's.
struct GitLockRecord: Codable, Sendable {
  var locks: [String] = []
}

extension Journal {
  /// How long a lock must stay as it is to count as left behind: a git that lives holds one of these
  /// for milliseconds.
  private static let staleTimeout = Duration.seconds(2)

  private var gitLockRecord: StateFile<GitLockRecord> {
    StateFile("git.json", in: stateFolder, defaultValue: GitLockRecord(), durable: true)
  }

  /// Clears what a git of ours left that was killed, and writes down what the next one may leave.
  /// The caller holds the sync's lock.
  func recordGitLocks(with target: SyncTarget) async throws {
    try await removeStaleGitLocks()
    try gitLockRecord.write(GitLockRecord(locks: locks(for: target).filter { LockFile($0) == nil }))
  }

  /// Forgets the note, unless git ended badly and left a lock.
  func clearGitLockRecord(_ outcome: GitRunEnd) {
    // What cannot be read now may name one.
    if outcome == .failed,
      (try? gitLockRecord.load())?.locks.allSatisfy({ LockFile($0) == nil }) != true
    {
      return
    }
    gitLockRecord.remove()
  }

  private func removeStaleGitLocks() async throws {
    let staleLocks = try gitLockRecord.load().locks.compactMap { LockFile($0) }
    guard !staleLocks.isEmpty else { return }
    try await wait(for: Self.staleTimeout)
    for lock in staleLocks where LockFile(lock.path) == lock { unlink(lock.path) }
  }

  /// The reference that remembers the remote's branch, and what a shallow clone notes. Not the branch
  /// of a remote that is a folder: other devices push there, and their locks are never ours to take.
  private func locks(for target: SyncTarget) -> [String] {
    let refs = [
      target.trackingRef, (target.trackingRef as NSString).deletingLastPathComponent + "/HEAD",
    ]
    return (refs + ["shallow"]).map { "\(gitLocation.commonDirectory)/\($0).lock" }
  }
}

/// How an exchange ended, as far as git's locks go.
enum GitRunEnd {
  /// Every git said what it had to say.
  case completed
  /// One may have died.
  case failed
}

/// A lock file as it is at this moment.
private struct LockFile: Equatable {
  let path: String
  private let inode: UInt64
  private let changed: Int

  /// `nil` when there is none.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.path = path
    inode = UInt64(status.st_ino)
    changed = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
  }
}
