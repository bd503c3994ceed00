import Foundation
import GitHistory
import Localization

extension Journal {
  /// Lets the user's git pack loose objects if its settings allow automatic packing, at most once a
  /// day. git is killed after `timeout` seconds; saves continue meanwhile. Unreachable objects are
  /// packed, too, and never deleted.
  ///
  /// The repack is geometric: few packs, each at least twice as large as all smaller ones together.
  /// An object is rewritten a few times in ten years, not at each repack.
  func repackIfDue(timeout: Double) async throws {
    let repository = try repository
    guard programs.isOnPath("git"), await repository.needsRepacking() else { return }
    let moment = now
    guard abs(moment - state.upkeep.read().packed) >= 86_400, try await repository.startRepacking()
    else { return }
    // If the time cannot be recorded, the next call only packs again.
    try? await locked { try $0.update($0.journal.state.upkeep) { $0.packed = moment } }
    do {
      try await repack(timeout: timeout)
    } catch {
      await repository.endRepacking()
      throw error
    }
    await repository.endRepacking()
  }

  private func repack(timeout: Double) async throws {
    let arguments = ["-c", "pack.threads=1", "repack", "--geometric=2", "-d", "-l", "-n", "-q"]
    let hint = localized("nothing is lost; `git gc` also packs it")
    guard
      let result = try await git(timeout: timeout).runLocally(arguments, isNice: true)
    else {
      throw DiaryError(
        localized("git did not pack the journal within \(Int(timeout)) s"), hint: hint)
    }
    guard result.status == 0 else {
      throw DiaryError(
        localized("git cannot pack the journal"),
        details: result.errors.split(separator: "\n").map(String.init),
        hint: hint)
    }
  }
}
