/// One entry of a phone diary's export, as it stands there.
package struct PhoneEntry: Sendable, Equatable {
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
