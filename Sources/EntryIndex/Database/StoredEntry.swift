import DiaryCore
import Foundation
import GRDB

/// An entry as it is stored in its rows. Two are equal if their bytes are equal; Swift's `==` would
/// accept two encodings of one `é`.
struct StoredEntry: Equatable, Sendable {
  /// The columns of ``columnNames``, in that order.
  let columns: [DatabaseValue]
  let header: DatabaseValue
  let body: DatabaseValue
  /// ``SearchText/fields(of:)``
  let folded: DatabaseValue
  let tags: [Tag]

  /// A tag as written, and folded.
  struct Tag: Equatable, Sendable {
    let name: DatabaseValue
    let folded: DatabaseValue
  }

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
    folded = blob(SearchText.fields(of: entry))
    tags = entry.tags.filter { !$0.isEmpty }.map {
      Tag(name: blob($0), folded: blob(SearchText.fold($0)))
    }
  }

  /// Reads the rows of one entry; `nil` if there are none.
  init?(_ database: Database, id: Int64) throws {
    let statement = try database.cachedStatement(
      sql: """
        SELECT \(StoredEntry.columnNames), header, body, folded.text
        FROM entry JOIN source ON source.entry = entry.id
        LEFT JOIN folded ON folded.entry = entry.id WHERE entry.id = ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { return nil }
    let values = Array(row.databaseValues)
    columns = Array(values.dropLast(3))
    (header, body, folded) = (
      values[values.count - 3], values[values.count - 2], values[values.count - 1]
    )
    tags = try StoredEntry.tags(database, id: id)
  }

  static func tags(_ database: Database, id: Int64) throws -> [Tag] {
    let statement = try database.cachedStatement(
      sql: "SELECT name, folded FROM tag WHERE entry = ? ORDER BY position")
    return try Row.fetchAll(statement, arguments: [id]).map { Tag(name: $0[0], folded: $0[1]) }
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
