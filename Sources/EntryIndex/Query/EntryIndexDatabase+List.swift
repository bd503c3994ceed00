import DiaryCore
import Foundation
import GRDB

extension EntryIndexDatabase {
  /// The entries that match the filter, newest first: by day, then instant, then path, all
  /// descending. Undated entries come last.
  package func list(_ filter: ListFilter = ListFilter()) throws(IndexError) -> [EntrySummary] {
    try read("list the entries of") { try ListQueries.entries($0, filter) }
  }

  /// The number of entries in the whole list.
  package func count() throws(IndexError) -> Int {
    try read("count the entries of") { try ListQueries.count($0) }
  }

  /// A string that changes when the order, a title, a day or a condition in the list may have
  /// changed, also after ``rebuild()``.
  package func listVersion() throws(IndexError) -> String {
    let name = connection.name ?? "memory"
    return try read("look into") {
      try name + " " + (Schema.value($0, Schema.listVersionKey) ?? "")
    }
  }

  /// The entry with this number in the whole list.
  package func entry(at number: Int) throws(IndexError) -> EntrySummary? {
    guard number > 0 else { return nil }
    return try list(ListFilter(limit: 1, offset: number - 1)).first
  }

  /// The entry with this path, unless it is ignored.
  package func entry(at path: EntryPath) throws(IndexError) -> EntrySummary? {
    try read("look into") {
      try ListQueries.entries(
        $0, where: "entry.id = (SELECT entry FROM file WHERE path = ?)",
        [Data(path.bytes).databaseValue]
      ).first
    }
  }

  /// The entries of a day, newest first.
  package func entries(on day: Day) throws(IndexError) -> [EntrySummary] {
    try list(ListFilter(since: day, until: day))
  }

  /// The entries of several days, newest first.
  package func entries(onAnyOf days: [Day]) throws(IndexError) -> [EntrySummary] {
    let placeholders = days.map { _ in "?" }.joined(separator: ", ")
    return try read("list the entries of") {
      try ListQueries.entries(
        $0, where: "entry.ignored IS NOT 1 AND entry.day IN (\(placeholders))",
        days.map(\.ordinal.databaseValue))
    }
  }

  /// The entries whose folded title equals the folded `title`; if there are none, those whose title
  /// contains all of its words. Newest first.
  package func entries(titled title: String) throws(IndexError) -> [EntrySummary] {
    let folded = SearchText.fold(title)
    guard !folded.isEmpty else { return [] }
    return try read("look for a title in") { database in
      let same = try ListQueries.entries(
        database, where: "entry.folded_title = ?", [blob(folded)])
      guard same.isEmpty else { return same }
      let words = folded.split(separator: UInt8(ascii: " ")).map { blob(Array($0)) }
      let terms = words.map { _ in "instr(entry.folded_title, ?) > 0" }
      return try ListQueries.entries(database, where: terms.joined(separator: " AND "), words)
    }
  }

