import DiaryCore
import Foundation
import GitHistory

extension Journal {
  /// Forgets single saves that are older than 90 days and that the branch has as well: after a week,
  /// then after pauses that grow by half, up to a year, for a look reads the whole history. The caller
  /// holds the lock. Whatever goes wrong, nothing is lost by pruning later.
  func pruneIfDue() async {
    let record = StateFile("pruned.json", in: stateFolder, defaultValue: PruneSchedule())
    var last = record.read()
    let moment = now
    guard abs(moment - last.at) > last.pause else { return }
    guard await prune(moment) else { return }
    last = PruneSchedule(at: moment, pause: min(last.pause / 2 * 3, 365 * 86_400))
    try? record.write(last)
  }

  // Never inlined: Swift 6.3.1 crashes in a release build when it splits a coroutine that has this
  // one inside.
  @inline(never)
  private func prune(_ moment: Int) async -> Bool {
    (try? await repository.pruneSaves(now: moment)) != nil
  }
}

/// The last look at what may be forgotten.
private struct PruneSchedule: Codable, Sendable {
  /// Seconds since 1970.
  var at = 0
  /// Seconds until the next.
  var pause = 7 * 86_400
}
