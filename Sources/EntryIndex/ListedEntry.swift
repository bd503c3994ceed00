import DiaryCore
import Foundation
import GRDB

extension ListedEntry {
  /// Reads a row of `id` and the columns of ``StoredEntry/columnNames``.
  init(_ database: Database, _ row: Row, number: Int) throws {
    guard let id = Int64.fromDatabaseValue(row[0]) else { throw UnreadableRow() }
    self = try ListedEntry(
      number: number, columns: Array(row.databaseValues.dropFirst()),
      tags: StoredEntry.tags(database, id: id).map(text))
  }

  init(number: Int, columns: [DatabaseValue], tags: [String]) throws {
    guard let bytes = Data.fromDatabaseValue(columns[0]), let path = EntryPath(bytes: bytes),
      let words = Int.fromDatabaseValue(columns[13])
    else { throw UnreadableRow() }
    self.init(
      number: number, path: path, title: try text(columns[1]), date: try storedDate(columns[3...5]),
      day: try storedDay(columns[7]), weather: try storedWeather(columns), tags: tags,
      place: columns[12].isNull ? nil : try text(columns[12]), words: words,
      preview: try text(columns[14]))
  }
}

private func storedDay(_ value: DatabaseValue) throws -> Day? {
  guard !value.isNull else { return nil }
  guard let ordinal = Int.fromDatabaseValue(value), let day = Day(ordinal: ordinal) else {
    throw UnreadableRow()
  }
  return day
}

private func storedDate(_ parts: ArraySlice<DatabaseValue>) throws -> EntryDate? {
  let parts = Array(parts)
  guard let date = try storedDay(parts[0]) else { return nil }
  guard let offset = Int.fromDatabaseValue(parts[2]) else { throw UnreadableRow() }
  return EntryDate(date: date, seconds: Int.fromDatabaseValue(parts[1]), offset: offset)
}

private func storedWeather(_ columns: [DatabaseValue]) throws -> Weather? {
  let name = String.fromDatabaseValue(columns[10])
  let celsius = Double.fromDatabaseValue(columns[11])
  guard !columns[8].isNull || name != nil || celsius != nil else { return nil }
  return Weather(
    text: try text(columns[8]), condition: name.flatMap(Condition.init(rawValue:)),
    celsius: celsius)
}
