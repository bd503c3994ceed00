import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct SaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "save", abstract: localized("Save and commit all changes now."))

  @Flag(help: ArgumentHelp(localized("Record files that are missing from the folder as deleted.")))
  var deletions = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    _ = try? await journal.weather.fillQueuedStamps()
    let outcome = try await journal.save(deletions: deletions)
    SaveReport.print(outcome, common)
    if outcome.commit == nil, outcome.saved.isEmpty, outcome.missing.isEmpty,
      outcome.skipped.isEmpty, outcome.conflictCopies.isEmpty, outcome.deferReason == nil
    {
      common.printNotice(localized("Everything is saved."))
    }
    let ignored = try await journal.catalog.ignoredEntries()
    if let first = ignored.first {
      let others =
        ignored.count > 1 ? localized(" and \(ignored.count - 1) more (`diary status`)") : ""
      common.printNotice(
        localized("Not saved: \(Console.escaped(first.path.text)) \(Console.escaped(first.reason))")
          + others)
    }
    if outcome.hasUnreadable { throw ExitCode(1) }
  }
}
