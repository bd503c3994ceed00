import DiaryCore
import Foundation
import GRDB

extension ListFilter {
  /// Terms over the columns of `entry`, joined by AND, with their arguments; ignored entries are
  /// left out always.
  var condition: (sql: String, values: [DatabaseValue]) {
    var terms = ["entry.ignored IS NOT 1"]
    var arguments: [DatabaseValue] = []
    func add(_ term: String, _ values: [DatabaseValue]) {
      terms.append(term)
      arguments += values
    }
    if let since { add("entry.day >= ?", [since.ordinal.databaseValue]) }
    if let until { add("entry.day <= ?", [until.ordinal.databaseValue]) }
    if let from { add("entry.instant >= ?", [from.databaseValue]) }
    if let before { add("entry.instant < ?", [before.databaseValue]) }
    for tag in tags {
      let folded = SearchText.fold(tag.hasPrefix("#") ? String(tag.dropFirst()) : tag)
      add(
        """
        entry.id IN
          (SELECT entry FROM tag WHERE folded = ? OR (folded > ? AND folded < ?))
        """,
        // "0" is the byte after "/": what lies between are the tags below this one.
        [blob(folded), blob(folded + [UInt8(ascii: "/")]), blob(folded + [UInt8(ascii: "0")])])
    }
    if let weather {
      let folded = SearchText.fold(weather)
      if let group = Condition.allCases.first(where: { SearchText.fold($0.rawValue) == folded }) {
        add("entry.condition = ?", [group.rawValue.databaseValue])
      } else {
        add("instr(entry.folded_weather, ?) > 0", [blob(folded)])
      }
    }
    return (terms.joined(separator: " AND "), arguments)
  }

  /// Whether every entry passes.
  var takesAll: Bool {
    since == nil && until == nil && from == nil && before == nil && tags.isEmpty && weather == nil
  }

  /// The part of an ordered answer that is wanted.
  func page<All: RandomAccessCollection>(of all: All) -> All.SubSequence {
    all.dropFirst(max(offset, 0)).prefix(limit.map { max($0, 0) } ?? .max)
  }
}
