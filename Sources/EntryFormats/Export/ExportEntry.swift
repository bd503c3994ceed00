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
    MediaKind(bytes).flatMap { $0.isPicture ? $0.type : nil }
  }
}
