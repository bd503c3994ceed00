import DiaryCore
import DiaryKit
import Localization

/// An entry for editing in the page.
struct PageEntry: Encodable, Sendable {
  let row: EntryRow
  let version: String
  /// The text of the title field; the row's title is never empty.
  let editableTitle: String
  let titleFrom: String
  let body: String
  /// The number of words in words, such as `312 words`.
  let words: String
  /// The reason why the entry cannot be edited; `nil` if it can.
  let readOnly: String?
  /// The editor in which the entry is open.
  let heldBy: String?
  /// The tags of the header; those of the row are also in the text.
  var headerTags: [String] = []
  var place: String?
  /// For a new entry: the text, if it differs from what the page sent.
  var text: PageText?

  private enum CodingKeys: CodingKey {
    case version, editableTitle, titleFrom, body, words, readOnly, heldBy, headerTags, place, text
  }

  /// Encodes the keys of the row and its own.
  func encode(to encoder: any Encoder) throws {
    try row.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(version, forKey: .version)
    try values.encode(editableTitle, forKey: .editableTitle)
    try values.encode(titleFrom, forKey: .titleFrom)
    try values.encode(body, forKey: .body)
    try values.encode(words, forKey: .words)
    try values.encode(readOnly, forKey: .readOnly)
    try values.encode(heldBy, forKey: .heldBy)
    try values.encode(headerTags, forKey: .headerTags)
    try values.encode(place, forKey: .place)
    try values.encodeIfPresent(text, forKey: .text)
  }
}

extension PageEntry {
  init(_ entry: EditableEntry, for user: PageUser) {
    row = EntryRow(entry.summary, for: user)
    version = entry.version
    editableTitle = entry.text?.title ?? entry.summary.title
    titleFrom = entry.text?.titleLocation.rawValue ?? EditableText.TitleLocation.name.rawValue
    body = entry.text?.body ?? entry.content.body
    words = counted(entry.summary.words, "word", "words")
    readOnly = entry.readOnlyReason
    heldBy = entry.heldBy
    headerTags = entry.content.headerTags
    place = entry.summary.place
  }
}

/// The contents of the page's two fields.
struct PageText: Encodable, Sendable {
  let title: String
  let body: String
}

/// The response to a successful save.
struct SaveResponse: Encodable, Sendable {
  let version: String
  /// The number of words in words.
  let words: String
  /// The text, if it differs from what the page sent.
  let text: PageText?
  /// True if the text contains both versions of a conflict, which the user should check.
  let keptBoth: Bool
  /// The new address of the entry, if it has changed.
  let moved: String?
}

/// The response to a save that was refused.
struct SaveRefusal: Encodable, Sendable {
  let what: String
  let hint = ""
  let kind: PageFailure.Kind
  /// The editor in which the entry is open.
  let heldBy: String?
  /// The current entry, if the versions cannot be merged.
  let entry: PageEntry?
}

extension PageFailure.Kind: Encodable {}
