import Foundation

/// The number of bytes of an entry that are read for the list, the search and a commit message, in
/// whole lines: 8 MiB, more than a novel. A longer file is a log that a program appends to; reading
/// all of it at each save would take many times its size in memory.
package let maxEntryBytes = 8 << 20

/// An entry as the list shows it: the meaning of its bytes and name under the journal's settings.
package struct Entry: Hashable, Sendable {
  /// The path of the file.
  package var path: EntryPath
  /// Never empty: the header's title, a heading, the first line or the name (`Settings.titles`).
  package var title: String
  /// `nil` if neither the header nor the path contains a date.
  package var date: EntryDate?
  /// The diary's day (`Settings.dayStartsAt`); `nil` if the entry is undated.
  package var day: Day?
  /// The header's `weather`, if any.
  package var weather: Weather?
  /// In order of appearance, without `#`, each once (compared without case).
  package var tags: [String]
  /// The header's `place`, if any.
  package var place: String?
  /// True if the header has `starred: true`.
  package var isStarred: Bool
  /// The number of Korean and Latin words, separated by blanks, and of Han and kana characters.
  package var words: Int
  /// The body's first words without markup, at most 200 characters, on one line.
  package var preview: String
  /// The body as text, for the full-text index; an unrecognized header is a part of it.
  package var body: String
  /// The header's lines as text (without `---`), for the full-text index; empty if there is none.
  package var header: String
  /// Problems that a strict reader may have; `diary check` reports them.
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

/// A problem in an entry, which is kept as it is but should be checked.
package struct Diagnostic: Hashable, Sendable {
  /// A stable identifier for programs, such as `duplicate-key`.
  package var code: String
  /// The line number, from 1; `nil` if the problem concerns the whole file.
  package var line: Int?
  /// One sentence for the user.
  package var message: String

  package init(code: String, line: Int?, message: String) {
    self.code = code
    self.line = line
    self.message = message
  }
}
