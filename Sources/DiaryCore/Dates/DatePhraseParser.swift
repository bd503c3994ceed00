/// Parses English date phrases: `yesterday at 21:04`, `last monday`, `3 days ago`, `nov 2026`,
/// `the 24th`. A part of a day, as in `this morning` or `last night`, means that day.
struct DatePhraseParser {
  private var words: ArraySlice<String>
  private let calendar: DateContext
  private let isDayFirst: () -> Bool?

  /// - Parameter isDayFirst: true if `3/4` means the third of April, `nil` if the order is unknown.
  init(_ text: String, _ calendar: DateContext, _ isDayFirst: @escaping () -> Bool?) {
    self.calendar = calendar
    self.isDayFirst = isDayFirst
    words = text.lowercased().split { " \t,".contains($0) }.map(String.init)[...]
  }

  /// Parses all words. Returns `nil` if one of them is unknown.
  func read() -> DateExpression? {
    guard let last = words.last else { return nil }
    if words.count == 1, last == "now" { return now }
    if last == "ago" { return relativeDate() }
    if let clock = clock(in: words.suffix(2)) ?? clock(in: words.suffix(1)) {
      var datePart = self
      datePart.words = words.dropLast(clock.words)
      if datePart.words.last == "at" { datePart.words = datePart.words.dropLast() }
      // `last night at 1am` would be today.
      let isNight = datePart.words.last.map { ["night", "tonight"].contains($0) } ?? false
      if isNight, clock.seconds < 43_200 { return nil }
      guard let days = datePart.daysBeforeTime(), days.isOneDay else { return nil }
      return calendar.moment(days.lowerBound, clock.seconds, nil, isExact: clock.isExact)
    }
    return days().map { .days($0) }
  }

  private var now: DateExpression? {
    EntryDate(instant: calendar.now, zone: calendar.zone).map { .moment($0, width: 1) }
  }

  private func clock(in words: ArraySlice<String>) -> (seconds: Int, words: Int, isExact: Bool)? {
    guard !words.isEmpty else { return nil }
    let text = words.joined(separator: " ")
    if let hour = ["noon": 12, "midnight": 0][text] { return (hour * 3600, 1, false) }
    // `9pm` is `9:00 pm`.
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let half = text.dropFirst(digits.count).drop { $0 == " " }
    let isHour = (1...2).contains(digits.count) && ["am", "pm"].contains(half)
    var reader = DateReader((isHour ? "\(digits):00 \(half)" : text).utf8)
    guard let seconds = reader.clock(), reader.peek() == nil, seconds < 86_400 else { return nil }
    return (seconds, words.count, reader.hasSeconds)
  }

  /// The days before a time: today if there are no words, else a day or a phrase with "ago".
  private func daysBeforeTime() -> ClosedRange<Day>? {
    if words.isEmpty { return singleDay(0) }
    guard words.last == "ago" else { return days() }
    guard case .days(let days) = relativeDate() else { return nil }
    return days
  }

  private static let dayParts = ["morning", "afternoon", "evening", "night", "tonight"]

  /// The day of `this morning`, `last night` or `yesterday evening`.
  private func dayBeforePart() -> ClosedRange<Day>? {
    switch words.dropLast().joined(separator: " ") {
    case "": return words.last == "tonight" ? singleDay(0) : nil
    case "this": return singleDay(0)
    case "last": return words.last == "night" ? singleDay(-1) : nil
    default:
      var rest = self
      rest.words = words.dropLast()
      return rest.daysBeforeTime().flatMap { $0.isOneDay ? $0 : nil }
    }
  }

  private func days() -> ClosedRange<Day>? {
    if let last = words.last, Self.dayParts.contains(last) { return dayBeforePart() }
    var phrase = self
    if words.count > 1, words.first == "the" { phrase.words = words.dropFirst() }
    let words = Array(phrase.words)
    if let named = phrase.daysInNamedYear() { return named }
    switch words.count {
    case 1: return singleWord(words[0]) ?? phrase.namedDate()
    case 2: return wordPair(words[0], words[1]) ?? phrase.namedDate()
    default: break
    }
    if words == ["day", "before", "yesterday"] { return singleDay(-2) }
    if words == ["day", "after", "tomorrow"] { return singleDay(2) }
    if words.count == 3, let span = wordPair(words[0], words[1]) {
      // `last week monday`, `last month 24th`
      if words[1] == "week", let weekday = weekday(words[2]) {
        let day = span.lowerBound.adding(weekday - 1)
        return day...day
      }
      if words[1] == "month", let number = ordinal(words[2]) {
        let day = span.lowerBound.adding(number - 1)
        return number <= span.length ? day...day : nil
      }
    }
    return phrase.namedDate()
  }

