import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct CalendarCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "calendar",
    abstract: localized("Show on which days of a month or a year you wrote, and how much."),
    discussion: localized(
      "Each day with an entry has a mark; the more words you wrote, the darker it is."))

  @Argument(
    help: ArgumentHelp(
      localized("The month or the year: 2026-11, 2026, \"last month\"."), valueName: "when"))
  var when: [String] = []
  @Flag(help: ArgumentHelp(localized("Print a JSON array.")))
  var json = false
  @OptionGroup var common: CommonOptions

  struct DayJSON: Encodable {
    let day: String
    let entries: Int
    let words: Int
  }

  func run() async throws {
    let journal = try common.open()
    defer { SaveReport.printUnreadable(journal.changes.unreadableEntries(), in: journal, common) }
    let spanText = when.isEmpty ? "this month" : when.joined(separator: " ")
    let span = try journal.catalog.timeSpan(of: spanText)
    guard var days = span.days, days.length <= 366 else {
      throw DiaryError(
        localized("a calendar shows a month or a year; \"\(spanText)\" is neither"), kind: .usage,
        hint: localized("such as `diary calendar 2026-11` or `diary calendar 2026`"))
    }
    // A day or a week is shown in its month.
    if days.length < 28 { days = CalendarTable.month(of: days.lowerBound) }
    let filter = ListFilter(since: days.lowerBound, until: days.upperBound)
    let found = try await journal.catalog.statistics(filter)
    if json {
      let all = found.days.sorted { $0.key < $1.key }
      return Console.print(
        json: try EntryJSON.encoded(
          all.map {
            DayJSON(day: $0.key.description, entries: $0.value.entries, words: $0.value.words)
          }))
    }
    await Pager.show(CalendarTable(of: days, found, today: journal.today).lines)
  }
}
