import DiaryCore
import Foundation

/// An entry as an object of Diary's own JSON export (docs/export.md), without its attachments.
/// ``JSONExport`` appends them, because they may be too large for memory.
private struct ExportedEntryJSON: Encodable {
  let entry: WholeEntry

  private enum CodingKeys: String, CodingKey {
    case body, bytes, date, day, fields, header, path, place, tags, title, weather
    case words
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    let (listed, text) = (entry.summary, entry.text)
    try values.encode(listed.path.text, forKey: .path)
    try values.encode(listed.title, forKey: .title)
    try values.encode(listed.date?.description, forKey: .date)
    try values.encode(listed.day?.description, forKey: .day)
    try values.encode(listed.weather?.text, forKey: .weather)
    try values.encode(listed.place, forKey: .place)
    try values.encode(listed.tags, forKey: .tags)
    try values.encode(listed.words, forKey: .words)
    try values.encode(HeaderFields(text: text), forKey: .fields)
    let (header, body) = (text.wholeHeader, text.body)
    try values.encode(header, forKey: .header)
    try values.encode(body, forKey: .body)
    if !text.bytes.elementsEqual(Array(header.utf8) + Array(body.utf8)) {
      try values.encode(Data(text.bytes), forKey: .bytes)
    }
  }
}

/// The header's fields by name. The first of several with the same name counts.
private struct HeaderFields: Encodable {
  let text: EntryText

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Name.self)
    var seen: Set<String> = []
    for field in text.fields where seen.insert(field.key.lowercased()).inserted {
      let name = Name(stringValue: field.key)
      switch text.value(field.key) {
      case .text(let words): try values.encode(words, forKey: name)
      case .list(let items): try values.encode(items, forKey: name)
      case .mapping(let pairs):
        try values.encode(Dictionary(pairs) { first, _ in first }, forKey: name)
      case nil: try values.encodeNil(forKey: name)
      }
    }
  }
}

/// Diary's own JSON export: one object with all entries, or one object per line (JSON Lines).
package enum JSONExport {
  /// The version of the format. It is the value of the key `diary`, which identifies the format.
  package static let version = 1

  /// The text before the first entry, between two entries, and after the last.
  package static let delimiters = (
    start: "{\"diary\":\(version),\"entries\":[\n", between: ",\n", end: "\n]}\n"
  )

  /// Returns an entry's object up to its attachments. Each of them starts with
  /// ``attachmentStart(_:hasData:)``, and `]}` closes the object.
  ///
  /// - Parameter isLine: whether the object is a line by itself, which needs the format's version.
  package static func entryStart(of entry: WholeEntry, isLine: Bool) throws -> [UInt8] {
    let object = try EntryJSON.encoded(ExportedEntryJSON(entry: entry))
    // Without the braces and the line's end.
    return Array((isLine ? "{\"diary\":\(version)," : "{").utf8) + object.dropFirst().dropLast(2)
      + Array(",\"attachments\":[".utf8)
  }

  /// Returns an attachment's object up to its Base64 and `"}`, or the whole object without data.
  package static func attachmentStart(_ file: ExportAttachment, hasData: Bool) throws -> [UInt8] {
    struct Form: Encodable {
      let path: String
      let size: Int
      let type: String?
    }
    let object = try EntryJSON.encoded(
      Form(path: file.path.text, size: file.size, type: file.mediaType))
    return object.dropLast(2) + Array((hasData ? ",\"data\":\"" : "}").utf8)
  }
}
