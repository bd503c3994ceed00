import DiaryCore
import DiaryKit

/// The list as people read it: number, date, weather icon, title, in columns that line up in every
/// script.
struct EntryTable {
  let lines: [String]

  /// Columns that a title should have.
  private static let leastTitle = 24

  init(_ entries: [ListedEntry], width: Int = Console.width) {
    let locale = ReaderLocale()
    var texts: [Day?: String] = [:]
    var dates = entries.map { entry in
      if let text = texts[entry.day] { return text }
      let text = locale.text(of: entry.day)
      texts[entry.day] = text
      return text
    }
    let numberWidth = String(entries.map(\.number).max() ?? 1).utf8.count
    var dateWidth = texts.values.map(displayWidth).max() ?? 0
    if width - numberWidth - dateWidth - 8 < EntryTable.leastTitle, Console.isTerminal {
      // On a narrow screen the title needs the room more than the name of the month.
      dates = entries.map { $0.day?.description ?? "–" }
      dateWidth = dates.map(displayWidth).max() ?? 0
    }
    let titleWidth = max(4, width - numberWidth - dateWidth - 8)
    lines = zip(entries, dates).map { entry, date in
      let number = String(entry.number)
      let icon = entry.weather.map { $0.icon(isNight: entry.isNight) } ?? ""
      let title =
        Console.isTerminal ? truncated(terminalLine(entry.title), toWidth: titleWidth) : entry.title
      var line = ""
      line.reserveCapacity(numberWidth + dateWidth + title.utf8.count + 32)
      line += EntryTable.blanks(numberWidth - number.utf8.count)
      line += Console.styled(number, .dim)
      line += "  "
      line += date
      line += EntryTable.blanks(dateWidth - displayWidth(date))
      line += "  "
      // Every icon is two columns wide.
      line += icon.isEmpty ? "  " : icon
      line += "  "
      line += Console.styled(title, .bold)
      return line
    }
  }

  static func blanks(_ count: Int) -> String {
    count <= 0 ? "" : String(repeating: " ", count: count)
  }
}
