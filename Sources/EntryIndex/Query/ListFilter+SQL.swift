import DiaryCore
import Foundation
import GRDB

extension ListFilter {
  /// Conditions on the columns of `entry`, joined by AND, and their arguments. Ignored entries are
  /// always excluded.
  var condition: (sql: String, values: [DatabaseValue]) {
    var terms = ["entry.ignored IS NOT 1"]
    var arguments: [DatabaseValue] = []
    func add(_ term: String, _ values: [DatabaseValue]) {
      terms.append(term)
      arguments += values
    }
    if let since { add("entry.day >= ?", [since.ordinal.databaseValue]) }
    if let until { add("entry.day <= ?", [until.ordinal.databaseValue]) }
    if let fromInstant { add("entry.instant >= ?", [fromInstant.databaseValue]) }
    if let beforeInstant { add("entry.instant < ?", [beforeInstant.databaseValue]) }
    func addTags(_ tags: [String], _ relation: String = "IN") {
      let (sql, values) = tagCondition(tags)
      add("entry.id \(relation) (SELECT entry FROM tag WHERE \(sql))", values)
    }
    for tag in tags { addTags([tag]) }
    if !anyTags.isEmpty { addTags(anyTags) }
    if !withoutTags.isEmpty { addTags(withoutTags, "NOT IN") }
    if isStarred { add("entry.starred", []) }
    if showsFiles {
      add(
        "entry.id IN (SELECT entry FROM source WHERE instr(body, ?) OR instr(body, ?))",
        [blob("!["), blob("<img")])
    }
    if let afterCursor { add(afterCursor.sql, afterCursor.values) }
    if let throughCursor { add("NOT " + throughCursor.sql, throughCursor.values) }
    if let weather {
      let folded = SearchText.fold(weather)
      if let weatherCondition {
        add(
          "(entry.condition = ? OR instr(entry.folded_weather, ?) > 0)",
          [weatherCondition.rawValue.databaseValue, blob(folded)])
      } else if let group = Condition.allCases.first(where: {
        SearchText.fold($0.rawValue) == folded
      }) {
        add("entry.condition = ?", [group.rawValue.databaseValue])
      } else {
        add("instr(entry.folded_weather, ?) > 0", [blob(folded)])
      }
    }
    return (terms.joined(separator: " AND "), arguments)
  }

  /// The condition for rows with one of the tags, or with a tag below it.
  private func tagCondition(_ tags: [String]) -> (sql: String, values: [DatabaseValue]) {
    // An `@` may be part of a tag's name in a header.
    let tags = tags.flatMap { tag in
      let name = String(tag.drop { $0 == "#" })
      return tag.hasPrefix("@") ? [name, String(name.dropFirst())] : [name]
    }
    let term = "folded = ? OR (folded > ? AND folded < ?)"
    let values = tags.flatMap { tag in
      let folded = SearchText.fold(tag)
      // "0" is the byte after "/", so this range contains exactly the tags below this one.
      return [
        blob(folded), blob(folded + [UInt8(ascii: "/")]), blob(folded + [UInt8(ascii: "0")]),
      ]
    }
    return (tags.map { _ in term }.joined(separator: " OR "), values)
  }

  /// True if every entry matches.
  var isUnfiltered: Bool { afterCursor == nil && isUnfilteredAfterCursor }

  /// True if every entry after the cursor ``after`` matches.
  var isUnfilteredAfterCursor: Bool {
    throughCursor == nil && since == nil && until == nil && fromInstant == nil
      && beforeInstant == nil && weather == nil && !isStarred && !showsFiles && tags.isEmpty
      && anyTags.isEmpty && withoutTags.isEmpty
  }

  /// The part of an ordered result that is selected by offset and limit.
  func page<All: RandomAccessCollection>(of all: All) -> All.SubSequence {
    all.dropFirst(max(offset, 0)).prefix(limit.map { max($0, 0) } ?? .max)
  }
}

extension ListCursor {
  /// The condition for the rows after the cursor. Undated entries come last.
  var sql: String {
    day == nil
      ? "(entry.day IS NULL AND entry.path < ?)"
      : "((entry.day, entry.instant, entry.path) < (?, ?, ?) OR entry.day IS NULL)"
  }

  /// The arguments of ``sql``.
  var values: [DatabaseValue] {
    let path = blob(path.bytes)
    guard let day else { return [path] }
    return [day.ordinal.databaseValue, (instant ?? 0).databaseValue, path]
  }
}
