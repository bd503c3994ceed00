import DiaryCore

extension Autosave {
  /// Reports a new conflict copy.
  func reportConflictCopy(_ path: EntryPath) {
    guard let copy = ConflictCopy(path), pathClassifier.kind(of: copy.original) != .never,
      journal.folder.hasFile(path)
    else { return }
    log.report([copy])
  }
}
