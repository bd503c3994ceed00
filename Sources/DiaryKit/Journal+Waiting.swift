import DiaryCore
import Foundation
import GitHistory

/// That the writer's branch lacks what is saved, as the last look found it.
public struct WaitingBranch: Codable, Sendable, Hashable {
  /// Unix seconds of the first save that the branch lacks.
  public var since: Int
  /// Why, as a clause.
  public var reason: String
}

extension Journal {
  private var waitingNote: LocalState<WaitingBranch?> {
    LocalState("waiting.json", in: stateFolder, empty: nil)
  }

  /// Since when the branch waits, and why; every verb begins by saying it (promise 10). Read from a
  /// note, for the verbs that only list never open the repository; a note whose reason is over says
  /// nothing.
  public var branchWaits: WaitingBranch? {
    guard let note = waitingNote.read() else { return nil }
    return WaitReason(words: note.reason).map(place.mayStillStand) ?? true ? note : nil
  }

  /// Remembers for the next verbs how the last try to end a sitting went; `nil`: nothing waits.
  func noteWaiting(_ reason: String?) async throws {
    guard let reason else { return waitingNote.remove() }
    let first = try await repository.pending().map(\.firstSaved).min()
    let note = WaitingBranch(since: first ?? branchWaits?.since ?? now, reason: reason)
    if note != waitingNote.read() { try waitingNote.write(note) }
  }
}

extension WaitReason {
  /// The reason that ``words`` tells.
  init?(words: String) {
    let (operation, lock, index) = (
      " under way", "another program holds ", "Diary cannot read git's index ("
    )
    if words.hasSuffix(operation) {
      self = .operation(String(words.dropLast(operation.count)))
    } else if words == WaitReason.detached.words {
      self = .detached
    } else if words.hasPrefix(lock) {
      self = .locked(path: String(words.dropFirst(lock.count)), since: 0)
    } else if words.hasPrefix(index) {
      self = .indexUnreadable("")
    } else {
      return nil
    }
  }

  /// Why the branch waits, as a clause for the writer.
  var words: String {
    switch self {
    case .operation(let name): "\(name) under way"
    case .detached: "HEAD is detached"
    case .locked(let path, _): "another program holds \(path)"
    case .indexUnreadable(let reason): "Diary cannot read git's index (\(reason))"
    }
  }
}
