import DiaryCore

/// The formats of dates in Obsidian, which are those of moment.js
/// (https://momentjs.com/docs/#/displaying/format/).
struct MomentFormat {
  var date: EntryDate
  /// The diary's day.
  var day: Day
  var names: CalendarNames

  /// A pattern with each run of one letter replaced. Text in brackets stays as it is. `nil` if a run
  /// has no replacement, or a bracket no end.
  static func filled(_ pattern: String, _ replacement: (String) -> String?) -> String? {
    var text = ""
    var remaining = pattern[...]
    while let character = remaining.first {
      if character == "[" {
        guard let end = remaining.firstIndex(of: "]") else { return nil }
        text += remaining[remaining.index(after: remaining.startIndex)..<end]
        remaining = remaining[remaining.index(after: end)...]
      } else if character.isLetter {
        let run = remaining.prefix { $0 == character }
        guard let value = replacement(String(run)) else { return nil }
        text += value
        remaining = remaining[run.endIndex...]
      } else {
        text.append(character)
        remaining.removeFirst()
      }
    }
    return text
  }

  /// A template with `{{title}}`, `{{date:FORMAT}}` and `{{time:FORMAT}}` filled in. A format with
  /// an unknown part stays.
  func filling(_ template: String, title: String) -> String {
    var filled = ""
    var remaining = template[...]
    while let open = remaining.firstRange(of: "{{") {
      filled += remaining[..<open.lowerBound]
      remaining = remaining[open.lowerBound...]
      let word = remaining.dropFirst(2).prefix { $0 != "}" && !$0.isNewline }
      guard remaining[word.endIndex...].hasPrefix("}}"), let value = value(of: word, title) else {
        filled += "{{"
        remaining = remaining.dropFirst(2)
        continue
      }
      filled += value
      remaining = remaining[word.endIndex...].dropFirst(2)
    }
    return filled + remaining
  }

  private func value(of placeholder: Substring, _ title: String) -> String? {
    let parts = placeholder.split(separator: ":", maxSplits: 1).map { trimmed($0) }
    switch (parts.first?.lowercased(), parts.count) {
    case ("title", 1): return title
    case ("date", 2), ("time", 2): return Self.filled(parts[1], text)
    default: return nil
    }
  }

  private func text(of token: String) -> String? {
    let (year, month, number) = day.components
    let clock = (date.clock ?? "00:00").split(separator: ":").compactMap { Int($0) }
    let (hour, minute) = (clock.first ?? 0, clock.last ?? 0)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return switch token {
    case "YYYY": "\(year)"
    case "YY": two(year % 100)
    case "MMMM": names.months[month - 1]
    case "MMM": names.shortMonths[month - 1]
    case "MM": two(month)
    case "M": "\(month)"
    case "DD": two(number)
    case "D": "\(number)"
    case "dddd": names.weekdays[day.weekday - 1]
    case "ddd": names.shortWeekdays[day.weekday - 1]
    case "HH": two(hour)
    case "H": "\(hour)"
    case "hh": two((hour + 11) % 12 + 1)
    case "h": "\((hour + 11) % 12 + 1)"
    case "mm": two(minute)
    case "m": "\(minute)"
    case "ss": two((date.seconds ?? 0) % 60)
    case "A": hour < 12 ? "AM" : "PM"
    case "a": hour < 12 ? "am" : "pm"
    default: nil
    }
  }
}
