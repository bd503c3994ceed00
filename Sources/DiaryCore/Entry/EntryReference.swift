import Foundation

/// A reference to an entry on the command line, as it was written. The journal finds the entries
/// that it matches.
package enum EntryReference: Hashable, Sendable {
  /// The position in the whole list, 1 for the newest.
  case number(Int)
  /// The positions of a range, as in `1..3`. `1-3` may be a date.
  case numbers(ClosedRange<Int>)
  /// The entries of these days, or of the minute (`moment`).
  case date(DateExpression)
  /// The entry of a day by time, 1 for the first: `2026-11-21.2`.
  case nth(Int, of: Day)
  /// A file: relative to the current folder, else to the journal. A title may look like a path, too
  /// (`and/or`); it is used if there is no such file.
  case path(String)
  /// Words of a title.
  case title(String)

  /// Parses a text relative to the diary's `today` and the time `now`; `nil` if it is empty.
  package init?(reading text: String, today: Day, now: Int, zone: TimeZone) {
    self.init(reading: text) { DateExpression(reading: $0, today: today, now: now, zone: zone) }
  }

  /// Parses a text, with `date` as the parser of dates; `nil` if it is empty.
  package init?(reading text: String, date: (String) -> DateExpression?) {
    let text = trimmed(text)
    guard !text.isEmpty else { return nil }
    func when(_ text: String) -> DateExpression? {
      guard let when = date(text) else { return nil }
      switch when {
      case .days(let days):
        let isWhole = days.isOneDay && EntryReference.hasYear(text)
        return isWhole || EntryReference.isDate(text) ? when : nil
      case .moment: return EntryReference.isDate(text) ? when : nil
      case .versionsAgo, .commit: return nil
      }
    }
    let isDigits = text.utf8.allSatisfy { $0.isDigit }
    if isDigits, text.utf8.count < 8, let number = Int(text), number > 0 {
      self = .number(number)
    } else if let range = EntryReference.range(text) {
      self = .numbers(range)
    } else if let nth = EntryReference.nth(text, when) {
      self = nth
    } else if let when = when(text) {
      self = .date(when)
    } else if isDigits, let number = Int(text), number > 0 {
      self = .number(number)
    } else if text.utf8.contains(UInt8(ascii: "/")) || EntryPath(text)?.isMarkdown == true {
      self = .path(text)
    } else {
      self = .title(text)
    }
  }

  private static func range(_ text: String) -> ClosedRange<Int>? {
    guard let match = text.wholeMatch(of: /([1-9][0-9]{0,6})\.\.([1-9][0-9]{0,6})/),
      let first = Int(match.1), let last = Int(match.2)
    else { return nil }
    return min(first, last)...max(first, last)
  }

  private static func nth(_ text: String, _ when: (String) -> DateExpression?) -> EntryReference? {
    guard let point = text.lastIndex(of: "."),
      let number = Int(text[text.index(after: point)...]), number > 0,
      case .days(let days) = when(String(text[..<point])), days.isOneDay
    else { return nil }
    return .nth(number, of: days.lowerBound)
  }

  /// True if it contains a four-digit year, like dates that Diary prints: `Sun, Nov 22, 2026`.
  private static func hasYear(_ text: String) -> Bool {
    text.split { !($0.isASCII && $0.isNumber) }.contains { $0.count == 4 }
  }

  /// True for a date. A month, a weekday or a time alone is more likely a word of a title.
  private static func isDate(_ text: String) -> Bool {
    let text = (KoreanDatePhrase(text)?.english ?? text).lowercased()
    if text.first?.isNumber == true {
      let isSlashed = text.utf8.contains(UInt8(ascii: "/"))
      let isOrdinal = ["st", "nd", "rd", "th"].contains { text.hasSuffix($0) }
      return isSlashed || (isOrdinal && !text.contains(" ")) || text.hasSuffix(" ago")
        || DateReader(text.utf8).hasDatePrefix
    }
    let first = text.split(separator: " ").first ?? ""
    let starts: Set<Substring> = [
      "today", "tonight", "yesterday", "tomorrow", "last", "this", "next", "day", "the",
    ]
    return starts.contains(first) || text.hasSuffix(" ago")
  }
}

extension DateReader {
  /// True if it begins with a year and a separator, or with eight or more digits.
  var hasDatePrefix: Bool {
    let width = digitCount(from: position)
    return width >= 8 || (width == 4 && peek(4).map { "-/.".utf8.contains($0) } == true)
  }
}
