import DiaryCore
import GRDB

extension EntrySummary {
  /// The columns of `entry` that ``init(_:_:number:withPreview:)`` reads.
  static func columns(withPreview: Bool) -> String {
    "id, path, title, date, seconds, zone, day, weather, condition, celsius, place, starred, words"
      + (withPreview ? ", preview" : "")
  }

  /// Reads a row of ``columns(withPreview:)``.
  init(_ row: RawStatement, _ tags: TagLookup, number: Int, withPreview: Bool) throws {
    self.init(
      number: number, path: try row.path(1), title: try row.text(2), date: try storedDate(row),
      day: try storedDay(row.integer(6)), weather: try storedWeather(row),
      tags: try tags[row.number(0)], place: row.isNull(10) ? nil : try row.text(10),
      isStarred: try row.number(11) != 0, words: Int(try row.number(12)),
      preview: withPreview ? try row.text(13) : "")
  }
}

/// The tags of entries, queried one by one or, for a long list, read all at once.
final class TagLookup {
  private let database: Database
  private var allTags: [Int64: [String]]?

  init(_ database: Database, isWhole: Bool) throws {
    self.database = database
    guard isWhole else { return }
    var found: [Int64: [String]] = [:]
    let rows = try RawStatement(
      database, sql: "SELECT entry, name FROM tag ORDER BY entry, position")
    while try rows.next() { found[try rows.number(0), default: []].append(try rows.text(1)) }
    allTags = found
  }

  subscript(entry: Int64) -> [String] {
    get throws {
      if let allTags { return allTags.isEmpty ? [] : allTags[entry] ?? [] }
      return try StoredEntry.tags(database, id: entry).map { try text($0.name) }
    }
  }
}

private func storedDay(_ ordinal: Int?) throws -> Day? {
  guard let ordinal else { return nil }
  guard let day = Day(ordinal: ordinal) else { throw UnreadableRow() }
  return day
}

private func storedDate(_ row: RawStatement) throws -> EntryDate? {
  guard let date = try storedDay(row.integer(3)) else { return nil }
  guard let offset = try row.integer(5) else { throw UnreadableRow() }
  return EntryDate(date: date, seconds: try row.integer(4), offset: offset)
}

private func storedWeather(_ row: RawStatement) throws -> Weather? {
  let name = row.isNull(8) ? nil : try row.text(8)
  let celsius = row.real(9)
  guard !row.isNull(7) || name != nil || celsius != nil else { return nil }
  return Weather(
    text: try row.text(7), condition: name.flatMap(Condition.init(rawValue:)), celsius: celsius)
}
