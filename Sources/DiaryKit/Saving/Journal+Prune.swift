import DiaryCore
import Foundation
import GitHistory

extension LockedJournal {
  /// Removes single saves that are older than 90 days and also on the branch: after a week, then at
  /// intervals that grow by half, up to a year, because a run reads the whole history. Errors are
  /// ignored: nothing is lost if saves are pruned later.
  func pruneIfDue() async {
    let record = StateFile("pruned.json", in: journal.stateFolder, defaultValue: PruneSchedule())
    var last = record.read()
    let moment = journal.now
    guard abs(moment - last.at) > last.pause else { return }
    last.at = moment
    if await prune(moment) { last.pause = min(last.pause / 2 * 3, 365 * 86_400) }
    try? record.write(last)
  }

  // Never inlined: Swift 6.3.1 crashes in a release build when it splits a coroutine that contains
  // this one.
  @inline(never)
  private func prune(_ moment: Int) async -> Bool {
    (try? await journal.repository.pruneSaves(now: moment)) != nil
  }
}

/// The last prune run and the pause until the next.
private struct PruneSchedule: Codable, Sendable {
  /// Seconds since 1970.
  var at = 0
  /// Seconds until the next run.
  var pause = 7 * 86_400
}
