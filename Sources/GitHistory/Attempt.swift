import Glibc

/// How one try to change the branch ended.
enum Attempt<Outcome> {
  case ended(Outcome)
  /// Somebody holds the lock at this path.
  case locked(String)
}

/// How a row of tries ended.
enum Patience<Outcome> {
  case ended(Outcome)
  case waiting(WaitReason)
}

extension GitRepository {
  /// Tries until nobody else holds a lock, with growing pauses, no longer than `patience`.
  func untilUnlocked<Outcome: Sendable>(
    _ patience: Duration, since seconds: Int, _ attempt: () throws(GitError) -> Attempt<Outcome>
  ) async throws(GitError) -> Patience<Outcome> {
    try clearStaleLocks()
    var waited = Duration.zero
    var pause = Duration.milliseconds(5)
    while true {
      let lock: String
      switch try attempt() {
      case .ended(let outcome): return .ended(outcome)
      case .locked(let path): lock = path
      }
      guard waited < patience, !Task.isCancelled else {
        // Nobody holds HEAD: it has moved, or is about to.
        if lock == headPath { return .waiting(.operation("git command")) }
        return .waiting(.locked(path: lock, since: changeTime(of: lock) ?? seconds))
      }
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