  /// `last year`, `last year dec 25`, `december last year` or `the year before last`.
  private func daysInNamedYear() -> ClosedRange<Day>? {
    let years = [
      (["last", "year"], -1), (["this", "year"], 0), (["next", "year"], 1),
      (["year", "before", "last"], -2),
    ]
    for (name, offset) in years {
      let year = calendar.today.components.year + offset
      var phrase = self
      if words.starts(with: name) {
        phrase.words = words.dropFirst(name.count)
      } else if words.suffix(name.count) == name[...] {
        phrase.words = words.dropLast(name.count)
      } else {
        continue
      }
      if phrase.words.last == "the" { phrase.words.removeLast() }
      if phrase.words.isEmpty { return calendar.year(year) }
      phrase.words.append("\(year)")
      return phrase.namedDate()
    }
    return nil
  }

  private func singleWord(_ word: String) -> ClosedRange<Day>? {
    switch word {
    case "today": return singleDay(0)
    case "yesterday": return singleDay(-1)
    case "tomorrow": return singleDay(1)
    case "weekend": return wordPair(calendar.today.weekday < 6 ? "last" : "this", word)
    default: break
    }
    if let day = day(word) { return day }
    // A weekday alone is the most recent one, today included.
    if let weekday = weekday(word) {
      return singleDay(-((calendar.today.weekday - weekday + 7) % 7))
    }
    guard let month = month(word) else { return nil }
    let (year, current, _) = calendar.today.components
    return calendar.month(month, of: month > current ? year - 1 : year)
  }

  private func wordPair(_ which: String, _ what: String) -> ClosedRange<Day>? {
    guard let offset = ["last": -1, "this": 0, "next": 1][which] else { return nil }
    let today = calendar.today
    switch what {
    case "week": return calendar.week(offset)
    case "month": return calendar.month(offset)
    case "weekend":
      let sunday = calendar.week(offset).upperBound
      return sunday.adding(-1)...sunday
    default: break
    }
    if let number = ordinal(what) { return calendar.day(number, inMonthNear: offset) }
    if let weekday = weekday(what) {
      let since = (today.weekday - weekday + 7) % 7
      switch which {
      case "last": return singleDay(since == 0 ? -7 : -since)
      case "next": return singleDay(7 - since)
      default: return singleDay(weekday - today.weekday)
      }
    }
    guard let month = month(what) else { return nil }
    let (year, current, _) = today.components
    switch which {
    case "last": return calendar.month(month, of: month >= current ? year - 1 : year)
    case "next": return calendar.month(month, of: month <= current ? year + 1 : year)
    default: return calendar.month(month, of: year)
    }
  }

  /// The number of a day of the month with an English ending, such as `24th`.
  private func ordinal(_ word: String) -> Int? {
    let digits = withoutOrdinal(word)
    guard digits.count < word.count, digits.count < 3, let number = Int(digits) else { return nil }
    return (1...31).contains(number) ? number : nil
  }

  /// `21 nov`, `nov 21 2026`, `november 2026` or `24th`, in any unambiguous order.
  private func namedDate() -> ClosedRange<Day>? {
    var month: Int?
    var day: Int?
    var year: Int?
    var weekday: Int?
    for word in words {
      if let found = self.weekday(word), weekday == nil {
        weekday = found
      } else if let found = self.month(word), month == nil {
        month = found
      } else if word.count == 4, let found = Int(word), year == nil {
        year = found
      } else if word.count <= 4, day == nil, let found = Int(withoutOrdinal(word)), found < 32 {
        day = found
      } else {
        return nil
      }
    }
    guard let month else {
      // `the 24th`, `tuesday 24th`: the latest such day, today included.
      guard let day, year == nil, words.contains(where: { ordinal($0) != nil }),
        let found = calendar.day(day, inMonthNear: 0),
        weekday == nil || weekday == found.lowerBound.weekday
      else { return nil }
      return found
    }
    guard let day else {
      return weekday == nil ? year.flatMap { calendar.month(month, of: $0) } : nil
    }
    guard let found = calendar.day(day, of: month, year: year),
      weekday == nil || weekday == found.weekday
    else { return nil }
    return found...found
  }