  /// All tags with their counts, the most used first, then by name.
  package func tags() throws(IndexError) -> [TagCount] {
    try read("count the tags of") { database in
      // In SQLite, the bare `name` of the outer query is that of the row with the greatest count.
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT name, max(spelled), sum(spelled) AS total FROM
            (SELECT folded, name, count(DISTINCT entry) AS spelled FROM tag
             WHERE entry IN (SELECT id FROM entry WHERE ignored IS NOT 1)
             GROUP BY folded, name ORDER BY folded, name)
          GROUP BY folded ORDER BY total DESC, folded
          """)
      return try rows.map { row in
        let count: Int = row[2]
        return TagCount(tag: try text(row[0]), count: count)
      }
    }
  }
}

/// The queries of the list, for use inside a transaction.
enum ListQueries {
  static func count(_ database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM entry WHERE ignored IS NOT 1") ?? 0
  }

  static func entries(_ database: Database, _ filter: ListFilter) throws -> [EntrySummary] {
    if filter.isUnfiltered { return try unfilteredEntries(database, filter) }
    if let after = filter.afterCursor, filter.isUnfilteredAfterCursor, !filter.isReversed {
      return try entriesAfterCursor(after, database, filter)
    }
    let condition = filter.condition
    let found = try numberedIDs(database, where: condition.sql, condition.values)
    let page = filter.page(of: filter.isReversed ? found.reversed() : found)
    return try entries(database, page, withPreview: filter.needsPreviews).map(\.listed)
  }

  static func entries(
    _ database: Database, where condition: String, _ values: [DatabaseValue]
  ) throws -> [EntrySummary] {
    try entries(database, numberedIDs(database, where: condition, values)[...]).map(\.listed)
  }

  /// The list without a filter: the offset gives the number, and only the page is read.
  private static func unfilteredEntries(_ database: Database, _ filter: ListFilter) throws
    -> [EntrySummary]
  {
    var (start, length) = (max(filter.offset, 0), filter.limit.map { max($0, 0) } ?? -1)
    if filter.isReversed {
      let total = try count(database)
      let positions = filter.page(of: 0..<total)
      guard let last = positions.last else { return [] }
      (start, length) = (total - 1 - last, positions.count)
    }
    let listed = try entries(
      database, numberedFrom: start, withPreview: filter.needsPreviews,
      "ORDER BY \(Schema.newestFirst) LIMIT ? OFFSET ?",
      [length.databaseValue, start.databaseValue], length)
    return filter.isReversed ? listed.reversed() : listed
  }

  /// The rows after the cursor. The index `newest` counts the rows before it.
  private static func entriesAfterCursor(
    _ after: ListCursor, _ database: Database, _ filter: ListFilter
  ) throws -> [EntrySummary] {
    let above = try Int.fetchOne(
      database,
      sql: "SELECT count(*) FROM entry WHERE ignored IS NOT 1 AND NOT \(after.sql)",
      arguments: StatementArguments(after.values))
    let start = (above ?? 0) + max(filter.offset, 0)
    let length = filter.limit.map { max($0, 0) } ?? -1
    return try entries(
      database, numberedFrom: start, withPreview: filter.needsPreviews,
      "AND \(after.sql) ORDER BY \(Schema.newestFirst) LIMIT ? OFFSET ?",
      after.values + [length.databaseValue, max(filter.offset, 0).databaseValue], length)
  }

  /// The entries of a query whose result is in list order.
  private static func entries(
    _ database: Database, numberedFrom start: Int, withPreview: Bool, _ end: String,
    _ values: [DatabaseValue], _ length: Int
  ) throws -> [EntrySummary] {
    let row = try RawStatement(
      database,
      sql: "SELECT \(EntrySummary.columns(withPreview: withPreview)) FROM entry "
        + "WHERE ignored IS NOT 1 " + end, values)
    let tags = try TagLookup(database, isWhole: length < 0 || length > 100)
    var listed: [EntrySummary] = []
    while try row.next() {
      listed.append(
        try EntrySummary(row, tags, number: start + listed.count + 1, withPreview: withPreview))
    }
    return listed
  }

  private static func numberedIDs(
    _ database: Database, where condition: String, _ values: [DatabaseValue]
  ) throws -> [NumberedID] {
    let ids = try RawStatement(
      database, sql: "SELECT id FROM entry WHERE \(condition)", values)
    var wanted: Set<Int64> = []
    while try ids.next() { wanted.insert(try ids.number(0)) }
    return try numberedIDs(database, of: wanted)
  }

  /// The entries with these ids, in the given order.
  static func entries(
    _ database: Database, _ numberedIDs: ArraySlice<NumberedID>, withPreview: Bool = true
  ) throws -> [(id: Int64, listed: EntrySummary)] {
    let columns = EntrySummary.columns(withPreview: withPreview)
    let row = try RawStatement(database, sql: "SELECT \(columns) FROM entry WHERE id = ?")
    let tags = try TagLookup(database, isWhole: numberedIDs.count > 100)
    return try numberedIDs.map { place in
      row.reset()
      row.bind(1, place.id)
      guard try row.next() else { throw UnreadableRow() }
      return (place.id, try EntrySummary(row, tags, number: place.number, withPreview: withPreview))
    }
  }
}

extension ListQueries {
  /// An entry's id and its number in the whole list.
  struct NumberedID {
    let id: Int64
    let number: Int
  }

  /// The numbers of the given entries, newest first, without ignored entries. It reads all ids in
  /// order from the index `newest`, without access to the `entry` table.
  static func numberedIDs(_ database: Database, of wanted: Set<Int64>) throws -> [NumberedID] {
    guard !wanted.isEmpty else { return [] }
    let ids = try RawStatement(
      database, sql: "SELECT id FROM entry WHERE ignored IS NOT 1 ORDER BY \(Schema.newestFirst)")
    var found: [NumberedID] = []
    found.reserveCapacity(wanted.count)
    var number = 0
    while found.count < wanted.count, try ids.next() {
      let id = try ids.number(0)
      number += 1
      if wanted.contains(id) { found.append(NumberedID(id: id, number: number)) }
    }
    return found
  }
}
