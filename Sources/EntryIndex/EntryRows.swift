import DiaryCore
import Foundation
import GRDB

/// The rows of single entries, inside a write transaction.
struct EntryRows {
  let database: Database
  /// Whether the texts for the search are left to the first search.
  var leavesFolding = false

  /// What storing one entry did.
  enum Outcome { case added, changed, same }

  /// Makes the catalogue tell what `read` says.
  func store(_ read: ReadEntry) throws -> Outcome {
    let fresh = StoredEntry(read.entry)
    guard let known = try id(of: read.entry.path) else {
      try insert(fresh, read)
      try noteLine(read.entry.path)
      return .added
    }
    try note(read, id: known)
    let old = try StoredEntry(database, id: known)
    guard old != fresh else { return .same }
    if old?.line != fresh.line { try noteLine(read.entry.path) }
    let assignments = StoredEntry.columnNames.split(separator: ", ").map { "\($0) = ?" }
    try run(
      "UPDATE entry SET \(assignments.joined(separator: ", ")) WHERE id = ?",
      fresh.columns + [known.databaseValue])
    try run("DELETE FROM tag WHERE entry = ?", [known.databaseValue])
    try storeTexts(of: fresh, read.entry, id: known)
    return .changed
  }

  /// Forgets a path; when `readAt` is given, only if nobody has read it since. Whether there was
  /// something to forget.
  func remove(_ path: EntryPath, readAt: Int64? = nil) throws -> Bool {
    guard let known = try id(of: path) else { return false }
    let key = Data(path.bytes).databaseValue
    if let readAt {
      try run("DELETE FROM file WHERE path = ? AND read_at = ?", [key, readAt.databaseValue])
    } else {
      try run("DELETE FROM file WHERE path = ?", [key])
    }
    guard database.changesCount > 0 else { return false }
    try noteLine(path)
    for sql in [
      "DELETE FROM entry WHERE id = ?", "DELETE FROM tag WHERE entry = ?",
      "DELETE FROM source WHERE entry = ?", "DELETE FROM folded WHERE entry = ?",
    ] {
      try run(sql, [known.databaseValue])
    }
    return true
  }

  /// The list has another line for this path from now on, or none.
  func noteLine(_ path: EntryPath) throws {
    try Schema.count(database, .lines)
    try run(
      "INSERT OR IGNORE INTO relisted(path) VALUES(?)", [Data(path.bytes).databaseValue])
  }

  private func id(of path: EntryPath) throws -> Int64? {
    try Int64.fetchOne(
      try database.cachedStatement(sql: "SELECT entry FROM file WHERE path = ?"),
      arguments: [Data(path.bytes)])
  }

  private static let insertion =
    "INSERT INTO entry(\(StoredEntry.columnNames)) VALUES("
    + StoredEntry.columnNames.split(separator: ",").map { _ in "?" }.joined(separator: ", ") + ")"

  private func insert(_ entry: StoredEntry, _ read: ReadEntry) throws {
    try run(EntryRows.insertion, entry.columns)
    let id = database.lastInsertedRowID
    try note(read, id: id)
    try storeTexts(of: entry, read.entry, id: id)
  }

  private func note(_ read: ReadEntry, id: Int64) throws {
    let stamp = read.stamp
    try run(
      """
      INSERT OR REPLACE INTO file(path, entry, size, modified, inode, mode, read_at)
      VALUES(?, ?, ?, ?, ?, ?, ?)
      """,
      [
        Data(read.entry.path.bytes).databaseValue, id.databaseValue, stamp.size.databaseValue,
        stamp.modified.databaseValue, Int64(bitPattern: stamp.inode).databaseValue,
        Int64(stamp.mode).databaseValue, read.readAt.databaseValue,
      ])
  }

  private func storeTexts(of stored: StoredEntry, _ entry: Entry, id: Int64) throws {
    let id = id.databaseValue
    try run(
      "INSERT OR REPLACE INTO source(entry, header, body) VALUES(?, ?, ?)",
      [id, stored.header, stored.body])
    if leavesFolding {
      try run("DELETE FROM folded WHERE entry = ?", [id])
    } else {
      try run(
        "INSERT OR REPLACE INTO folded(entry, text) VALUES(?, ?)",
        [id, blob(SearchText.fields(of: entry))])
    }
    for (position, tag) in stored.tags.enumerated() {
      try run(
        "INSERT INTO tag(entry, position, name, folded) VALUES(?, ?, ?, ?)",
        [id, position.databaseValue, tag, blob(SearchText.fold(try text(tag)))])
    }
  }

  private func run(_ sql: String, _ values: [DatabaseValue]) throws {
    let statement = try database.cachedStatement(sql: sql)
    // As many as the statement asks for: each is written here.
    statement.setUncheckedArguments(StatementArguments(values))
    try statement.execute()
  }
}
