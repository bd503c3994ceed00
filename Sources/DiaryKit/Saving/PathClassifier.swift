import DiaryCore
import EntryFiles

/// Sorts the paths of a journal into those that Diary saves and the others (docs/autosave.md, "What
/// is saved").
struct PathClassifier {
  private let journal: Journal
  private let entries: EntryMatcher

  init(_ journal: Journal) {
    self.journal = journal
    entries = EntryMatcher(settings: journal.settings)
  }

  enum Kind { case entry, settings, attachment, file, never }

  func kind(of path: EntryPath) -> Kind {
    if let list = journal.settings.indexFile, path == list {
      return journal.settings.indexIsCommitted ? .file : .never
    }
    if path.text == ".diary/config.yml" || path.text.hasPrefix(".diary/templates/") {
      return FileName.isNeverSaved(path) ? .never : .settings
    }
    if path.isHidden || FileName.isNeverSaved(path) || FileName.isSecret(path) { return .never }
    if entries.isEntry(path) { return .entry }
    if FileName.isMedia(path) { return .attachment }
    return journal.savedFiles == .all ? .file : .never
  }
}
