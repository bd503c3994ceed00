import Foundation
import GRDB

/// The tables, and the key that identifies their format and settings.
enum Schema {
  /// Increased when the tables, the folding or the meaning of a column change.
  static let version = 13

  /// `file` describes the file on disk, `entry` its parsed values. Texts are in separate tables:
  /// the list reads none of them, the search only the folded ones. Texts are blobs because they may
  /// contain NUL, and paths need not be UTF-8.
  private static let tables = """
    CREATE TABLE fact(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE file(
      path BLOB PRIMARY KEY, entry INTEGER NOT NULL, size INTEGER NOT NULL,
      modified INTEGER NOT NULL, inode INTEGER NOT NULL, mode INTEGER NOT NULL,
      read_at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE entry(
      id INTEGER PRIMARY KEY, path BLOB NOT NULL, title BLOB, folded_title BLOB,
      date INTEGER, seconds INTEGER, zone INTEGER, instant INTEGER, day INTEGER,
      weather BLOB, folded_weather BLOB, condition TEXT, celsius REAL, place BLOB,
      starred INTEGER NOT NULL, words INTEGER NOT NULL, preview BLOB, ignored INTEGER);
    CREATE TABLE tag(
      entry INTEGER NOT NULL, position INTEGER NOT NULL, name BLOB NOT NULL, folded BLOB,
      PRIMARY KEY(entry, position)) WITHOUT ROWID;
    CREATE TABLE source(entry INTEGER PRIMARY KEY, header BLOB, body BLOB);
    CREATE TABLE folded(entry INTEGER PRIMARY KEY, text BLOB NOT NULL);
    """

  /// Created after the rows, indexes cost a fraction of the time.
  static let indexes = """
    CREATE INDEX newest ON entry(day DESC, instant DESC, path DESC) WHERE ignored IS NOT 1;
    CREATE INDEX unasked ON entry(path) WHERE ignored IS NULL;
    CREATE INDEX tagged ON tag(folded);
    """

  /// The key that is set after the first full update.
  static let completeKey = "complete"

  /// The key of a counter that is incremented by every change of the list's order, or of a value
  /// that it shows. A caller that has written the list compares it to detect changes.
  static let listVersionKey = "lines"

  /// The key of a caller's metadata.
  static func metadataKey(_ name: String) -> String { "remark " + name }

  /// The sort order: newest first. Undated entries, whose day is NULL, come last.
  static let newestFirst = "day DESC, instant DESC, path DESC"

  /// Creates the empty tables. Without `indexed`, the caller adds the indexes after filling them.
  static func create(_ database: Database, key: String, indexed: Bool = true) throws {
    try database.execute(sql: tables)
    if indexed { try database.execute(sql: indexes) }
    try setValue(database, "key", key)
    try setValue(database, listVersionKey, "0")
  }

  static func incrementListVersion(_ database: Database) throws {
    let statement = try database.cachedStatement(
      sql: "UPDATE fact SET value = value + 1 WHERE name = ?")
    try statement.execute(arguments: [listVersionKey])
  }

  static func key(_ database: Database) throws -> String? { try value(database, "key") }

  static func value(_ database: Database, _ name: String) throws -> String? {
    try String.fetchOne(
      database, sql: "SELECT value FROM fact WHERE name = ?", arguments: [name])
  }

  static func setValue(_ database: Database, _ name: String, _ value: String) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO fact(name, value) VALUES(?, ?)", arguments: [name, value])
  }
}
