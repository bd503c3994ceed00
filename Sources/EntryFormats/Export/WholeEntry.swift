import DiaryCore

/// An entry with all its data, for formats that contain more than its text.
package struct WholeEntry: Sendable {
  /// The entry's data from the index.
  package var summary: EntrySummary
  /// The file's bytes and their parsed content.
  package var text: EntryText
  /// The body, split into title and text.
  package var splitBody: SplitBody
  /// The files that the entry shows or links to, in order of appearance, each once.
  package var attachments: [ExportAttachment]

  package init(
    _ summary: EntrySummary, text: EntryText, splitBody: SplitBody, attachments: [ExportAttachment]
  ) {
    self.summary = summary
    self.text = text
    self.splitBody = splitBody
    self.attachments = attachments
  }
}

/// A file of the journal that is exported with an entry.
package struct ExportAttachment: Sendable, Hashable {
  /// The path in the journal.
  package var path: EntryPath
  /// The file's size in bytes.
  package var size: Int
  /// The picture type according to the first bytes; `nil` for any other file.
  package var mediaType: String?

  package init(path: EntryPath, size: Int, mediaType: String?) {
    self.path = path
    self.size = size
    self.mediaType = mediaType
  }
}
