import DiaryCore
import DiaryKit

/// The list of entries: number, date, time, weather icon and title, in columns that align in every
/// script. If the terminal is wide enough, the start of the text follows the title. A column that
/// no entry fills is omitted.
struct EntryTable {
  let lines: [String]

  /// The minimum width of a title, in columns.
  private static let minTitleWidth = 24
  /// The minimum width of the start of the text, in columns.
  private static let minPreviewWidth = 12

  /// The mark before the title of an entry that the user should review.
  static let reviewMarker = "±"

  /// The mark before the title of a starred entry.
  static let starMarker = "★"

  init(
    _ entries: [EntrySummary], review: Set<EntryPath> = [], width: Int = Console.width
  ) {
    let locale = UserLocale()
    var dates = Column(entries.map(\.day)) { locale.text(of: $0) }
    var times = TimesOfDay(locale)
    var clocks = Column(entries.map { $0.date?.seconds.map { $0 / 60 } }) { minute in
      minute.map { times.text(ofMinute: $0) } ?? ""
    }
    let numberWidth = String(entries.map(\.number).max() ?? 1).utf8.count
    let icons = entries.contains { $0.weather?.icon(isNight: false).isEmpty == false } ? 4 : 0
    func remainingWidth() -> Int {
      width - numberWidth - 2 - dates.width - 2 - (clocks.width > 0 ? clocks.width + 2 : 0) - icons
    }
    if Console.isTerminal {
      // On a narrow terminal the title needs the space more than the time and the month's name.
      if remainingWidth() < EntryTable.minTitleWidth {
        clocks = Column([Int?](repeating: nil, count: entries.count)) { _ in "" }
      }
      if remainingWidth() < EntryTable.minTitleWidth {
        dates = Column(entries.map(\.day)) { $0?.description ?? "–" }
      }
    }
    let titleWidth = max(4, remainingWidth())
    let (shownDates, shownClocks) = (dates, clocks)
    lines = concurrentMap(Array(entries.indices), chunkSize: 500) { index in
      let entry = entries[index]
      let number = String(entry.number)
      var line = EntryTable.blanks(numberWidth - number.utf8.count) + Console.styled(number, .dim)
      line += "  " + shownDates.padded(index) + "  "
      if shownClocks.width > 0 { line += shownClocks.padded(index) + "  " }
      if icons > 0 {
        // Every icon is two columns wide.
        let icon = entry.weather.map { $0.icon(isNight: entry.isNight) } ?? ""
        line += (icon.isEmpty ? "  " : icon) + "  "
      }
      let marker =
        (review.contains(entry.path) ? EntryTable.reviewMarker + " " : "")
        + (entry.isStarred ? EntryTable.starMarker + " " : "")
      guard Console.isTerminal else { return line + marker + entry.title }
      let title = truncated(marker + terminalLine(entry.title), toWidth: titleWidth)
      return line + Console.styled(title, .bold)
        + EntryTable.preview(of: entry, titleWidth - displayWidth(title))
    }
  }

  /// The start of the text for the space after the title; empty if it repeats the title.
  private static func preview(of entry: EntrySummary, _ room: Int) -> String {
    guard room >= minPreviewWidth + 2, !entry.preview.isEmpty else { return "" }
    let text = terminalLine(entry.preview)
    guard !text.hasPrefix(terminalLine(entry.title)) else { return "" }
    return "  " + Console.styled(truncated(text, toWidth: room - 2), .dim)
  }

  /// The cells of a column, and the width of the widest one. Equal cells are formatted once:
  /// formatting a date costs more than the remainder of a line.
  private struct Column: Sendable {
    private let cells: [Cell]
    let width: Int

    private struct Cell: Sendable {
      let text: String
      let width: Int
    }

    init<Value: Hashable>(_ values: [Value], _ text: (Value) -> String) {
      var cellsByValue: [Value: Cell] = [:]
      cells = values.map { value in
        if let cell = cellsByValue[value] { return cell }
        let text = text(value)
        let cell = Cell(text: text, width: displayWidth(text))
        cellsByValue[value] = cell
        return cell
      }
      width = cellsByValue.values.map(\.width).max() ?? 0
    }

    func padded(_ index: Int) -> String {
      cells[index].text + EntryTable.blanks(width - cells[index].width)
    }
  }

  /// Numbers, dates and titles in columns, without styles, for errors and questions.
  static func plainLines(_ entries: [EntrySummary]) -> [String] {
    let locale = UserLocale()
    let dates = entries.map { entry in
      [locale.text(of: entry.day), locale.timeText(of: entry.date)].compactMap(\.self)
        .joined(separator: " ")
    }
    let width = dates.map { displayWidth($0) }.max() ?? 0
    let digits = entries.map { String($0.number).count }.max() ?? 0
    return zip(entries, dates).map { entry, date in
      blanks(digits - String(entry.number).count) + "\(entry.number)  " + date
        + blanks(width - displayWidth(date)) + "  " + terminalLine(entry.title)
    }
  }

  static func blanks(_ count: Int) -> String {
    count <= 0 ? "" : String(repeating: " ", count: count)
  }
}

/// Times of day in the user's language. A minute is inserted into the text of its hour, because
/// formatting each minute would cost as much as the remainder of a long list.
struct TimesOfDay {
  private let locale: UserLocale
  private var hours: [Int: (before: Substring, after: Substring)] = [:]

  init(_ locale: UserLocale) { self.locale = locale }

  mutating func text(ofMinute minute: Int) -> String {
    let (hour, remainder) = minute.quotientAndRemainder(dividingBy: 60)
    if hours[hour] == nil {
      let sample = locale.timeText(ofMinute: hour * 60 + 34)
      if let found = sample.firstRange(of: "34") {
        hours[hour] = (sample[..<found.lowerBound], sample[found.upperBound...])
      }
    }
    // Locales with other digits format each time separately.
    guard let parts = hours[hour] else { return locale.timeText(ofMinute: minute) }
    return parts.before + (remainder < 10 ? "0" : "") + "\(remainder)" + parts.after
  }
}
