import DiaryCore
import DiaryKit
import Foundation

/// What people type in the place of a command: a day or a number to read, or `WHEN: TEXT` to write.
enum NaturalWords {
  /// The command line that is meant; `nil` when the words begin with neither.
  ///
  /// - Parameter options: what stands before the words.
  static func command(_ options: [String], _ words: [String]) -> [String]? {
    writing(options, words) ?? reading(options, words)
  }

  /// `yesterday: Rain and soup.` becomes a new entry of that day; without a text, the editor opens.
  private static func writing(_ options: [String], _ words: [String]) -> [String]? {
    guard let table = OptionTable.of["new"] else { return nil }
    let (own, texts) = table.split(words)
    let line = texts.joined(separator: " ")
    // A colon that ends a word: the one in 9:30 does not.
    for at in line.indices where line[at] == ":" {
      let after = line.index(after: at)
      guard after == line.endIndex || line[after].isWhitespace else { continue }
      let day = String(line[..<at])
      guard isSingle(when(day)) else { continue }
      let text = line[after...].drop { $0.isWhitespace }
      let message = text.isEmpty ? [] : ["--message=\(text)"]
      // What is written today has a time, too.
      let isNow = ["today", "now", "오늘", "지금"].contains(day.lowercased())
      return ["new"] + options + (isNow ? [] : ["--date=\(day)"]) + message + own
    }
    return nil
  }

  /// A day shows its entries, a number its entry; what is longer than a day is listed.
  private static func reading(_ options: [String], _ words: [String]) -> [String]? {
    guard let table = OptionTable.of["show"] else { return nil }
    let (own, texts) = table.split(words)
    let line = texts.joined(separator: " ")
    switch when(line) {
    case .versionsAgo where line.first != "0": return ["show"] + options + own + [line]
    case .days(let days):
      return [days.isOneDay ? "show" : "list"] + options + ["--on=\(line)"] + own
    default: break
    }
    // `2026-11-21.2`, the second entry of a day.
    guard case .nth = EntryReference(reading: line, date: when) else { return nil }
    return ["show"] + options + own + [line]
  }

  private static func isSingle(_ when: DateExpression?) -> Bool {
    switch when {
    case .days(let days): days.isOneDay
    case .moment: true
    default: false
    }
  }

  /// Which day it is does not matter here: the command that is meant finds it out.
  private static func when(_ text: String) -> DateExpression? {
    let now = Int(Date().timeIntervalSince1970)
    guard let today = EntryDate(instant: now, offset: 0)?.date else { return nil }
    if let when = DateExpression(reading: text, today: today, now: now, zone: .gmt) { return when }
    return ReaderLocale().day(printed: text).map { .days($0...$0) }
  }
}

extension OptionTable {
  /// The options among the words, with their values, and the other words.
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
