// EntryFormats: how other programs write entries. Pure functions: bytes in, values out.
// DiaryKit's import hands the bytes of a foreign file in and makes entries of what comes out.
// Never touches a disk, a clock or a setting; never guesses: what is not as the format says is an
// error that names its line and column, so that nothing is imported half.

import Localization

/// One entry of a foreign file, before it has a path or a zone.
package struct ImportedEntry: Sendable, Equatable {
  /// As it was written; may be empty.
  package var title: String
  /// As it was written; line ends are kept.
  package var body: String
  /// Whole seconds since 1970, rounded down.
  package var createdAt: Int
  /// 0 to 999, to be added to ``createdAt``.
  package var milliseconds: Int
  /// 1 for the first entry of the file.
  package var position: Int
  /// Where it begins in the file; 1 for the first line.
  package var line: Int
  /// What else the file says of it, in its order, for Diary knows no place for it.
  package var extra: [JSONMember]

  package init(
    title: String, body: String, createdAt: Int, milliseconds: Int = 0, position: Int, line: Int,
    extra: [JSONMember] = []
  ) {
    self.title = title
    self.body = body
    self.createdAt = createdAt
    self.milliseconds = milliseconds
    self.position = position
    self.line = line
    self.extra = extra
  }
}

/// Why a foreign file cannot be read.
package struct ImportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// 1 for the first line.
  package let line: Int
  /// 1 for the first character (Unicode scalar) of the line.
  package let column: Int
  /// The entry that is concerned, 1 for the first; `nil` outside of all.
  package let position: Int?
  /// A clause, such as `"title" is missing`.
  package let reason: String

  /// One sentence with line and column; the caller names the file.
  package var description: String {
    let place = localized("line \(line), column \(column)")
    return position.map { localized("\(place), entry \($0): \(reason)") } ?? "\(place): \(reason)"
  }
}
