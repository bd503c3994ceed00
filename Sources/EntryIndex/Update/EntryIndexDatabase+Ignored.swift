import DiaryCore
import Foundation
import GRDB

extension EntryIndexDatabase {
  /// The paths of entries whose ignore status is unknown, in order. They are listed until it is
  /// set.
  package func pathsWithUnknownIgnore() throws(IndexError) -> [EntryPath] {
    try paths(where: "ignored IS NULL")
  }

  /// The paths of entries that git ignores, in order.
  package func ignoredPaths() throws(IndexError) -> [EntryPath] {
    try paths(where: "ignored = 1")
  }

  private func paths(where condition: String) throws(IndexError) -> [EntryPath] {
    try read("look into") { database in
      try Data.fetchAll(
        database, sql: "SELECT path FROM entry WHERE \(condition) ORDER BY path"
      ).map {
        guard let path = EntryPath(bytes: $0) else { throw UnreadableRow() }
        return path
      }
    }
  }

  /// Sets the ignore status of entries. Ignored entries are never listed, counted or found.
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

  /// Sets every ignore status to unknown, after a change of an ignore file.
  package func clearIgnored() throws(IndexError) {
    try write { database in
      try Schema.incrementListVersion(database)
      try database.execute(sql: "UPDATE entry SET ignored = NULL WHERE ignored IS NOT NULL")
    }
  }

  /// A caller's metadata, which is lost with the index: for example a fingerprint of the ignore
  /// files at the last query.
  package func metadata(_ name: String) throws(IndexError) -> String? {
    try read("look into") { try Schema.value($0, Schema.metadataKey(name)) }
  }

  /// Stores a caller's metadata.
  package func setMetadata(_ name: String, _ value: String) throws(IndexError) {
    try write { try Schema.setValue($0, Schema.metadataKey(name), value) }
  }

  /// Writes in one transaction. A damaged database is discarded.
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
