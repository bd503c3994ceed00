/// Translates Korean date phrases to English: `3일 전`, `사흘 전`, `어제 오후 9:04`, `어젯밤`, `24일`,
/// `2026년 11월 22일 (일)`.
struct KoreanDatePhrase {
  /// The phrase in the English words that ``DatePhraseParser`` reads.
  let english: String
  /// The weekday in brackets, 1 Monday to 7 Sunday.
  private var weekday: Int?

  private var numbers: [Character: Int] = [:]
  private var words: [String] = []
  private var clock: String?
  private var dayPeriod: (name: String, hours: [Int])?

  /// Fails if a word is not part of a date, or if the text contains no Korean.
  init?(_ text: String) {
    guard text.unicodeScalars.contains(where: { (0xAC00...0xD7A3).contains($0.value) }) else {
      return nil
    }
    var reading = KoreanDatePhrase()
    var isAgo = false
    for word in Self.words(of: text) {
      // `3일전` means `3일 전`, but 오전, "morning", also ends in 전.
      let isJoined = word.first?.isNumber == true && word.hasSuffix("전")
      isAgo = isAgo || isJoined || word == "전"
      if word != "전", !reading.parse(String(isJoined ? word.dropLast() : word[...])) { return nil }
    }
    guard let english = isAgo ? reading.agoPhrase : reading.datePhrase else { return nil }
    self.english = english
    weekday = reading.weekday
  }

  /// True unless the date is on another weekday than the one in brackets.
  func matches(_ date: DateExpression) -> Bool {
    guard let weekday else { return true }
    return switch date {
    case .days(let days): days.isOneDay && days.lowerBound.weekday == weekday
    case .moment(let moment, _): moment.date.weekday == weekday
    case .versionsAgo, .commit: false
    }
  }

  private init() { english = "" }

  private static let names = [
    "오늘": "today", "어제": "yesterday", "그제": "day before yesterday",
    "그저께": "day before yesterday", "엊그제": "day before yesterday",
    "엊그저께": "day before yesterday", "그끄제": "3 days ago", "그끄저께": "3 days ago",
    "내일": "tomorrow", "모레": "day after tomorrow", "지금": "now", "방금": "now",
    "어젯밤": "yesterday night", "어제밤": "yesterday night", "지난밤": "yesterday night",
    "간밤": "yesterday night",
    "지난": "last", "이번": "this", "다음": "next", "오는": "next",
    "지난주": "last week", "이번주": "this week", "다음주": "next week",
    "주말": "weekend", "지난주말": "last weekend", "이번주말": "this weekend",
    "다음주말": "next weekend", "지난달": "last month", "이번달": "this month",
    "이달": "this month", "다음달": "next month",
    "작년": "last year", "지난해": "last year", "재작년": "year before last", "올해": "this year",
    "내년": "next year",
    "주": "week", "달": "month", "해": "year", "정오": "noon", "자정": "midnight",
    "월요일": "monday", "화요일": "tuesday", "수요일": "wednesday", "목요일": "thursday",
    "금요일": "friday", "토요일": "saturday", "일요일": "sunday",
  ]

  private static let weekdays = ["월", "화", "수", "목", "금", "토", "일"]

  /// Words for AM or PM and the hours for which each is unambiguous.
  private static let dayPeriods: [String: (name: String, hours: [Int])] = [
    "오전": (" am", Array(0...12)), "오후": (" pm", Array(1...12)), "새벽": (" am", [12] + (1...6)),
    "아침": (" am", Array(5...11)), "낮": (" pm", [12] + (1...5)), "저녁": (" pm", Array(5...11)),
    "밤": (" pm", Array(6...11)), "점심": (" pm", [12, 1, 2]),
  ]

  /// Units after a number, each with a one-letter key.
  private static let units: [(String, Character)] = [
    ("시간", "h"), ("개월", "M"), ("주일", "w"), ("년", "y"), ("해", "y"), ("월", "m"), ("일", "d"),
    ("주", "w"), ("달", "M"), ("시", "H"), ("분", "n"), ("초", "s"), ("날", "D"),
  ]

  /// Numbers of days that are one word.
  private static let dayCounts = [
    "하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "여드레": 8, "아흐레": 9,
    "열흘": 10, "보름": 15,
  ]

  /// Numbers before a unit: `한 달`, `일주일`, `석 달`.
  private static let numerals = [
    "한": 1, "두": 2, "세": 3, "석": 3, "네": 4, "넉": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8,
    "아홉": 9, "열": 10, "일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "칠": 7, "팔": 8, "구": 9,
    "십": 10,
  ]

