import Foundation

/// How many bytes of an entry are read for the list, the search and a commit's message, in whole lines:
/// 8 MiB, more than a novel. A longer one is a log that something appends to; all of it at each save
/// would take many times its size in memory.
package let maxEntryBytes = 8 << 20

/// One entry as the list shows it: what its bytes and its name mean under the journal's settings.
package struct Entry: Hashable, Sendable {
  /// Where the file is.
  package var path: EntryPath
  /// Never empty: the header's title, a heading, the first line or the name (`Settings.titles`).
  package var title: String
  /// `nil` when neither the header nor the path tells one.
  package var date: EntryDate?
  /// The diary's day (`Settings.dayStartsAt`); `nil` when undated.
  package var day: Day?
  /// The header's `weather`, if any.
  package var weather: Weather?
  /// In order of appearance, without `#`, each once (compared without case).
  package var tags: [String]
  /// The header's `place`, if any.
  package var place: String?
  /// Whether the header says `starred: true`.
  package var isStarred: Bool
  /// Korean and Latin words by blanks, each Han or kana character one word.
  package var words: Int
  /// The body's first words without markup, at most 200 characters, on one line.
  package var preview: String
  /// The body as text, for the full-text index: header and markup excluded only where it is a header.
  package var body: String
  /// The header's lines as text (without `---`), for the full-text index; empty when there is none.
  package var header: String
  /// What a strict reader may trip over; `diary check` tells them.
  package var lints: [Diagnostic]

  package init(
    path: EntryPath, title: String, date: EntryDate?, day: Day?, weather: Weather?, tags: [String],
    place: String?, isStarred: Bool = false, words: Int, preview: String, body: String,
    header: String, lints: [Diagnostic]
  ) {
    self.path = path
    self.title = title
    self.date = date
    self.day = day
    self.weather = weather
    self.tags = tags
    self.place = place
    self.isStarred = isStarred
    self.words = words
    self.preview = preview
    self.body = body
    self.header = header
    self.lints = lints
  }
}

/// Something in an entry that is kept as it is but should be looked at.
package struct Diagnostic: Hashable, Sendable {
  /// A stable word for programs, such as `duplicate-key`.
  package var code: String
  /// 1 for the first line; `nil` when it concerns the whole file.
  package var line: Int?
  /// One sentence for people.
  package var message: String

  package init(code: String, line: Int?, message: String) {
    self.code = code
    self.line = line
    self.message = message
  }
}
