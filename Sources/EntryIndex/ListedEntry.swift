import DiaryCore
import GRDB

extension ListedEntry {
  /// Reads a row of `id` and the columns of ``StoredEntry/columnNames``.
  init(
    _ row: DirectStatement, _ tags: KnownTags, number: Int, withPreview: Bool = true
  ) throws {
    self.init(
      number: number, path: try row.path(1), title: try row.text(2), date: try storedDate(row),
      day: try storedDay(row.integer(8)), weather: try storedWeather(row),
      tags: try tags[row.number(0)], place: row.isNull(13) ? nil : try row.text(13),
      words: Int(try row.number(14)), preview: withPreview ? try row.text(15) : "")
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
    let rows = try DirectStatement(
      database, sql: "SELECT entry, name FROM tag ORDER BY entry, position")
    while try rows.next() { found[try rows.number(0), default: []].append(try rows.text(1)) }
    all = found
  }

  subscript(entry: Int64) -> [String] {
    get throws {
      if let all { return all.isEmpty ? [] : all[entry] ?? [] }
      return try StoredEntry.tags(database, id: entry).map(text)
    }
  }
}

private func storedDay(_ ordinal: Int?) throws -> Day? {
  guard let ordinal else { return nil }
  guard let day = Day(ordinal: ordinal) else { throw UnreadableRow() }
  return day
}

private func storedDate(_ row: DirectStatement) throws -> EntryDate? {
  guard let date = try storedDay(row.integer(4)) else { return nil }
  guard let offset = try row.integer(6) else { throw UnreadableRow() }
  return EntryDate(date: date, seconds: try row.integer(5), offset: offset)
}

private func storedWeather(_ row: DirectStatement) throws -> Weather? {
  let name = row.isNull(11) ? nil : try row.text(11)
  let celsius = row.real(12)
  guard !row.isNull(9) || name != nil || celsius != nil else { return nil }
  return Weather(
    text: try row.text(9), condition: name.flatMap(Condition.init(rawValue:)), celsius: celsius)
}
