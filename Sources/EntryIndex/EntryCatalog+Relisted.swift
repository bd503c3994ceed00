import DiaryCore
import Foundation
import GRDB

/// What of the whole list is not as it was when somebody last wrote it down.
public struct ListChanges: Sendable {
  /// A line that the list has now.
  public struct Line: Sendable {
    /// What it shows; which number it has in the list is not counted.
    public var entry: ListedEntry
    /// Whose line comes just before it; `nil` for the first.
    public var before: EntryPath?
  }

  /// Every path whose line is another one, or is gone.
  public var paths: [EntryPath]
  /// The lines that these paths have now, in the order of the list.
  public var lines: [Line]
  /// How many lines the list has.
  public var count: Int
}

extension EntryCatalog {
  /// A number that is another one whenever the list's order, or a title, a day or a condition in it,
  /// may have changed; also after ``rebuild()``.
  public func lineCount() throws(CatalogError) -> String {
    let store = store
    return try ask("look into") { try store.lineCount($0) }
  }

  /// What has changed since the last ``noteList(_:as:)``, whose remark tells whether there was one;
  /// `nil` when it is not worth the while, or cannot be told one by one.
  public func listChanges() throws(CatalogError) -> ListChanges? {
    try ask("look into") { database in
      let paths = try Data.fetchAll(database, sql: "SELECT path FROM relisted LIMIT 101")
      guard paths.count <= 100 else { return nil }
      let lines = try Listing.relisted(database)
      // Those without a day or a time are compared by no index.
      guard lines.allSatisfy({ $0.day != nil && $0.date != nil }) else { return nil }
      return ListChanges(
        paths: try paths.map { bytes in
          guard let path = EntryPath(bytes: bytes) else { throw UnreadableRow() }
          return path
        },
        lines: try lines.map { entry in
          ListChanges.Line(entry: entry, before: try Listing.path(database, before: entry))
        },
        count: try Listing.count(database))
    }
  }

  /// Remembers that the list was written down as it was at `count`, with a remark about how; not when
  /// it has changed since.
  public func noteList(_ count: String, as remark: (name: String, value: String))
    throws(CatalogError)
  {
    let store = store
    try tell { database in
      guard try store.lineCount(database) == count else { return }
      try database.execute(sql: "DELETE FROM relisted")
      try Schema.setFact(database, Schema.remark(remark.name), remark.value)
    }
  }
}

extension CatalogStore {
  fileprivate func lineCount(_ database: Database) throws -> String {
    let counted = try Schema.fact(database, Schema.Counter.lines.rawValue)
    return (name ?? "memory") + " " + (counted ?? "")
  }
}

extension Listing {
  /// The entries whose lines have changed, newest first.
  fileprivate static func relisted(_ database: Database) throws -> [ListedEntry] {
    let row = try DirectStatement(
      database,
      sql: """
        SELECT \(ListedEntry.columns(withPreview: false)) FROM entry
        WHERE id IN (SELECT file.entry FROM relisted JOIN file ON file.path = relisted.path)
        AND ignored IS NOT 1 ORDER BY \(Schema.newestFirst)
        """)
    let tags = try KnownTags(database, isWhole: false)
    var found: [ListedEntry] = []
    while try row.next() {
      found.append(try ListedEntry(row, tags, number: 0, withPreview: false))
    }
    return found
  }

  /// The path of the entry that stands just before this one in the list.
  fileprivate static func path(
    _ database: Database, before entry: ListedEntry
  ) throws -> EntryPath? {
    let row = try DirectStatement(
      database,
      sql: """
        SELECT path FROM entry WHERE ignored IS NOT 1 AND (day, instant, path) > (?, ?, ?)
        ORDER BY day, instant, path LIMIT 1
        """,
      [
        (entry.day?.ordinal).databaseValue, (entry.date?.instant).databaseValue,
        Data(entry.path.bytes).databaseValue,
      ])
    return try row.next() ? try row.path(0) : nil
  }
}
