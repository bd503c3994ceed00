import DiaryCore
import Foundation
import GRDB

extension ListedEntry {
  /// Reads a row of `id` and the columns of ``StoredEntry/columnNames``.
  init(_ row: Row, _ tags: KnownTags, number: Int) throws {
    guard let path = try row.withUnsafeData(atIndex: 1, { $0.flatMap { EntryPath(bytes: $0) } })
    else { throw UnreadableRow() }
    guard let id = try row.integer(0), let words = try row.integer(14) else {
      throw UnreadableRow()
    }
    self.init(
      number: number, path: path, title: try row.text(2), date: try storedDate(row),
      day: try storedDay(row.integer(8)), weather: try storedWeather(row),
      tags: try tags[Int64(id)], place: row.hasNull(atIndex: 13) ? nil : try row.text(13),
      words: words, preview: try row.text(15))
  }
}

/// The tags of entries: asked for one by one, or, for a long list, all at once.
final class KnownTags {
  private let database: Database
  private var all: [Int64: [String]]?

  init(_ database: Database, isWhole: Bool) throws {
    self.database = database
    guard isWhole else { return }
    var found: [Int64: [String]] = [:]
    let rows = try Row.fetchCursor(
      database, sql: "SELECT entry, name FROM tag ORDER BY entry, position")
    while let row = try rows.next() { found[row[0], default: []].append(try row.text(1)) }
    all = found
  }

  subscript(entry: Int64) -> [String] {
    get throws {
      if let all { return all[entry] ?? [] }
      return try StoredEntry.tags(database, id: entry).map(text)
    }
  }
}

extension Row {
  /// The text of a blob column; NULL is the empty text.
  func text(_ index: Int) throws -> String {
    try withUnsafeData(atIndex: index) { data in
      guard let data else { return "" }
      guard let text = String(validating: data, as: UTF8.self) else { throw UnreadableRow() }
      return text
    }
  }
}

extension Row {
  func integer(_ index: Int) throws -> Int? {
    let value: DatabaseValue = self[index]
    if value.isNull { return nil }
    guard let number = Int.fromDatabaseValue(value) else { throw UnreadableRow() }
    return number
  }
}

private func storedDay(_ ordinal: Int?) throws -> Day? {
  guard let ordinal else { return nil }
  guard let day = Day(ordinal: ordinal) else { throw UnreadableRow() }
  return day
}

private func storedDate(_ row: Row) throws -> EntryDate? {
  guard let date = try storedDay(row.integer(4)) else { return nil }
  guard let offset = try row.integer(6) else { throw UnreadableRow() }
  return EntryDate(date: date, seconds: try row.integer(5), offset: offset)
}

private func storedWeather(_ row: Row) throws -> Weather? {
  let name = String.fromDatabaseValue(row[11])
  let celsius = Double.fromDatabaseValue(row[12])
  guard !row.hasNull(atIndex: 9) || name != nil || celsius != nil else { return nil }
  return Weather(
    text: try row.text(9), condition: name.flatMap(Condition.init(rawValue:)), celsius: celsius)
}
