import DiaryCore
import EntryIndex

extension Autosave {
  /// Brings the index and the list up to date with the whole folder.
  func list() async {
    await look {
      try await self.lookThrough()
      try $0.writeList()
    }
  }

  /// The same for a few paths.
  func list(_ paths: [EntryPath]) async {
    await look {
      try await self.bringUp(paths)
      try $0.writeList()
    }
  }

  /// Answers those who ask whether the index is up to date, once it is. Where a look at the whole
  /// folder is needed for that they are not kept waiting.
  func answer() async {
    let questions = word.takeQuestions()
    guard !questions.isEmpty else { return }
    // What changed is not known until the folder was looked through.
    guard rescan == nil, away == nil else { return word.refuse(questions) }
    await look { journal in
      guard try journal.catalog.rejoin() else { return word.refuse(questions) }
      if let rows = word.rows, try journal.catalog.rows() == rows {
        try await self.bringUp([])
        word.answer(questions)
      } else {
        word.refuse(questions)
        try await self.lookThrough()
      }
    }
  }

  /// All that is noted, and these paths.
  private func bringUp(_ paths: [EntryPath]) async throws {
    let turn = word.begin()
    var left: RowsState?
    defer { word.end(turn, left) }
    let paths = turn.rows == nil ? paths : paths + turn.changed
    guard let change = try await journal.refresh(only: paths) else { return left = turn.rows }
    // Rows that somebody else has changed since are not vouched for.
    if change.found == turn.rows { left = change.left }
  }

  private func lookThrough() async throws {
    let turn = word.begin()
    var left: RowsState?
    defer { word.end(turn, left) }
    left = try await journal.refresh().left
  }
}
