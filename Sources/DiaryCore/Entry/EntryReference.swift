import Foundation

/// What names an entry on the command line, as it was written; which entries it means is found out
/// where the journal is.
package enum EntryReference: Hashable, Sendable {
  /// Its place in the whole list, 1 the newest.
  case number(Int)
  /// The entries of these days, or of the minute (`moment`).
  case date(DateExpression)
  /// `2026-11-21.2`: so many entries into a day, in time, 1 the first.
  case nth(Int, of: Day)
  /// A file: relative to the current folder, else to the journal. Words of a title may look so too
  /// (`and/or`); they are meant when there is no such file.
  case path(String)
  /// Words of a title.
  case title(String)

  /// Reads it in the light of the diary's `today` and the moment `now`; `nil` when it is empty.
  package init?(reading text: String, today: Day, now: Int, zone: TimeZone) {
    self.init(reading: text) { DateExpression(reading: $0, today: today, now: now, zone: zone) }
  }

  /// Reads it; `date` says what a date means. `nil` when it is empty.
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

  private static func nth(_ text: String, _ when: (String) -> DateExpression?) -> EntryReference? {
    guard let point = text.lastIndex(of: "."),
      let number = Int(text[text.index(after: point)...]), number > 0,
      case .days(let days) = when(String(text[..<point])), days.isOneDay
    else { return nil }
    return .nth(number, of: days.lowerBound)
  }

  /// Whether it names a year in four digits, as the dates that Diary prints do: `Sun, Nov 22, 2026`.
  private static func hasYear(_ text: String) -> Bool {
    text.split { !($0.isASCII && $0.isNumber) }.contains { $0.count == 4 }
  }

  /// A month's or a weekday's name alone is rather a word of a title, and so is a time.
  private static func isDate(_ text: String) -> Bool {
    let text = (KoreanDatePhrase(text)?.english ?? text).lowercased()
    if text.first?.isNumber == true {
      let isSlashed = text.utf8.contains(UInt8(ascii: "/"))
      return isSlashed || text.hasSuffix(" ago") || DateReader(text.utf8).hasDatePrefix
    }
    let first = text.split(separator: " ").first ?? ""
    return ["today", "yesterday", "tomorrow", "last", "this", "next", "day"].contains(first)
      || text.hasSuffix(" ago")
  }
}

extension DateReader {
  /// Whether it begins with a year and a mark, or with eight digits or more.
  var hasDatePrefix: Bool {
    let width = digitCount(from: position)
    return width >= 8 || (width == 4 && peek(4).map { "-/.".utf8.contains($0) } == true)
  }
}
