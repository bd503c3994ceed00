import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "stats",
    abstract: localized("Count entries, words, streaks, weekdays, hours, tags and weather."))

  @Option(
    help: ArgumentHelp(
      localized("Entries and words of each month or year instead."), valueName: "span"))
  var by: String?
  @OptionGroup var filters: FilterOptions
  @Flag(help: ArgumentHelp(localized("Print it as JSON.")))
  var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard by == nil || span != nil else {
      throw ValidationError(localized("--by must be month or year, not \"\(by ?? "")\""))
    }
  }

  private var span: JournalStatistics.Span? { by.flatMap(JournalStatistics.Span.init(rawValue:)) }

  func run() async throws {
    let journal = try common.open()
    let found = try await journal.catalog.statistics(try filters.filter(in: journal))
    defer { SaveReport.printUnreadable(journal.changes.unreadableEntries(), in: journal, common) }
    if let span, json {
      return Console.print(
        json: try EntryJSON.encoded(
          found.counts(by: span).map {
            SpanJSON(
              span: String($0.start.description.prefix(span == .month ? 7 : 4)),
              entries: $0.count.entries, words: $0.count.words)
          }))
    }
    if json { return Console.print(json: try EntryJSON.encoded(StatisticsJSON(found))) }
    guard found.entries > 0 else {
      return common.printNotice(localized("There is nothing to count."))
    }
    await Pager.show(
      span.map { StatisticsTable.lines(of: found, by: $0) } ?? StatisticsTable(found).lines)
  }

  private struct SpanJSON: Encodable {
    let span: String
    let entries: Int
    let words: Int
  }
}

/// The public form of ``JournalStatistics``.
struct StatisticsJSON: Encodable {
  struct StreakJSON: Encodable {
    let days: Int
    let first: String
    let last: String

    init(_ streak: JournalStatistics.Streak) {
      days = streak.length
      first = streak.days.lowerBound.description
      last = streak.days.upperBound.description
    }
  }

  let entries: Int
  let words: Int
  let days: Int
  let first: String?
  let last: String?
  let streak: StreakJSON?
  let longestStreak: StreakJSON?
  let longest: EntryJSON?
  let weekdays: [Int]
  let hours: [Int]
  let tags: [String: Int]
  let weather: [String: Int]

  init(_ found: JournalStatistics) {
    entries = found.entries
    words = found.words
    days = found.days.count
    first = found.days.keys.min()?.description
    last = found.days.keys.max()?.description
    streak = found.currentStreak.map { StreakJSON($0) }
    longestStreak = found.longestStreak.map { StreakJSON($0) }
    longest = found.longestEntry.map { EntryJSON(entry: $0) }
    weekdays = found.weekdays
    hours = found.hours
    tags = Dictionary(uniqueKeysWithValues: found.tags.map { ($0.tag, $0.count) })
    weather = Dictionary(
      uniqueKeysWithValues: found.weather.map { ($0.key.rawValue, $0.value) })
  }

  enum CodingKeys: String, CodingKey {
    case entries, words, days, first, last, streak, longest, weekdays, hours, tags, weather
    case longestStreak = "longest_streak"
  }
}
