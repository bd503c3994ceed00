import DiaryCore

/// An entry prepared for export, with texts in the reader's language and units.
package struct ExportEntry: Sendable {
  /// The entry's data from the index.
  package var summary: EntrySummary
  /// The day and time in the reader's language; `nil` for an undated entry.
  package var dateText: String?
  /// The weather in the reader's units.
  package var weatherText: String?
  /// True if it was written at night.
  package var isNight: Bool
  /// The Markdown without the header.
  package var body: String

  package init(
    _ summary: EntrySummary, dateText: String?, weatherText: String?, isNight: Bool, body: String
  ) {
    self.summary = summary
    self.dateText = dateText
    self.weatherText = weatherText
    self.isNight = isNight
    self.body = body
  }

  /// The name of the place. Coordinates are private and are not shown.
  var place: String? {
    guard let place = summary.place, place.contains(where: \.isLetter) else { return nil }
    return place
  }
}

/// A picture of the journal.
package struct EmbeddedPicture: Sendable {
  /// The file's bytes.
  package var bytes: [UInt8]

  /// Creates a picture from a file's bytes.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The picture type according to the bytes, whatever the file's name is; `nil` for any other
  /// file, which is never embedded.
  package var mediaType: String? {
    func hasBytes(_ start: [UInt8], at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: start)
    }
    if hasBytes([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if hasBytes([0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if hasBytes(Array("GIF87a".utf8)) || hasBytes(Array("GIF89a".utf8)) { return "image/gif" }
    if hasBytes(Array("RIFF".utf8)), hasBytes(Array("WEBP".utf8), at: 8) { return "image/webp" }
    if hasBytes(Array("ftyp".utf8), at: 4) {
      let brand = String(decoding: bytes.dropFirst(8).prefix(4), as: UTF8.self)
      if brand.hasPrefix("avi") { return "image/avif" }
      if ["heic", "heix", "mif1", "heim", "heis"].contains(brand) { return "image/heic" }
    }
    return isSVG ? "image/svg+xml" : nil
  }

  /// True for an SVG. Inside `<img>` it runs no script and loads nothing.
  private var isSVG: Bool {
    let head = String(decoding: bytes.prefix(1024), as: UTF8.self)
    let text = head.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    return text.hasPrefix("<svg") || (text.hasPrefix("<?xml") && text.contains("<svg"))
  }
}
