import ArgumentParser
import DiaryKit

struct SaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "save", abstract: "Commit what has changed, now; for cron or a shutdown script.")

  @Flag(help: "What is missing from the folder was deleted on purpose.")
  var deletions = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    _ = try? await journal.payOwedStamps()
    let outcome = try await journal.save(deletions: deletions)
    SaveReport.tell(outcome, common)
    if outcome.commit == nil, outcome.saved.isEmpty, outcome.missing.isEmpty,
      outcome.leftOut.isEmpty, outcome.conflictCopies.isEmpty, outcome.waiting == nil
    {
      common.remark("Everything is saved.")
    }
  }
}
