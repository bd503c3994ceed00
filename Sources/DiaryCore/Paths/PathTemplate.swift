/// The names of months and weekdays in a language.
package struct CalendarNames: Hashable, Sendable {
  /// Starting with January.
  package var months: [String]
  package var shortMonths: [String]
  /// Starting with Monday.
  package var weekdays: [String]
  package var shortWeekdays: [String]

  /// Creates names from lists of 12 and 7.
  package init(
    months: [String], shortMonths: [String], weekdays: [String], shortWeekdays: [String]
  ) {
    self.months = months
    self.shortMonths = shortMonths
    self.weekdays = weekdays
    self.shortWeekdays = shortWeekdays
  }

  package static let english: CalendarNames = {
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    let weekdays = [
      "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    return CalendarNames(
      months: months, shortMonths: months.map { String($0.prefix(3)) }, weekdays: weekdays,
      shortWeekdays: weekdays.map { String($0.prefix(3)) })
  }()
}

/// The path of a new entry, with placeholders `{year}`, `{month}`, `{day}`, `{date}`, `{time}` and
/// `{slug}`. The first four refer to the journal day. `{month_name}`, `{weekday}` and similar ones
/// match the file names of other daily-notes programs.
package struct PathTemplate: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case text(String)
    case value(Value)
  }

  private enum Value: String, Hashable, Sendable {
    case year, month, day, date, time, slug
    case yearShort = "year_short"
    case monthNumber = "month_number"
    case monthName = "month_name"
    case monthShort = "month_short"
    case dayNumber = "day_number"
    case weekday
    case weekdayShort = "weekday_short"
  }

  /// The pattern as written.
  package let pattern: String
  private let parts: [Part]
  /// The names for `{month_name}` and similar placeholders.
  package var names = CalendarNames.english

  /// Creates a template. Fails if the pattern is not a path inside the journal ending in `.md` or
  /// `.markdown`, is hidden, has an unknown placeholder, or gives all entries the same path.
  package init?(_ pattern: String) {
    var parts: [Part] = []
    var remaining = pattern[...]
    while let open = remaining.firstIndex(of: "{") {
      guard let close = remaining[open...].firstIndex(of: "}"),
        let value = Value(rawValue: String(remaining[remaining.index(after: open)..<close]))
      else { return nil }
      parts += [.text(String(remaining[..<open])), .value(value)]
      remaining = remaining[remaining.index(after: close)...]
    }
    parts.append(.text(String(remaining)))
    self.pattern = pattern
    self.parts = parts
    guard !pattern.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }),
      parts.contains(.value(.slug)) || hasDay,
      let sample = path(slug: "walk", time: "2104", day: PathTemplate.sampleDay), sample.isMarkdown,
      !sample.isHidden, sample.names.allSatisfy({ $0.count <= 128 })
    else { return nil }
  }

  /// True if the pattern uses ``names``.
  package var hasCalendarNames: Bool {
    let values: [Value] = [.monthName, .monthShort, .weekday, .weekdayShort]
    return parts.contains { part in values.contains { part == .value($0) } }
  }

  private var hasDay: Bool {
    parts.contains { [.value(.date), .value(.day), .value(.dayNumber)].contains($0) }
  }

  /// True if all entries of a day get one path, different from those of other days.
  package var isDaily: Bool {
    let isYear = parts.contains { [.value(.year), .value(.yearShort)].contains($0) }
    let months: [Value] = [.month, .monthNumber, .monthName, .monthShort]
    let isMonth = parts.contains { part in months.contains { part == .value($0) } }
    return hasDay && !parts.contains(.value(.slug)) && !parts.contains(.value(.time))
      && (parts.contains(.value(.date)) || isYear && isMonth)
  }

  /// The path of a new entry: the first one for which `isTaken` is false, with `-2`, `-3` … before
  /// the extension if needed. Without a title that gives a slug, the time is used. Without a time,
  /// the placeholder stays empty.
  package func path(
    title: String?, date: EntryDate, day: Day, isTaken: (EntryPath) -> Bool = { _ in false }
  ) -> EntryPath {
    var numbers: [EntryPath: Int] = [:]
    return path(title: title, date: date, day: day, numbers: &numbers, isTaken: isTaken)
  }

  /// The path of one of many entries. `numbers` contains the next number to try for each taken
  /// path, so that entries with the same title and day do not retry the same paths.
  package func path(
    title: String?, date: EntryDate, day: Day, numbers: inout [EntryPath: Int],
    isTaken: (EntryPath) -> Bool
  ) -> EntryPath {
    let clock = date.clock.map { $0.filter { $0 != ":" } } ?? ""
    let titleSlug = DiaryCore.slug(of: title ?? "")
    // The pattern was validated on creation; a slug or a time contains nothing invalid in a path.
    guard
      let first = path(slug: titleSlug.isEmpty ? clock : titleSlug, time: clock, day: day)
    else {
      preconditionFailure("a checked layout makes a path")
    }
    guard numbers[first] != nil || isTaken(first) else { return first }
    var number = numbers[first] ?? 2
    while true {
      let next = first.numbered(number)
      number += 1
      numbers[first] = number
      if !isTaken(next) { return next }
    }
  }

  /// The path of an entry with this date and day, by a name that keeps the slug of `path`, which
  /// the template gave an entry of `oldDay` at `oldDate`. `nil` if it is no such path. `isDayNote`
  /// is true if only the day makes the name.
  package func path(
    movedFrom path: EntryPath, dated oldDate: EntryDate?, of oldDay: Day,
    to date: EntryDate, of day: Day
  ) -> (path: EntryPath, isDayNote: Bool)? {
    guard path.isText else { return nil }
    func clock(_ date: EntryDate?) -> String { date?.clock.map { $0.filter { $0 != ":" } } ?? "" }
    let (old, new) = (clock(oldDate), clock(date))
    var slug = ""
    if text(slug: "", time: old, day: oldDay) != path.text {
      let ends = text(slug: "\0", time: old, day: oldDay).split(
        separator: "\0", omittingEmptySubsequences: false)
      guard ends.count == 2, path.text.hasPrefix(ends[0]), path.text.hasSuffix(ends[1]),
        path.text.utf8.count > ends[0].utf8.count + ends[1].utf8.count
      else { return nil }
      slug = String(path.text.dropFirst(ends[0].count).dropLast(ends[1].count))
      guard !slug.contains("/") else { return nil }
    }
    let isDayNote = slug.isEmpty && !parts.contains(.value(.time))
    // The time stands in for the slug of an entry without a title.
    if !slug.isEmpty, slug == old { slug = new }
    return EntryPath(text(slug: slug, time: new, day: day)).map { ($0, isDayNote) }
  }

  private func path(slug: String, time: String, day: Day) -> EntryPath? {
    EntryPath(text(slug: slug, time: time, day: day))
  }

  private func text(slug: String, time: String, day: Day) -> String {
    let (year, month, number) = day.components
    var text = ""
    for (index, part) in parts.enumerated() {
      switch part {
      case .text(let literal): text += literal
      case .value(.year): text += padded(year, 4)
      case .value(.month): text += padded(month, 2)
      case .value(.day): text += padded(number, 2)
      case .value(.date): text += day.description
      case .value(.yearShort): text += padded(year % 100, 2)
      case .value(.monthNumber): text += String(month)
      case .value(.monthName): text += PathTemplate.calendarName(month, names.months)
      case .value(.monthShort): text += PathTemplate.calendarName(month, names.shortMonths)
      case .value(.dayNumber): text += String(number)
      case .value(.weekday): text += PathTemplate.calendarName(day.weekday, names.weekdays)
      case .value(.weekdayShort):
        text += PathTemplate.calendarName(day.weekday, names.shortWeekdays)
      case .value(.time): add(time, to: &text, at: index, day: day)
      case .value(.slug): add(slug, to: &text, at: index, day: day)
      }
    }
    return text
  }

  /// An empty value also removes the separator before it. An empty name is replaced by the date.
  private func add(_ value: String, to text: inout String, at index: Int, day: Day) {
    text += value
    guard value.isEmpty else { return }
    while let last = text.last, "-_. ".contains(last) { text.removeLast() }
    if text.isEmpty || text.last == "/" { text += day.description }
  }

  /// The name of a month or weekday, counted from 1, without characters that are invalid in a name.
  private static func calendarName(_ number: Int, _ names: [String]) -> String {
    guard names.indices.contains(number - 1) else { return String(number) }
    let name = names[number - 1].filter { $0 != "/" && $0 != "\0" }
    return name.isEmpty ? String(number) : name
  }

  private static let sampleDay = Day(year: 2026, month: 11, day: 21) ?? Day.first
}
