import Foundation

/// An entry in `--json`: the public form, whose names never change (docs/cli.md).
package struct EntryJSON: Encodable {
  private struct WeatherJSON: Encodable {
    let text: String
    @Nullable var condition: String?
    @Nullable var temperature: Double?
  }

  private let entry: EntrySummary
  private let match: String?
  private let body: String?
  private let deleted: String?

  /// The form of `entry`. `match` is the line that a search found, `body` is the whole Markdown,
  /// and `deleted` is the time of the deletion (RFC 3339).
  package init(
    entry: EntrySummary, match: String? = nil, body: String? = nil, deleted: String? = nil
  ) {
    self.entry = entry
    self.match = match
    self.body = body
    self.deleted = deleted
  }

  private enum CodingKeys: CodingKey {
    case number, path, title, date, day, weather, tags, starred, words, preview, match, body,
      deleted
  }

  /// Every name is always present except `number`, which only entries of the list have, `match`,
  /// `body` and `deleted`.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    if entry.number > 0 { try values.encode(entry.number, forKey: .number) }
    try values.encode(entry.path.text, forKey: .path)
    try values.encode(entry.title, forKey: .title)
    try values.encode(entry.date?.description, forKey: .date)
    try values.encode(entry.day?.description, forKey: .day)
    let weather = entry.weather.map {
      WeatherJSON(text: $0.text, condition: $0.condition?.rawValue, temperature: $0.celsius)
    }
    try values.encode(weather, forKey: .weather)
    try values.encode(entry.tags, forKey: .tags)
    try values.encode(entry.isStarred, forKey: .starred)
    try values.encode(entry.words, forKey: .words)
    try values.encode(entry.preview, forKey: .preview)
    try values.encodeIfPresent(match, forKey: .match)
    try values.encodeIfPresent(body, forKey: .body)
    try values.encodeIfPresent(deleted, forKey: .deleted)
  }

  /// The entries as one array on one line.
  package static func text(of entries: [EntrySummary]) throws -> [UInt8] {
    try encoded(entries.map { EntryJSON(entry: $0) })
  }

  /// Any value as one line of JSON with sorted names.
  package static func encoded(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
  }
}
