import DiaryCore

/// The values of a new entry; each replaces the placeholder with its name.
package struct TemplateValues: Sendable {
  /// The title; `nil` if the user gave none.
  package var title: String?
  /// The current time, or the requested day.
  package var date: EntryDate
  /// The weather as written in the header; `nil` if unknown (yet) or off.
  package var weather: String?
  /// The name of the place.
  package var place: String?
  /// The tags, without `#`.
  package var tags: [String]
  /// The diary's day, used for `{{date}}` and `{{weekday}}` in a text.
  package var day: Day
  /// The names of the weekdays, Monday first.
  package var weekdayNames: [String]

  /// The English names.
  package static let englishWeekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  /// Creates the values; `dayStartsAt` is the setting, in seconds since midnight.
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

/// The supported words between `{{` and `}}`; all others are left unchanged.
enum Placeholder: String, CaseIterable {
  case title, date, time, weekday, week, day, month, year, weather, place, tags, cursor

  /// A Unicode noncharacter that replaces the placeholder during rendering. Unlike braces, a YAML
  /// parser reads it as plain text, and no text contains it.
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

  /// The replacement in a text.
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

/// The ISO 8601 week: the week of a day is that of its Thursday.
private func isoWeek(of day: Day) -> Int {
  let thursday = day.adding(4 - day.weekday)
  guard let newYear = Day(year: thursday.components.year, month: 1, day: 1) else { return 1 }
  return (thursday.ordinal - newYear.ordinal) / 7 + 1
}
