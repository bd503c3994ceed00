import DiaryCore
import Foundation
import GitHistory

extension Journal {
  /// Once a week: forgets single saves that are older than 90 days and that the branch has as well.
  /// The caller holds the lock. Whatever goes wrong, nothing is lost by pruning later.
  func pruneSometimes() async {
    let last = LocalState<Int>("pruned.json", in: stateFolder, empty: 0)
    let moment = now
    guard abs(moment - last.read()) > 7 * 86_400 else { return }
    guard (try? await repository.pruneSaves(now: moment)) != nil else { return }
    try? last.write(moment)
  }
}
