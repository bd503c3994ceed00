import DiaryCore

extension Autosave {
  /// Reports a new conflict copy, because it is not saved.
  func reportConflictCopy(_ path: EntryPath) {
    guard let copy = ConflictCopy(path), savePolicy.kind(of: copy.original) != .never,
      journal.folder.hasFile(path)
    else { return }
    reportConflictCopies([copy])
  }

  func reportConflictCopies(_ copies: [ConflictCopy]) {
    let fresh = throttle.unlogged(copies)
    if !fresh.isEmpty { emit(.conflictCopies(fresh)) }
  }
}
