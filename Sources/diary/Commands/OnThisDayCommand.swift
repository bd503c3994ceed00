import ArgumentParser
import DiaryCore
import DiaryKit
import Glibc
import Localization

struct OnThisDayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "onthisday", abstract: localized("List the entries of this day in earlier years."))

  @Argument(
    help: ArgumentHelp(localized("Another day, such as yesterday or 12-24."), valueName: "when"))
  var day: [String] = []
  @OptionGroup var output: OutputOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open()
    defer { SaveReport.printUnreadable(journal.changes.unreadableEntries(), in: journal, common) }
    var chosenDay: Day?
    if !day.isEmpty {
      let date = try journal.catalog.entryDate(of: day.joined(separator: " "))
      chosenDay = date.day(startingAt: journal.settings.dayStartsAt)
    }
    let entries = try await journal.catalog.currentEntriesOnThisDay(chosenDay)
    if output.paths { return output.printPaths(entries.map(\.path), in: journal) }
    if output.json { return Console.print(json: try EntryJSON.text(of: entries)) }
    if entries.isEmpty {
      common.printNotice(localized("There are no entries of this day in earlier years."))
    }
    await Pager.show(EntryTable(entries).lines)
  }

  /// Prints one line of entries of this day after an entry was written, oldest first, if the
  /// setting is on and the output is a terminal.
  static func printEarlierYears(in journal: Journal, _ common: CommonOptions) {
    guard journal.settings.onThisDay, Console.isTerminal, isatty(STDERR_FILENO) == 1,
      let entries = try? journal.catalog.entriesOnThisDay(), !entries.isEmpty
    else { return }
    let titles = entries.reversed().map { entry in
      (entry.day.map { "\($0.components.year) " } ?? "") + terminalLine(entry.title)
    }
    let line = localized("On this day: \(titles.joined(separator: ", "))")
    common.printNotice(truncated(line, toWidth: Console.width))
  }
}
