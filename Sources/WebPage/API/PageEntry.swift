import DiaryCore
import DiaryKit
import Localization

/// One entry as the page edits it.
struct PageEntry: Encodable, Sendable {
  let row: EntryRow
  let version: String
  /// What the title's field holds; the row's title is never empty.
  let editableTitle: String
  let titleFrom: String
  let body: String
  /// Why it can only be read; `nil` where it can be edited.
  let readOnly: String?
  /// The editor that has it open.
  let heldBy: String?
  /// Of an entry that was just made: the text, if it is not what was sent.
  var text: PageText?

  private enum CodingKeys: CodingKey {
    case version, editableTitle, titleFrom, body, readOnly, heldBy, text
  }

  /// The names of the row, and these.
  func encode(to encoder: any Encoder) throws {
    try row.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(version, forKey: .version)
    try values.encode(editableTitle, forKey: .editableTitle)
    try values.encode(titleFrom, forKey: .titleFrom)
    try values.encode(body, forKey: .body)
    try values.encode(readOnly, forKey: .readOnly)
    try values.encode(heldBy, forKey: .heldBy)
    try values.encodeIfPresent(text, forKey: .text)
  }
}

extension PageEntry {
  init(_ entry: EditableEntry, for reader: PageReader) {
    row = EntryRow(entry.summary, for: reader)
    version = entry.version
    editableTitle = entry.text?.title ?? entry.summary.title
    titleFrom = entry.text?.titleLocation.rawValue ?? EditableText.TitleLocation.name.rawValue
    body = entry.text?.body ?? entry.content.body
    readOnly = entry.readOnlyReason
    heldBy = entry.heldBy
  }
}

/// What the page's two fields hold.
struct PageText: Encodable, Sendable {
  let title: String
  let body: String
}

/// What a save came to.
struct SaveResponse: Encodable, Sendable {
  let version: String
  /// The text, if it is not what was sent.
  let text: PageText?
  /// Whether two versions of something stand in the text, to be looked at.
  let keptBoth: Bool
  /// The entry's address, if it is another one now.
  let moved: String?
}

/// Why nothing was saved.
struct SaveRefusal: Encodable, Sendable {
  let what: String
  let hint = ""
  let kind: PageFailure.Kind
  /// The editor that has the entry open.
  let heldBy: String?
  /// The entry as it is, where the two cannot be merged.
  let entry: PageEntry?
}

extension PageFailure.Kind: Encodable {}
