/// One entry of a phone diary's export, as it was written.
package struct PhoneDiaryEntry: Sendable, Equatable {
  /// The title, which may be empty.
  package var title: String
  /// The text with its line ends.
  package var body: String
  /// Whole seconds since 1970, rounded down.
  package var createdAt: Int
  /// Milliseconds from 0 to 999, to be added to ``createdAt``.
  package var milliseconds: Int
  /// The number of the entry in the file, from 1.
  package var position: Int
  /// The line on which the entry starts, from 1.
  package var line: Int
  /// Other members of the entry in their order, which Diary has no field for.
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
