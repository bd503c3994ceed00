import DiaryCore

/// Who hears of everything at once, on the watch's own thread, and answers there whoever asks
/// whether something has changed.
///
/// The order is what it is for: when ``answer`` is called, all that happened in the folder before
/// the question was put has been heard. None of its closures may keep the thread waiting.
public struct Witness: Sendable {
  /// A descriptor that can be read when somebody asks; -1 when nobody can.
  let questions: CInt
  let hear: @Sendable (FolderEvent) -> Void
  let stir: @Sendable (EntryPath) -> Void
  let answer: @Sendable () -> Void

  /// - Parameters:
  ///   - questions: a descriptor that can be read while a question waits.
  ///   - hear: every event, before the reader of the events has it.
  ///   - stir: a file that may be other than it was though no event tells: it is being written and
  ///     not closed yet, or its owner or rights have changed.
  ///   - answer: a question waits; the closure takes one. Not called while the folder is polled.
  public init(
    questions: CInt, hear: @escaping @Sendable (FolderEvent) -> Void,
    stir: @escaping @Sendable (EntryPath) -> Void, answer: @escaping @Sendable () -> Void
  ) {
    self.questions = questions
    self.hear = hear
    self.stir = stir
    self.answer = answer
  }
}
