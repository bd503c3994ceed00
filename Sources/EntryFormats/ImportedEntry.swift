// EntryFormats: how other programs write entries. Pure functions: bytes in, values out.
// DiaryKit's import hands the bytes of a foreign file in and makes entries of what comes out.
// Never touches a disk, a clock or a setting; never guesses: what is not as the format says is an
// error that names its line and column, so that nothing is imported half.

/// One entry of a foreign file, before it has a path or a zone.
public struct ImportedEntry: Sendable, Equatable {
  /// As it was written; may be empty.
  public var title: String
  /// As it was written; line ends are kept.
  public var body: String
  /// Whole seconds since 1970, rounded down.
  public var createdAt: Int
  /// 0 to 999, to be added to ``createdAt``.
  public var milliseconds: Int
  /// 1 for the first entry of the file.
  public var position: Int
  /// Where it begins in the file; 1 for the first line.
  public var line: Int
  /// What else the file says of it, in its order, for Diary knows no place for it.
  public var extra: [JSONMember]

  /// An entry from its parts.
  public init(
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
public struct ImportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// 1 for the first line.
  public let line: Int
  /// 1 for the first character (Unicode scalar) of the line.
  public let column: Int
  /// The entry that is concerned, 1 for the first; `nil` outside of all.
  public let position: Int?
  /// A clause, such as `"title" is missing`.
  public let reason: String

  /// One sentence with line and column; the caller names the file.
  public var description: String {
    let place = "line \(line), column \(column)"
    return position.map { "\(place), entry \($0): \(reason)" } ?? "\(place): \(reason)"
  }
}
