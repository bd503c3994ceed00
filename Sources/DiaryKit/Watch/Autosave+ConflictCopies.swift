import DiaryCore

extension Autosave {
  /// Tells of a conflict copy that has just come, for it is not saved.
  func noticeConflictCopy(_ path: EntryPath) {
    guard let copy = ConflictCopy(path), saved.kind(of: copy.original) != .never,
      journal.folder.has(path)
    else { return }
    tell(conflictCopies: [copy])
  }

  func tell(conflictCopies copies: [ConflictCopy]) {
    let fresh = throttle.news(copies)
    if !fresh.isEmpty { tell(.conflictCopies(fresh)) }
  }
}
