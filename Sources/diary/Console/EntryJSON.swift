import DiaryCore
import DiaryKit
import Foundation

/// One entry in `--json`: the public form, its names never change (docs/cli.md).
struct EntryJSON: Encodable {
  struct WeatherJSON: Encodable {
    let text: String
    let condition: String?
    let temperature: Double?

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(text, forKey: .text)
      try values.encode(condition, forKey: .condition)
      try values.encode(temperature, forKey: .temperature)
    }

    enum CodingKeys: CodingKey { case text, condition, temperature }
  }

  let entry: ListedEntry
  var match: String?

  enum CodingKeys: CodingKey {
    case path, title, date, day, weather, tags, words, preview, match
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(entry.path.text, forKey: .path)
    try values.encode(entry.title, forKey: .title)
    try values.encode(entry.date?.description, forKey: .date)
    try values.encode(entry.day?.description, forKey: .day)
    let weather = entry.weather.map {
      WeatherJSON(text: $0.text, condition: $0.condition?.rawValue, temperature: $0.celsius)
    }
    try values.encode(weather, forKey: .weather)
    try values.encode(entry.tags, forKey: .tags)
    try values.encode(entry.words, forKey: .words)
    try values.encode(entry.preview, forKey: .preview)
    try values.encodeIfPresent(match, forKey: .match)
  }

  static func text(of entries: [ListedEntry]) throws -> [UInt8] {
    try encoded(entries.map { EntryJSON(entry: $0) })
  }

  static func encoded(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
  }
}
