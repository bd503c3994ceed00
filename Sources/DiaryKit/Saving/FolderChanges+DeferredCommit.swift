import DiaryCore
import Foundation
import GitHistory
import Localization

/// A deferred commit: the user's branch lacks saved changes, as of the last attempt.
package struct DeferredCommit: Codable, Sendable, Hashable {
  /// The time of the first attempt, in Unix seconds.
  package var since: Int
  package var reason: DeferReason
}

extension DeferReason {
  /// The reason as a clause in the user's language.
  package var message: String {
    switch self {
    case .operation(let name): localized("\(name) in progress")
    case .detached: localized("HEAD is detached, not on a branch")
    case .locked(let path): localized("\(path) is locked by another program")
    case .indexUnreadable(let detail): localized("Diary cannot read git's index (\(detail))")
    }
  }

  /// The reason as a clause in English, for `status --json`.
  var englishText: String {
    switch self {
    case .operation(let name): "\(name) under way"
    case .detached: "HEAD is detached"
    case .locked(let path): "another program holds \(path)"
    case .indexUnreadable(let reason): "Diary cannot read git's index (\(reason))"
    }
  }
}

extension FolderChanges {
  /// The deferred commit, which every command prints first. It is read from a state file, because
  /// commands that only list never open the repository. A record whose reason no longer applies is
  /// ignored.
  package var deferredCommit: DeferredCommit? {
    guard let record = journal.state.deferredCommit.read() else { return nil }
    return journal.gitLocation.canStillApply(record.reason) ? record : nil
  }
}

extension Saver {
  /// Records the result of the last attempt to end a sitting; `nil` if no commit is deferred.
  func recordDeferral(_ reason: DeferReason?) async throws {
    guard let reason else { return journal.state.deferredCommit.remove() }
    let record = DeferredCommit(
      since: journal.changes.deferredCommit?.since ?? journal.now, reason: reason)
    if record != journal.state.deferredCommit.read() {
      try journal.state.deferredCommit.write(record)
    }
  }
}
