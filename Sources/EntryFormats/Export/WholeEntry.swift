import DiaryCore

/// An entry with all that belongs to it, for the formats that carry more than its words.
package struct WholeEntry: Sendable {
  /// What the list knows of it.
  package var summary: EntrySummary
  /// The bytes of its file, and what they say.
  package var text: EntryText
  /// Its body, parted from its title.
  package var splitBody: SplitBody
  /// The files that it shows or links to, in order of appearance, each once.
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

/// A file of the journal that travels with an entry.
package struct ExportAttachment: Sendable, Hashable {
  /// Where it lies in the journal.
  package var path: EntryPath
  /// Its bytes.
  package var size: Int
  /// The kind of picture that its first bytes show; `nil` for anything else.
  package var mediaType: String?

  package init(path: EntryPath, size: Int, mediaType: String?) {
    self.path = path
    self.size = size
    self.mediaType = mediaType
  }
}