  /// Parses `22.11.2026` and `22.11.` as day first. `11/22`, `11/22/2026` and `11-22` follow the
  /// locale if both orders are possible, and are no date if that has no order.
  private func numericDate(_ word: String) -> Day? {
    guard let separator = word.first(where: { "./-".contains($0) }) else { return nil }
    var parts = word.split(separator: separator, omittingEmptySubsequences: false)
    if separator == ".", parts.last == "" { parts.removeLast() }
    let numbers = parts.compactMap { part in
      (1...4).contains(part.count) && part.allSatisfy { $0.isASCII && $0.isNumber }
        ? Int(part) : nil
    }
    guard numbers.count == parts.count, (2...3).contains(numbers.count),
      parts[0].count < 3, parts[1].count < 3
    else { return nil }
    var year: Int?
    if numbers.count == 3 {
      guard parts[2].count == 4 || parts[2].count == 2 else { return nil }
      year = numbers[2] + (parts[2].count == 2 ? 2000 : 0)
    }
    let (first, second) = (numbers[0], numbers[1])
    let dayFirst = calendar.day(first, of: second, year: year)
    if separator == "." { return dayFirst }
    let monthFirst = calendar.day(second, of: first, year: year)
    guard let dayFirst, let monthFirst else { return dayFirst ?? monthFirst }
    if dayFirst == monthFirst { return dayFirst }
    return isDayFirst().map { $0 ? dayFirst : monthFirst }
  }

  private static let counts = [
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
  ]

  private func relativeDate() -> DateExpression? {
    let amount = words.dropLast()
    guard amount.count == 2, let first = amount.first, let unit = amount.last,
      let count = Self.counts[first] ?? Int(first), (0...100_000).contains(count)
    else { return nil }
    let back = -count
    switch unit.hasSuffix("s") ? String(unit.dropLast()) : unit {
    case "second", "sec": return moment(secondsFromNow: back)
    case "minute", "min": return moment(secondsFromNow: back * 60)
    case "hour": return moment(secondsFromNow: back * 3600)
    case "day": return .days(calendar.today.adding(back)...calendar.today.adding(back))
    case "week": return .days(calendar.today.adding(back * 7)...calendar.today.adding(back * 7))
    case "month": return calendar.day(monthsFromNow: back).map { .days($0...$0) }
    case "year": return calendar.day(monthsFromNow: back * 12).map { .days($0...$0) }
    default: return nil
    }
  }

  private func moment(secondsFromNow seconds: Int) -> DateExpression? {
    EntryDate(instant: calendar.now + seconds, zone: calendar.zone).map { .moment($0, width: 1) }
  }

  private func singleDay(_ offset: Int) -> ClosedRange<Day> {
    calendar.today.adding(offset)...calendar.today.adding(offset)
  }

  /// A date in digits next to a time, as in `2026-11-21 at 9:04`.
  private func day(_ word: String) -> ClosedRange<Day>? {
    if let day = numericDate(word) { return day...day }
    guard case .days(let days) = calendar.parsedDate(Array(word.utf8)) else { return nil }
    return days
  }

  private func weekday(_ word: String) -> Int? {
    var reader = DateReader(word.utf8)
    return reader.weekday().flatMap { reader.peek() == nil ? $0 : nil }
  }

  private func month(_ word: String) -> Int? {
    var reader = DateReader(word.utf8)
    return reader.month().flatMap { reader.peek() == nil ? $0 : nil }
  }

  private func withoutOrdinal(_ word: String) -> String {
    for ending in ["st", "nd", "rd", "th"] where word.hasSuffix(ending) {
      return String(word.dropLast(2))
    }
    return word
  }
}
