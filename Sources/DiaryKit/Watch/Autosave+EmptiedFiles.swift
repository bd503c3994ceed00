import DiaryCore
import EntryFiles
import FolderWatch
import GitHistory

extension Autosave {
  /// Returns `paths` without saved entries that are now empty. They are saved as empty once quiet
  /// for `longest`, because some editors truncate a file before they write it.
  func pathsNotJustEmptied(_ paths: [EntryPath]) async throws -> [EntryPath] {
    let quiet = MonotonicTime.nanoseconds(journal.settings.longest)
    var remaining: [EntryPath] = []
    for path in paths {
      if let stamp = (try? journal.folder.signature(of: path)) ?? nil, stamp.size == 0,
        try await journal.repository.savedContent(path)?.isEmpty == false
      {
        let age = editors.lastWrite(to: path).map { MonotonicTime.now - $0 } ?? stamp.age
        if age < quiet {
          debouncer.recheck(path, at: MonotonicTime.now + quiet - age, now: MonotonicTime.now)
          continue
        }
      }
      remaining.append(path)
    }
    return remaining
  }
}
