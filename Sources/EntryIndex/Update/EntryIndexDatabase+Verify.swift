import DiaryCore
import Foundation
import GRDB

/// A difference between the index and the files.
package struct IndexDifference: Hashable, Sendable {
  /// The kind of difference.
  package enum Kind: String, Sendable { case missing, extra, different }

  /// The path of the entry.
  package var path: EntryPath
  /// The kind of difference.
  package var kind: Kind
}

extension EntryIndexDatabase {
  /// Compares the index with entries that were all read again, and runs SQLite's integrity check.
  /// Returns the differences, ordered by path; none if the index is up to date.
  package func verify(against entries: [Entry]) throws(IndexError) -> [IndexDifference] {
    return try read("verify") { database in
      guard try String.fetchOne(database, sql: "PRAGMA integrity_check(1)") == "ok" else {
        throw UnreadableRow()
      }
      var remaining = try contents(database)
      var differences: [IndexDifference] = []
      for entry in entries {
        switch remaining.removeValue(forKey: entry.path) {
        case nil: differences.append(IndexDifference(path: entry.path, kind: .missing))
        case StoredEntry(entry): break
        default: differences.append(IndexDifference(path: entry.path, kind: .different))
        }
      }
      differences += remaining.keys.map { IndexDifference(path: $0, kind: .extra) }
      return differences.sorted { $0.path < $1.path }
    }
  }

  private func contents(_ database: Database) throws -> [EntryPath: StoredEntry] {
    var contents: [EntryPath: StoredEntry] = [:]
    for row in try Row.fetchAll(database, sql: "SELECT path, entry FROM file") {
      guard let path = EntryPath(bytes: row[0] as Data),
        let stored = try StoredEntry(database, id: row[1])
      else { throw UnreadableRow() }
      contents[path] = stored
    }
    let entries = try Int.fetchOne(database, sql: "SELECT count(*) FROM entry")
    guard entries == contents.count else { throw UnreadableRow() }
    return contents
  }
}
