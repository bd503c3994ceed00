/// The result of one attempt to change the branch.
enum BranchMoveAttempt<Outcome> {
  case ended(Outcome)
  /// The branch must not move now; another attempt would not help.
  case deferred(DeferReason)
  /// Another process holds the lock at this path.
  case locked(String)
  /// HEAD or its branch has moved, or a git command of the user may be about to move it.
  case headIsMoving
}

extension GitRepository {
  /// Retries with growing pauses until no other process holds a lock, up to the timeout.
  func retryWhileLocked<Outcome: Sendable>(
    _ timeout: Duration, deferred: (DeferReason) -> Outcome,
    _ attempt: () throws(GitError) -> BranchMoveAttempt<Outcome>
  ) async throws(GitError) -> Outcome {
    try clearStaleLocks()
    var waited = Duration.zero
    var pause = Duration.milliseconds(5)
    while true {
      let reason: DeferReason
      switch try attempt() {
      case .ended(let outcome): return outcome
      case .deferred(let obstacle): return deferred(obstacle)
      case .locked(let path): reason = .locked(path)
      case .headIsMoving: reason = .operation("git command")
      }
      guard waited < timeout, !Task.isCancelled else { return deferred(reason) }
      await executor.wait(for: pause)
      waited += pause
      pause = min(pause * 2, .seconds(2))
      try clearStaleLocks()
    }
  }
}
