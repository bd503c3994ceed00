import DiaryCore
import Foundation
import GitHistory
import Localization

/// That the writer's branch lacks what is saved, as the last look found it.
package struct DeferredCommit: Codable, Sendable, Hashable {
  /// Unix seconds of the first save that the branch lacks.
  package var since: Int
  /// Why, as a clause.
  package var reason: String

  /// The text to print for a reason, which is stored and goes into `status --json` as it is.
  package static func message(for reason: String) -> String {
    switch DeferReason(storedText: reason) {
    case .operation(let name): localized("\(name) in progress")
    case .detached: localized("HEAD is detached, not on a branch")
    case .locked(let path, _): localized("another program holds \(path)")
    case .indexUnreadable(let detail): localized("Diary cannot read git's index (\(detail))")
    case nil: reason
    }
  }
}

extension Journal {
  private var deferralRecord: StateFile<DeferredCommit?> {
    StateFile("waiting.json", in: stateFolder, defaultValue: nil)
  }

  /// Since when the branch waits, and why; every command begins by saying it. Read from a
  /// note, for the commands that only list never open the repository; a note whose reason is over says
  /// nothing.
  package var deferredCommit: DeferredCommit? {
    guard let record = deferralRecord.read() else { return nil }
    return DeferReason(storedText: record.reason).map(gitLocation.canStillApply) ?? true
      ? record : nil
  }

  /// Remembers for the next commands how the last try to end a sitting went; `nil`: nothing waits.
  func recordDeferral(_ reason: String?) async throws {
    guard let reason else { return deferralRecord.remove() }
    let first = try await repository.pending().map(\.firstSaved).min()
    let record = DeferredCommit(since: first ?? deferredCommit?.since ?? now, reason: reason)
    if record != deferralRecord.read() { try deferralRecord.write(record) }
  }
}

extension DeferReason {
  /// The reason that ``words`` tells.
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

  /// Why the branch waits, as a clause in English: it is stored, and goes into `status --json`.
  var storedText: String {
    switch self {
    case .operation(let name): "\(name) under way"
    case .detached: "HEAD is detached"
    case .locked(let path, _): "another program holds \(path)"
    case .indexUnreadable(let reason): "Diary cannot read git's index (\(reason))"
    }
  }
}
