import DiaryCore
import Foundation
import GRDB

/// An entry as it is stored in its rows. Two are equal if their bytes are equal; Swift's `==` would
/// accept two encodings of one `é`.
struct StoredEntry: Equatable {
  /// The columns of ``columnNames``, in that order.
  let columns: [DatabaseValue]
  let header: DatabaseValue
  let body: DatabaseValue
  let tags: [DatabaseValue]

  static let columnNames =
    "path, title, folded_title, date, seconds, zone, instant, day, weather, folded_weather, "
    + "condition, celsius, place, starred, words, preview"

  /// The values that the list shows (title, day and condition) or sorts by.
  var listColumns: [DatabaseValue] { [1, 6, 7, 10].map { columns[$0] } }

  init(_ entry: Entry) {
    let weather = entry.weather
    columns = [
      Data(entry.path.bytes).databaseValue,
      blob(entry.title),
      blob(SearchText.fold(entry.title)),
      entry.date.map(\.date.ordinal).databaseValue,
      (entry.date?.seconds).databaseValue,
      (entry.date?.offset).databaseValue,
      (entry.date?.instant).databaseValue,
      (entry.day?.ordinal).databaseValue,
      weather.map { blob($0.text) } ?? .null,
      weather.map { blob(SearchText.fold($0.text)) } ?? .null,
      (weather?.condition?.rawValue).databaseValue,
      (weather?.celsius).databaseValue,
      entry.place.map(blob) ?? .null,
      entry.isStarred.databaseValue,
      entry.words.databaseValue,
      blob(entry.preview),
    ]
    header = blob(entry.header)
    body = blob(entry.body)
    tags = entry.tags.filter { !$0.isEmpty }.map(blob)
  }

  init(columns: [DatabaseValue], header: DatabaseValue, body: DatabaseValue, tags: [DatabaseValue])
  {
    self.columns = columns
    self.header = header
    self.body = body
    self.tags = tags
  }

  /// Reads the rows of one entry; `nil` if there are none.
  init?(_ database: Database, id: Int64) throws {
    let statement = try database.cachedStatement(
      sql: """
        SELECT \(StoredEntry.columnNames), header, body
        FROM entry JOIN source ON source.entry = entry.id WHERE entry.id = ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { return nil }
    let values = Array(row.databaseValues)
    self.init(
      columns: Array(values.dropLast(2)), header: values[values.count - 2],
      body: values[values.count - 1], tags: try StoredEntry.tags(database, id: id))
  }

  static func tags(_ database: Database, id: Int64) throws -> [DatabaseValue] {
    try DatabaseValue.fetchAll(
      try database.cachedStatement(sql: "SELECT name FROM tag WHERE entry = ? ORDER BY position"),
      arguments: [id])
  }
}

/// A text as a blob; NULL if it is empty, as SQLite stores a blob without bytes.
func blob(_ text: String) -> DatabaseValue { text.isEmpty ? .null : Data(text.utf8).databaseValue }

func blob(_ bytes: [UInt8]) -> DatabaseValue {
  bytes.isEmpty ? .null : Data(bytes).databaseValue
}

/// The text of a blob column; empty for NULL.
func text(_ value: DatabaseValue) throws -> String {
  switch value.storage {
  case .null: return ""
  case .blob(let data):
    guard let text = String(validating: data, as: UTF8.self) else { throw UnreadableRow() }
    return text
  default: throw UnreadableRow()
  }
}
