import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct RandomCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "random", abstract: localized("Print an entry chosen at random."))

  @OptionGroup var filters: FilterOptions
  @Flag(help: ArgumentHelp(localized("Print it as JSON.")))
  var json = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open()
    defer { SaveReport.printUnreadable(journal.changes.unreadableEntries(), in: journal, common) }
    let entries = try await journal.catalog.list(try filters.filter(in: journal))
    guard let entry = entries.randomElement() else {
      throw DiaryError(
        localized("no entry matches"), kind: .nothingFound,
        hint: localized(
          "the journal has \(counted(try journal.catalog.entryCount, "entry", "entries"))"))
    }
    try await ShowCommand.show([entry], json: json, in: journal)
  }
}
