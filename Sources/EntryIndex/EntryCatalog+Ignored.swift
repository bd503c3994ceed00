import DiaryCore
import Foundation
import GRDB

extension EntryCatalog {
  /// The entries of which nobody has said yet whether git ignores them, by path. Until somebody
  /// does, they are listed.
  public func pathsWithUnknownIgnore() throws(CatalogError) -> [EntryPath] {
    try ask("look into") { database in
      try Data.fetchAll(
        database, sql: "SELECT path FROM entry WHERE ignored IS NULL ORDER BY path"
      ).map {
        guard let path = EntryPath(bytes: $0) else { throw UnreadableRow() }
        return path
      }
    }
  }

  /// The entries that git ignores, by path.
  public func ignoredPaths() throws(CatalogError) -> [EntryPath] {
    try ask("look into") { database in
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
  public func setIgnored(_ answers: [EntryPath: Bool]) throws(CatalogError) {
    guard !answers.isEmpty else { return }
    try tell { database in
      let statement = try database.cachedStatement(
        sql: "UPDATE entry SET ignored = ? WHERE id = (SELECT entry FROM file WHERE path = ?)")
      let rows = EntryRows(database: database)
      for (path, isIgnored) in answers {
        if isIgnored { try rows.noteLine(path) }
        try statement.execute(arguments: [isIgnored ? 1 : 0, Data(path.bytes)])
      }
    }
  }

  /// Makes every answer unknown again: an ignore file has changed.
  public func forgetIgnored() throws(CatalogError) {
    try tell { database in
      try Schema.count(database, .lines)
      try database.execute(
        sql: "INSERT OR IGNORE INTO relisted(path) SELECT path FROM entry WHERE ignored = 1")
      try database.execute(sql: "UPDATE entry SET ignored = NULL WHERE ignored IS NOT NULL")
    }
  }

  /// A remark of the caller's that is lost with the catalogue, such as what the ignore files looked
  /// like when they were last asked.
  public func remark(_ name: String) throws(CatalogError) -> String? {
    try ask("look into") { try Schema.fact($0, Schema.remark(name)) }
  }

  /// Keeps a remark beside the entries.
  public func setRemark(_ name: String, _ value: String) throws(CatalogError) {
    try tell { try Schema.setFact($0, Schema.remark(name), value) }
  }

  /// Writes in one transaction; where the file has become unusable, gives it up.
  func tell(_ work: (Database) throws -> Void) throws(CatalogError) {
    let store = store
    do {
      try store.queue.write(work)
    } catch let error where isDamage(error) && store.name != nil {
      file.forget(store.name)
      throw .damaged(path: path)
    } catch {
      throw CatalogError("write to the index", path: path, error)
    }
  }
}
