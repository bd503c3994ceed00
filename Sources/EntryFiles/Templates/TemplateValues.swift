import DiaryCore

/// What a new entry is told about itself; each stands for the placeholder of its name.
package struct TemplateValues: Sendable {
  /// `nil`: the writer gave none.
  package var title: String?
  /// The moment of writing, or the day that was asked for.
  package var date: EntryDate
  /// As it is to stand in the header; `nil`: not known (yet), or off.
  package var weather: String?
  /// A place's name.
  package var place: String?
  /// Without `#`.
  package var tags: [String]
  /// The diary's day, which is what `{{date}}` and `{{weekday}}` mean in a text.
  package var day: Day
  /// Monday first.
  package var weekdayNames: [String]

  /// The English names.
  package static let englishWeekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  /// Values from their parts; `dayStartsAt` is the setting, in seconds since midnight.
  package init(
    title: String? = nil, date: EntryDate, weather: String? = nil, place: String? = nil,
    tags: [String] = [], dayStartsAt: Int = 0,
    weekdayNames: [String] = TemplateValues.englishWeekdays
  ) {
    self.title = title
    self.date = date
    self.weather = weather
    self.place = place
    self.tags = tags
    day = date.day(startingAt: dayStartsAt)
    self.weekdayNames = weekdayNames
  }
}

/// The words between `{{` and `}}` that mean something; all others stay as they are.
enum Placeholder: String, CaseIterable {
  case title, date, time, weekday, week, day, month, year, weather, place, tags, cursor

  /// While a template is filled, each is one of Unicode's noncharacters: they are plain words to a
  /// YAML parser, which braces are not, and no text has them.
  var mark: Unicode.Scalar {
    let index = Self.allCases.firstIndex(of: self) ?? 0
    return Unicode.Scalar(Self.firstMark + UInt32(index)) ?? "\u{FFFD}"
  }

  init?(mark: Unicode.Scalar) {
    let index = Int(mark.value) - Int(Self.firstMark)
    guard Self.allCases.indices.contains(index) else { return nil }
    self = Self.allCases[index]
  }

  private static let firstMark: UInt32 = 0xFDD0

  /// What stands in its place in a text.
  func text(_ values: TemplateValues) -> String {
    let (year, month, day) = values.day.components
    return switch self {
    case .title: values.title ?? ""
    case .date: values.day.description
    case .time: values.date.clock ?? ""
    case .weekday:
      values.weekdayNames.indices.contains(values.day.weekday - 1)
        ? values.weekdayNames[values.day.weekday - 1] : ""
    case .week: String(isoWeek(of: values.day))
    case .day: String(day)
    case .month: String(month)
    case .year: String(year)
    case .weather: values.weather ?? ""
    case .place: values.place ?? ""
    case .tags: values.tags.map { "#" + $0 }.joined(separator: " ")
    case .cursor: ""
    }
  }
}

/// ISO 8601: the week of a day is that of its Thursday.
private func isoWeek(of day: Day) -> Int {
  let thursday = day.adding(4 - day.weekday)
  guard let newYear = Day(year: thursday.components.year, month: 1, day: 1) else { return 1 }
  return (thursday.ordinal - newYear.ordinal) / 7 + 1
}
