import DiaryCore
import DiaryKit
import Localization

/// The statistics as lines for a terminal: labels on the left, then figures and small charts.
struct StatisticsTable {
  private(set) var lines: [String] = []
  private let locale = UserLocale()
  private let labels: [String]

  /// The length of the longest bar, in columns.
  private static let maxBarLength = 32
  /// The maximum number of tags and of weather conditions that are shown.
  private static let maxItems = 8

  init(_ found: JournalStatistics) {
    labels = [
      localized("Entries"), localized("Words"), localized("Streak"), localized("Longest"),
      localized("Weekdays"), localized("Hours"), localized("Tags"), localized("Weather"),
    ]
    addRows(found)
  }

  /// A line for each month or year in which something was written.
  static func lines(of found: JournalStatistics, by span: JournalStatistics.Span) -> [String] {
    let locale = UserLocale()
    let rows = found.counts(by: span).map { start, count in
      (
        name: span == .month
          ? locale.monthText(of: start) : String(start.description.prefix(4)),
        entries: counted(count.entries, "entry", "entries"),
        words: counted(count.words, "word", "words"), size: count.words
      )
    }
    let most = max(1, rows.map(\.size).max() ?? 0)
    let width = rows.map { displayWidth($0.name) }.max() ?? 0
    let (entriesWidth, wordsWidth) = (
      rows.map { displayWidth($0.entries) }.max() ?? 0,
      rows.map { displayWidth($0.words) }.max() ?? 0
    )
    func aligned(_ text: String, _ width: Int) -> String {
      "  " + EntryTable.blanks(width - displayWidth(text)) + text
    }
    return rows.map { row in
      let bar = String(repeating: "█", count: (row.size * maxBarLength + most - 1) / most)
      return row.name + EntryTable.blanks(width - displayWidth(row.name))
        + aligned(row.entries, entriesWidth) + aligned(row.words, wordsWidth)
        + (bar.isEmpty ? "" : "  " + Console.styled(bar, .dim))
    }
  }

  private mutating func addRows(_ found: JournalStatistics) {
    var written = grouped(found.entries)
    if let first = found.days.keys.min(), let last = found.days.keys.max() {
      let days = counted(found.days.count, "day", "days")
      written +=
        "  "
        + (first == last
          ? localized("on \(days), \(locale.text(of: first))")
          : localized("on \(days), \(locale.text(of: first)) to \(locale.text(of: last))"))
    }
    add(labels[0], written)
    add(
      labels[1],
      grouped(found.words) + "  "
        + localized(
          "\(grouped((found.words + found.entries / 2) / max(1, found.entries))) per entry"))
    if let longest = found.longestStreak {
      let now = found.currentStreak?.length ?? 0
      let span = locale.text(of: longest.days.lowerBound)
      add(
        labels[2],
        counted(now, "day", "days") + "  "
          + localized("longest: \(counted(longest.length, "day", "days")) from \(span)"))
    }
    if let entry = found.longestEntry {
      add(
        labels[3],
        counted(entry.words, "word", "words") + "  "
          + truncated(terminalLine(entry.title), toWidth: 36) + ", "
          + locale.text(of: entry.day))
    }
    addWeekdays(found)
    addHours(found)
    add(labels[6], counts(found.tags.map { (Console.escapedOnTerminal($0.tag), $0.count) }))
    // Several conditions, such as mist and fog, have one icon.
    let weather = Dictionary(
      found.weather.map { ($0.key.icon(isNight: false), $0.value) }, uniquingKeysWith: +)
    let sorted = weather.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    add(labels[7], counts(sorted.map { ($0.key, $0.value) }))
  }

  private mutating func addWeekdays(_ found: JournalStatistics) {
    let most = found.weekdays.max() ?? 0
    guard most > 0 else { return }
    let names = locale.weekdays
    let width = names.map { displayWidth($0) }.max() ?? 0
    let digits = String(most).count
    for (row, day) in locale.weekdayOrder.enumerated() {
      let (name, count) = (names[day - 1], found.weekdays[day - 1])
      let bar = String(repeating: "█", count: (count * Self.maxBarLength + most - 1) / most)
      let number = EntryTable.blanks(digits - String(count).count) + "\(count)"
      add(
        row == 0 ? labels[4] : "",
        name + EntryTable.blanks(width - displayWidth(name)) + "  " + number
          + (count > 0 ? "  " + Console.styled(bar, .dim) : ""))
    }
  }

  /// Adds one column for each hour; its height is the number of entries.
  private mutating func addHours(_ found: JournalStatistics) {
    let most = found.hours.max() ?? 0
    guard most > 0 else { return }
    let steps = Array("▁▂▃▄▅▆▇█")
    let picture = found.hours.map { count in
      count == 0 ? " " : String(steps[min(count * steps.count / (most + 1), steps.count - 1)])
    }
    add(labels[5], picture.joined().trimmingEnd)
    add("", "0     6     12    18")
  }

  private func counts(_ all: [(String, Int)]) -> String {
    all.prefix(Self.maxItems).map { "\($0) \($1)" }.joined(separator: ", ")
      + (all.count > Self.maxItems ? ", …" : "")
  }

  private mutating func add(_ label: String, _ text: String) {
    guard !text.isEmpty else { return }
    let width = labels.map { displayWidth($0) }.max() ?? 0
    lines.append(
      Console.styled(label, .bold) + EntryTable.blanks(width - displayWidth(label) + 2) + text)
  }
}
