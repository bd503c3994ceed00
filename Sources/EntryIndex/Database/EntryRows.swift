import DiaryCore
import Foundation
import GRDB

/// Reads and writes the rows of single entries inside a write transaction.
struct EntryRows {
  let database: Database

  /// The effect of storing one entry.
  enum Outcome { case added, changed, unchanged }

  /// Inserts or updates the rows of an entry.
  func store(_ read: ReadEntry) throws -> Outcome {
    let fresh = StoredEntry(read.entry)
    guard let known = try id(of: read.entry.path) else {
      try insert(fresh, read, ignored: nil)
      try markListChanged()
      return .added
    }
    try storeFile(read, id: known)
    let old = try StoredEntry(database, id: known)
    guard old != fresh else { return .unchanged }
    if old?.listColumns != fresh.listColumns { try markListChanged() }
    let assignments = StoredEntry.columnNames.split(separator: ", ").map { "\($0) = ?" }
    try run(
      "UPDATE entry SET \(assignments.joined(separator: ", ")) WHERE id = ?",
      fresh.columns + [known.databaseValue])
    try run("DELETE FROM tag WHERE entry = ?", [known.databaseValue])
    try storeTexts(of: fresh, id: known)
    return .changed
  }

  /// Removes the rows of a path. Returns true if there were any.
  func remove(_ path: EntryPath) throws -> Bool {
    guard let known = try id(of: path) else { return false }
    try run("DELETE FROM file WHERE path = ?", [Data(path.bytes).databaseValue])
    guard database.changesCount > 0 else { return false }
    try markListChanged()
    for sql in [
      "DELETE FROM entry WHERE id = ?", "DELETE FROM tag WHERE entry = ?",
      "DELETE FROM source WHERE entry = ?", "DELETE FROM folded WHERE entry = ?",
    ] {
      try run(sql, [known.databaseValue])
    }
    return true
  }

  /// Records that a line of the list was added, changed or removed.
  func markListChanged() throws { try Schema.incrementListVersion(database) }

  private func id(of path: EntryPath) throws -> Int64? {
    try Int64.fetchOne(
      try database.cachedStatement(sql: "SELECT entry FROM file WHERE path = ?"),
      arguments: [Data(path.bytes)])
  }

  private static let insertSQL =
    "INSERT INTO entry(\(StoredEntry.columnNames), ignored) VALUES("
    + StoredEntry.columnNames.split(separator: ",").map { _ in "?, " }.joined() + "?)"

  /// Inserts an entry that is not in the index yet; `ignored` is git's answer, `nil` if unknown.
  func insert(_ entry: StoredEntry, _ read: ReadEntry, ignored: Bool?) throws {
    try run(EntryRows.insertSQL, entry.columns + [ignored.databaseValue])
    let id = database.lastInsertedRowID
    try storeFile(read, id: id)
    try storeTexts(of: entry, id: id)
  }

  private func storeFile(_ read: ReadEntry, id: Int64) throws {
    let signature = read.signature
    try run(
      """
      INSERT OR REPLACE INTO file(path, entry, size, modified, inode, mode, read_at)
      VALUES(?, ?, ?, ?, ?, ?, ?)
      """,
      [
        Data(read.entry.path.bytes).databaseValue, id.databaseValue, signature.size.databaseValue,
        signature.modified.databaseValue, Int64(bitPattern: signature.inode).databaseValue,
        Int64(signature.mode).databaseValue, read.readAt.databaseValue,
      ])
  }

  private func storeTexts(of stored: StoredEntry, id: Int64) throws {
    let id = id.databaseValue
    try run(
      "INSERT OR REPLACE INTO source(entry, header, body) VALUES(?, ?, ?)",
      [id, stored.header, stored.body])
    try run("INSERT OR REPLACE INTO folded(entry, text) VALUES(?, ?)", [id, stored.folded])
    for (position, tag) in stored.tags.enumerated() {
      try run(
        "INSERT INTO tag(entry, position, name, folded) VALUES(?, ?, ?, ?)",
        [id, position.databaseValue, tag.name, tag.folded])
    }
  }

  private func run(_ sql: String, _ values: [DatabaseValue]) throws {
    try RawStatement(cached: sql, in: database).run(values)
  }
}
