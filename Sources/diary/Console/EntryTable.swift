import DiaryCore
import DiaryKit

/// The list as people read it: number, date, weather icon, title, in columns that line up in every
/// script.
struct EntryTable {
  let lines: [String]

  /// Columns that a title should have.
  private static let leastTitle = 24

  /// Stands before the title of an entry at which the user should look.
  static let reviewSign = "±"

  init(
    _ entries: [EntrySummary], review: Set<EntryPath> = [], width: Int = Console.width
  ) {
    let locale = ReaderLocale()
    var known: [Day?: ShownDate] = [:]
    var (last, date) = (nil as Day?, ShownDate(locale.text(of: nil)))
    var dates = entries.map { entry in
      // The entries of one day mostly stand together.
      guard entry.day != last else { return date }
      (last, date) = (entry.day, known[entry.day] ?? ShownDate(locale.text(of: entry.day)))
      known[entry.day] = date
      return date
    }
    let numberWidth = String(entries.map(\.number).max() ?? 1).utf8.count
    var dateWidth = dates.map(\.width).max() ?? 0
    if width - numberWidth - dateWidth - 8 < EntryTable.leastTitle, Console.isTerminal {
      // On a narrow screen the title needs the room more than the name of the month.
      dates = entries.map { ShownDate($0.day?.description ?? "–") }
      dateWidth = dates.map(\.width).max() ?? 0
    }
    let titleWidth = max(4, width - numberWidth - dateWidth - 8)
    let (shown, shownWidth, blank) = (dates, dateWidth, UInt8(ascii: " "))
    lines = sideBySide(Array(entries.indices), portion: 500) { index in
      let (entry, date) = (entries[index], shown[index])
      let number = String(entry.number)
      let icon = entry.weather.map { $0.icon(isNight: entry.isNight) } ?? ""
      let sign = review.contains(entry.path) ? EntryTable.reviewSign + " " : ""
      let title =
        Console.isTerminal
        ? truncated(sign + terminalLine(entry.title), toWidth: titleWidth) : sign + entry.title
      var line: [UInt8] = []
      line.reserveCapacity(numberWidth + shownWidth + title.utf8.count + 48)
      line.append(contentsOf: repeatElement(blank, count: max(0, numberWidth - number.utf8.count)))
      line.append(contentsOf: Console.styled(number, .dim).utf8)
      line.append(contentsOf: [blank, blank])
      line.append(contentsOf: date.text.utf8)
      line.append(contentsOf: repeatElement(blank, count: max(0, shownWidth - date.width) + 2))
      // Every icon is two columns wide.
      line.append(contentsOf: icon.isEmpty ? "  ".utf8 : icon.utf8)
      line.append(contentsOf: [blank, blank])
      line.append(contentsOf: Console.styled(title, .bold).utf8)
      return String(decoding: line, as: UTF8.self)
    }
  }

  /// A date and the columns that it takes, which are worked out once.
  private struct ShownDate: Sendable {
    let text: String
    let width: Int

    init(_ text: String) {
      self.text = text
      width = displayWidth(text)
    }
  }

  /// Numbers, dates and titles in columns, without styles, for errors.
  static func plainLines(_ entries: [EntrySummary]) -> [String] {
    let locale = ReaderLocale()
    let dates = entries.map { entry in
      [locale.text(of: entry.day), locale.clock(of: entry.date)].compactMap(\.self)
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
