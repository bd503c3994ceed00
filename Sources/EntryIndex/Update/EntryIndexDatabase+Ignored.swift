import DiaryCore
import Foundation
import GRDB

extension EntryIndexDatabase {
  /// The entries of which nobody has said yet whether git ignores them, by path. Until somebody
  /// does, they are listed.
  package func pathsWithUnknownIgnore() throws(IndexError) -> [EntryPath] {
    try read("look into") { database in
      try Data.fetchAll(
        database, sql: "SELECT path FROM entry WHERE ignored IS NULL ORDER BY path"
      ).map {
        guard let path = EntryPath(bytes: $0) else { throw UnreadableRow() }
        return path
      }
    }
  }

  /// The entries that git ignores, by path.
  package func ignoredPaths() throws(IndexError) -> [EntryPath] {
    try read("look into") { database in
      try Data.fetchAll(
        database,
        sql: "SELECT path FROM entry WHERE ignored = 1 ORDER BY path"
      ).map {
        guard let path = EntryPath(bytes: $0) else { throw UnreadableRow() }
        return path
      }
    }
  }

  /// Remembers which entries git ignores; these are never listed, counted or found.
  package func setIgnored(_ answers: [EntryPath: Bool]) throws(IndexError) {
    guard !answers.isEmpty else { return }
    try write { database in
      let statement = try database.cachedStatement(
        sql: "UPDATE entry SET ignored = ? WHERE id = (SELECT entry FROM file WHERE path = ?)")
      let rows = EntryRows(database: database)
      for (path, isIgnored) in answers {
        if isIgnored { try rows.markListChanged() }
        try statement.execute(arguments: [isIgnored ? 1 : 0, Data(path.bytes)])
      }
    }
  }

  /// Makes every answer unknown again: an ignore file has changed.
  package func clearIgnored() throws(IndexError) {
    try write { database in
      try Schema.incrementListVersion(database)
      try database.execute(sql: "UPDATE entry SET ignored = NULL WHERE ignored IS NOT NULL")
    }
  }

  /// A remark of the caller's that is lost with the catalogue, such as what the ignore files looked
  /// like when they were last asked.
  package func metadata(_ name: String) throws(IndexError) -> String? {
    try read("look into") { try Schema.value($0, Schema.metadataKey(name)) }
  }

  /// Keeps a remark beside the entries.
  package func setMetadata(_ name: String, _ value: String) throws(IndexError) {
    try write { try Schema.setValue($0, Schema.metadataKey(name), value) }
  }

  /// Writes in one transaction; where the file has become unusable, gives it up.
  func write(_ work: (Database) throws -> Void) throws(IndexError) {
    let store = connection
    do {
      try store.queue.write(work)
    } catch let error where isCorruption(error) && store.name != nil {
      file.removeLink(to: store.name)
      throw .damaged(path: path)
    } catch {
      throw IndexError("write to the index", path: path, error)
    }
  }
}