  /// The words with numbers in digits: `한 달 전` is `1달 전`, `이틀전` is `2일 전`.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var pendingNumber: Int?
    for part in text.split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
      var word = part == "전에" ? "전" : String(part)
      let isAgo = word.count > 1 && word.hasSuffix("전")
      if let number = pendingNumber {
        word = "\(number)\(word)"
        pendingNumber = nil
      } else if names[word] != nil {
        words.append(word)
        continue
      } else if let day = ["오늘", "어제", "그제", "내일"].first(where: { word.hasPrefix($0) }),
        dayPeriods[String(word.dropFirst(2))] != nil
      {
        words += [day, String(word.dropFirst(2))]
        continue
      } else if let number = numerals[word] {
        pendingNumber = number
        continue
      } else if let count = dayCounts[isAgo ? String(word.dropLast()) : word] {
        word = "\(count)날" + (isAgo ? "전" : "")
      } else if let (numeral, number) = numerals.first(where: { numeral, _ in
        word.hasPrefix(numeral) && isUnit(word.dropFirst(numeral.count))
      }) {
        word = "\(number)\(word.dropFirst(numeral.count))"
      }
      words.append(word)
    }
    // A number without a unit is no part of a date.
    return pendingNumber.map { words + ["\($0)"] } ?? words
  }

  /// True for a unit, also with 전 after it.
  private static func isUnit(_ word: Substring) -> Bool {
    units.contains { word == $0.0 || word == $0.0 + "전" }
  }

  private mutating func parse(_ word: String) -> Bool {
    if let name = Self.names[word] {
      words.append(name)
      if name == "yesterday night" {
        words[words.count - 1] = "yesterday"
        dayPeriod = Self.dayPeriods["밤"]
      }
      return true
    }
    if let found = Self.dayPeriods[word] {
      dayPeriod = found
      return true
    }
    if word == "반", numbers["H"] != nil { return numbers.updateValue(30, forKey: "n") == nil }
    if word.hasPrefix("("), word.hasSuffix(")") {
      let name = String(word.dropFirst().dropLast())
      let index = Self.weekdays.firstIndex { [$0, $0 + "요일"].contains(name) }
      weekday = index.map { $0 + 1 }
      return index != nil
    }
    if word.contains(":") {
      clock = word
      return true
    }
    var remaining = Substring(word)
    while !remaining.isEmpty {
      let digits = remaining.prefix { $0.isASCII && $0.isNumber }
      let after = remaining.dropFirst(digits.count)
      guard let number = Int(digits), let unit = Self.units.first(where: { after.hasPrefix($0.0) }),
        numbers.updateValue(number, forKey: unit.1) == nil
      else {
        if digits.isEmpty, !numbers.isEmpty || !words.isEmpty { return false }
        words.append(String(remaining))
        return remaining.allSatisfy { $0.isASCII }
      }
      remaining = after.dropFirst(unit.0.count)
    }
    return true
  }

  private var agoPhrase: String? {
    let units: [Character: String] = [
      "y": "years", "M": "months", "w": "weeks", "d": "days", "D": "days", "h": "hours",
      "n": "minutes", "s": "seconds",
    ]
    var remaining = numbers
    guard words.isEmpty, let time = extractTime(from: &remaining), remaining.count == 1,
      let only = remaining.first,
      let unit = units[only.key]
    else { return nil }
    return "\(only.value) \(unit) ago" + time
  }

  /// Removes the time and returns it after a blank. Empty if there is none, `nil` if ambiguous.
  private func extractTime(from remaining: inout [Character: Int]) -> String? {
    guard let hour = remaining.removeValue(forKey: "H") else {
      guard let clock else { return dayPeriod == nil ? "" : nil }
      return Int(clock.prefix { $0 != ":" }).flatMap(dayPeriodSuffix(at:)).map { " \(clock)\($0)" }
    }
    let minute = remaining.removeValue(forKey: "n") ?? 0
    return dayPeriodSuffix(at: hour).map {
      " \(hour):" + (minute < 10 ? "0" : "") + "\(minute)\($0)"
    }
  }

  private func dayPeriodSuffix(at hour: Int) -> String? {
    guard let dayPeriod else { return "" }
    return dayPeriod.hours.contains(hour) ? dayPeriod.name : nil
  }

  private var datePhrase: String? {
    var parts = words
    var remaining = numbers
    if let month = remaining.removeValue(forKey: "m") {
      guard (1...12).contains(month) else { return nil }
      parts.append(DateReader.months[month - 1])
      if let day = remaining.removeValue(forKey: "d") { parts.append(String(day)) }
    } else if remaining["y"] == nil, let day = remaining.removeValue(forKey: "d") {
      parts.append("\(day)th")
    }
    if parts == ["last year", "today"] { parts = ["a year ago"] }
    if let year = remaining.removeValue(forKey: "y") { parts.append(String(year)) }
    // 오늘 아침: a part of a day without an hour means that day.
    let isPart = dayPeriod != nil && clock == nil && remaining["H"] == nil && !parts.isEmpty
    guard let time = isPart ? "" : extractTime(from: &remaining) else { return nil }
    let text = parts.joined(separator: " ") + time
    return remaining.isEmpty && !text.isEmpty ? text : nil
  }
}
