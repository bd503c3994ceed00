import Glibc

extension RepositoryLocation {
  /// Returns the user's operation whose marker file is in git's folder, or `nil` if none is.
  func operation() -> String? {
    let markers = [
      ("rebase-merge", "rebase"), ("rebase-apply/applying", "am"), ("rebase-apply", "rebase"),
      ("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert"),
      ("BISECT_LOG", "bisect"), ("sequencer", "sequencer"), ("SQUASH_MSG", "squash"),
    ]
    return markers.first { access(gitDirectory + "/" + $0.0, F_OK) == 0 }?.1
  }

  /// True if the reason of a deferred commit may still apply. It only reads files, so that commands
  /// like `list` can check it.
  package func canStillApply(_ reason: DeferReason) -> Bool {
    switch reason {
    case .operation("conflict"): return operation() != nil || readIndex().hasConflicts
    case .operation("commit"): return isMessageNewerThanReflog
    case .operation: return operation() != nil
    case .detached:
      let head = try? readFile(gitDirectory + "/HEAD")
      return head?.starts(with: "ref:".utf8) != true
    case .locked(let path): return access(path, F_OK) == 0
    case .indexUnreadable: return !readIndex().isReadable
    }
  }

  private func readIndex() -> (isReadable: Bool, hasConflicts: Bool) {
    guard let bytes = try? readFile(gitDirectory + "/index") else { return (true, false) }
    guard let index = try? GitIndex(bytes) else { return (false, false) }
    return (true, index.hasConflicts)
  }

  /// True if a commit message is open or was abandoned: git writes the reflog after the commit.
  var isMessageNewerThanReflog: Bool {
    guard let message = modificationTime(gitDirectory + "/COMMIT_EDITMSG") else { return false }
    return (modificationTime(gitDirectory + "/logs/HEAD") ?? .min) <= message
  }
}
