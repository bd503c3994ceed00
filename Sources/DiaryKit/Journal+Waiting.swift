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
  /// note, for the verbs that only list never open the repository.
  public var branchWaits: WaitingBranch? { waitingNote.read() }

  /// Remembers for the next verbs how the last try to end a sitting went; `nil`: nothing waits.
  func noteWaiting(_ reason: String?) async throws {
    guard let reason else { return waitingNote.remove() }
    let first = try await repository.pending().map(\.firstSaved).min()
    let note = WaitingBranch(since: first ?? branchWaits?.since ?? now, reason: reason)
    if note != branchWaits { try waitingNote.write(note) }
  }
}

extension WaitReason {
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
