import DiaryCore
import DiaryKit
import Foundation

/// Reads input without a command: a day, a number or `@name` shows entries, `WHEN: TEXT` writes one.
enum ImplicitCommand {
  /// The equivalent command line; `nil` if the words have neither form.
  ///
  /// - Parameter options: the options before the words.
  static func arguments(_ options: [String], _ words: [String]) -> [String]? {
    newArguments(options, words) ?? showArguments(options, words)
  }

  /// Makes `yesterday: Rain and soup.` a new entry of that day; without a text, the editor opens.
  private static func newArguments(_ options: [String], _ words: [String]) -> [String]? {
    guard let table = OptionTable.byCommand["new"] else { return nil }
    let (givenOptions, texts) = table.split(words)
    let line = texts.joined(separator: " ")
    // Only a colon at the end of a word counts, not the one in 9:30.
    for at in line.indices where line[at] == ":" {
      let after = line.index(after: at)
      guard after == line.endIndex || line[after].isWhitespace else { continue }
      let day = String(line[..<at])
      guard isSingleDay(dateExpression(day)) else { continue }
      let text = line[after...].drop { $0.isWhitespace }
      let message = text.isEmpty ? [] : ["--message=\(text)"]
      // An entry of today has no `--date`, so that it also gets the current time.
      let isNow = ["today", "now", "오늘", "지금", "방금"].contains(day.lowercased())
      return ["new"] + options + (isNow ? [] : ["--date=\(day)"]) + message + givenOptions
    }
    return nil
  }

  /// Shows the entries of a day or with `@name`, or the entry of a number; lists the entries of a
  /// longer time span.
  private static func showArguments(_ options: [String], _ words: [String]) -> [String]? {
    guard let table = OptionTable.byCommand["show"] else { return nil }
    let (givenOptions, texts) = table.split(words)
    let line = texts.joined(separator: " ")
    if !texts.isEmpty, texts.allSatisfy({ $0.count > 1 && $0.hasPrefix("@") }) {
      return ["search"] + options + ["--full"] + givenOptions + texts
    }
    switch dateExpression(line) {
    case .versionsAgo where line.first != "0": return ["show"] + options + givenOptions + [line]
    case .days(let days):
      return [days.isOneDay ? "show" : "list"] + options + ["--on=\(line)"] + givenOptions
    default: break
    }
    switch EntryReference(reading: line, date: dateExpression) {
    // `2026-11-21.2`, the second entry of a day, and `1..3`.
    case .nth, .numbers: return ["show"] + options + givenOptions + [line]
    default: return nil
    }
  }

  /// True for a day or a moment.
  static func isSingleDay(_ when: DateExpression?) -> Bool {
    switch when {
    case .days(let days): days.isOneDay
    case .moment: true
    default: false
    }
  }

  /// Parses a date. The current day does not matter, because the command parses the text again.
  static func dateExpression(_ text: String) -> DateExpression? {
    let now = Int(Date().timeIntervalSince1970)
    guard let today = EntryDate(instant: now, offset: 0)?.date else { return nil }
    if let when = DateExpression(reading: text, today: today, now: now, zone: .gmt) { return when }
    return UserLocale().day(parsing: text).map { .days($0...$0) }
  }
}

extension OptionTable {
  /// Separates the options, with their values, from the other words.
  fileprivate func split(_ words: [String]) -> (options: [String], texts: [String]) {
    var options: [String] = []
    var texts: [String] = []
    var rest = words[...]
    while let word = rest.first {
      let count = word.hasPrefix("-") ? argumentCount(word) ?? 0 : 0
      if count == 0 { texts.append(word) }
      options += rest.prefix(count)
      rest = rest.dropFirst(max(1, count))
    }
    return (options, texts)
  }
}
