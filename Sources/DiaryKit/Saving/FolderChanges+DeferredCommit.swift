import DiaryCore
import Foundation
import GitHistory
import Localization

/// A deferred commit: the user's branch lacks saved changes, as of the last attempt.
package struct DeferredCommit: Codable, Sendable, Hashable {
  /// The time of the first attempt, in Unix seconds.
  package var since: Int
  /// The reason, as a clause.
  package var reason: String

  /// The text to print for a reason, which is stored and goes into `status --json` unchanged.
  package static func message(for reason: String) -> String {
    switch DeferReason(storedText: reason) {
    case .operation(let name): localized("\(name) in progress")
    case .detached: localized("HEAD is detached, not on a branch")
    case .locked(let path, _): localized("\(path) is locked by another program")
    case .indexUnreadable(let detail): localized("Diary cannot read git's index (\(detail))")
    case nil: reason
    }
  }
}

extension FolderChanges {
  /// The deferred commit, which every command prints first. It is read from a state file, because
  /// commands that only list never open the repository. A record whose reason no longer applies is
  /// ignored.
  package var deferredCommit: DeferredCommit? {
    guard let record = journal.state.deferredCommit.read() else { return nil }
    return DeferReason(storedText: record.reason).map(journal.gitLocation.canStillApply) ?? true
      ? record : nil
  }
}

extension Saver {
  /// Records the result of the last attempt to end a sitting; `nil` if no commit is deferred.
  func recordDeferral(_ reason: String?) async throws {
    guard let reason else { return journal.state.deferredCommit.remove() }
    let record = DeferredCommit(
      since: journal.changes.deferredCommit?.since ?? journal.now, reason: reason)
    if record != journal.state.deferredCommit.read() {
      try journal.state.deferredCommit.write(record)
    }
  }
}

extension DeferReason {
  /// Parses a text that ``storedText`` returned.
  init?(storedText: String) {
    let (operation, lock, index) = (
      " under way", "another program holds ", "Diary cannot read git's index ("
    )
    if storedText.hasSuffix(operation) {
      self = .operation(String(storedText.dropLast(operation.count)))
    } else if storedText == DeferReason.detached.storedText {
      self = .detached
    } else if storedText.hasPrefix(lock) {
      self = .locked(path: String(storedText.dropFirst(lock.count)), since: 0)
    } else if storedText.hasPrefix(index) {
      self = .indexUnreadable(String(storedText.dropFirst(index.count).dropLast()))
    } else {
      return nil
    }
  }

  /// The reason as a clause in English, as it is stored and goes into `status --json`.
  var storedText: String {
    switch self {
    case .operation(let name): "\(name) under way"
    case .detached: "HEAD is detached"
    case .locked(let path, _): "another program holds \(path)"
    case .indexUnreadable(let reason): "Diary cannot read git's index (\(reason))"
    }
  }
}
