import Glibc

/// The result of one attempt to change the branch.
enum LockAttempt<Outcome> {
  case ended(Outcome)
  /// Another process holds the lock at this path.
  case locked(String)
  /// HEAD or its branch has moved, or a git command of the user may be about to move it.
  case headIsMoving
}

/// The result of a series of attempts.
enum LockWaitResult<Outcome> {
  case ended(Outcome)
  case deferred(DeferReason)
}

extension GitRepository {
  /// Retries with growing pauses until no other process holds a lock, up to the timeout.
  func retryWhileLocked<Outcome: Sendable>(
    _ timeout: Duration, since seconds: Int, _ attempt: () throws(GitError) -> LockAttempt<Outcome>
  ) async throws(GitError) -> LockWaitResult<Outcome> {
    try clearStaleLocks()
    var waited = Duration.zero
    var pause = Duration.milliseconds(5)
    while true {
      let reason: DeferReason
      switch try attempt() {
      case .ended(let outcome): return .ended(outcome)
      case .locked(let path): reason = .locked(path: path, since: changeTime(of: path) ?? seconds)
      case .headIsMoving: reason = .operation("git command")
      }
      guard waited < timeout, !Task.isCancelled else { return .deferred(reason) }
      await executor.wait(for: pause)
      waited += pause
      pause = min(pause * 2, .seconds(2))
      try clearStaleLocks()
    }
  }

  private func changeTime(of path: String) -> Int? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mtim.tv_sec : nil
  }
}
