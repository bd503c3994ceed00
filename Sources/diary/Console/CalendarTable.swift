import DiaryCore
import DiaryKit
import Localization

/// A month with one row per week, or a year with one column per week.
struct CalendarTable {
  private(set) var lines: [String]
  private let statistics: JournalStatistics
  private let today: Day
  private let locale = UserLocale()

  /// The mark of a day without entries, then of the four quarters of days, fewest words first.
  private static let shades = ["·", "░", "▒", "▓", "█"]

  init(of days: ClosedRange<Day>, _ found: JournalStatistics, today: Day) {
    (self.statistics, self.today, lines) = (found, today, [])
    lines = days.length <= 31 ? month(days) : year(days)
    lines += ["", summary]
  }

  /// The days of a day's month.
  static func month(of day: Day) -> ClosedRange<Day> {
    let (year, month, number) = day.components
    let first = day.adding(1 - number)
    return first...first.adding(Day.length(ofMonth: month, year: year) - 1)
  }

  private func month(_ days: ClosedRange<Day>) -> [String] {
    let names = locale.weekdayOrder.map { locale.weekdays[$0 - 1] }
    let width = max(4, (names.map { displayWidth($0) }.max() ?? 0) + 1)
    func cell(_ text: String) -> String { EntryTable.blanks(width - displayWidth(text)) + text }
    let title = locale.monthText(of: days.lowerBound)
    let middle = EntryTable.blanks((width * 7 - displayWidth(title)) / 2)
    var rows = [middle + Console.styled(title, .bold), names.map(cell).joined()]
    var row = EntryTable.blanks(width * column(of: days.lowerBound))
    var day = days.lowerBound
    while day <= days.upperBound {
      let shade = statistics.shade(of: day)
      let number = "\(day.components.day)"
      row += EntryTable.blanks(width - 1 - displayWidth(number))
      row += styled(number + (shade > 0 ? Self.shades[shade] : ""), of: day)
      if column(of: day) < 6, day < days.upperBound {
        if shade == 0 { row += " " }
      } else {
        rows.append(row)
        row = ""
      }
      day = day.adding(1)
    }
    return rows
  }

  /// A column for each week, a row for each weekday.
  private func year(_ days: ClosedRange<Day>) -> [String] {
    let names = locale.weekdayOrder.map { locale.weekdays[$0 - 1] }
    let margin = (names.map { displayWidth($0) }.max() ?? 0) + 1
    let start = days.lowerBound.adding(-column(of: days.lowerBound))
    let weeks = (days.upperBound.ordinal - start.ordinal) / 7 + 1
    var months = [Character](repeating: " ", count: weeks + 2)
    for month in 1...12 {
      guard let first = Day(year: days.lowerBound.components.year, month: month, day: 1) else {
        continue
      }
      let at = (first.ordinal - start.ordinal + 6) / 7
      for (index, digit) in "\(month)".enumerated() where at + index < months.count {
        months[at + index] = digit
      }
    }
    let title = "\(days.lowerBound.components.year)"
    var rows = [
      EntryTable.blanks(margin + (weeks - title.count) / 2) + Console.styled(title, .bold),
      EntryTable.blanks(margin) + String(months).trimmingEnd,
    ]
    for (index, name) in names.enumerated() {
      var row = name + EntryTable.blanks(margin - displayWidth(name))
      for week in 0..<weeks {
        let day = start.adding(week * 7 + index)
        row += days.contains(day) ? styled(Self.shades[statistics.shade(of: day)], of: day) : " "
      }
      rows.append(row.trimmingEnd)
    }
    return rows
  }

  private func styled(_ text: String, of day: Day) -> String {
    day == today
      ? Console.styled(text, .bold)
      : statistics.days[day] == nil ? Console.styled(text, .dim) : text
  }

  private var summary: String {
    guard statistics.entries > 0 else { return localized("There are no entries in this time.") }
    let entries = counted(statistics.entries, "entry", "entries")
    let days = counted(statistics.days.count, "day", "days")
    let words = counted(statistics.words, "word", "words")
    let streak = counted(statistics.longestStreak?.length ?? 0, "day", "days")
    return localized("\(entries) on \(days), \(words); the longest streak: \(streak)")
  }

  /// The column of a day; 0 for the first weekday of the user's locale.
  private func column(of day: Day) -> Int { (day.weekday - locale.firstWeekday + 7) % 7 }
}

extension String {
  /// The string without blanks at its end.
  var trimmingEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
