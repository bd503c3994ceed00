import DiaryCore
import EntryFiles
import FolderWatch
import Foundation
import GitHistory

/// The written files, until each has settled and can be saved.
final class SettlingFiles {
  private var debouncer: Debouncer
  /// The start of the folder's events, on the clock of file times (nanoseconds since 1970).
  private var watchStart = Int64.max

  init(_ settings: Settings) {
    debouncer = Debouncer(
      settle: MonotonicTime.nanoseconds(settings.settle),
      longest: MonotonicTime.nanoseconds(settings.longest))
  }

  /// The time at which the next file settles, in nanoseconds on the monotonic clock.
  var nextDeadline: Int64? { debouncer.nextDeadline() }

  func recordStart() { watchStart = FileSignature.now }

  func recordWrite(to path: EntryPath) { debouncer.recordWrite(path, at: MonotonicTime.now) }

  /// Postpones files that could not be saved; each time, the pause grows.
  func postpone(_ paths: some Sequence<EntryPath>) {
    for path in paths { debouncer.postpone(path, at: MonotonicTime.now) }
  }

  func removeSettled() -> [EntryPath] { debouncer.removeSettled(at: MonotonicTime.now) }

  /// Adds the files among `paths` that were written just now or since the watcher started, however
  /// long a scan took: they are saved in the usual way, because a new entry needs a stamp.
  func recordRecentWrites(
    among paths: [EntryPath], in journal: Journal, _ classifier: PathClassifier
  ) {
    let settle = MonotonicTime.nanoseconds(max(journal.settings.settle, 2))
    for path in paths where classifier.kind(of: path) != .never {
      guard let stamp = (try? journal.folder.signature(of: path)) ?? nil,
        stamp.modified >= watchStart || stamp.age < settle
      else { continue }
      recordWrite(to: path)
    }
  }

  /// Returns the paths that can be saved now. The others settle first: those that a program has open
  /// for writing, and saved entries that are empty. Some editors truncate a file before they write
  /// it, so it is saved as empty once it is quiet for `longest`.
  nonisolated(nonsending) func savablePaths(
    among paths: [EntryPath], _ editors: OpenEditors, in journal: Journal
  ) async throws -> [EntryPath] {
    let settling = Set(debouncer.paths)
    let busy = OpenFiles.pathsOpenForWriting(among: paths, root: journal.root)
    postpone(busy.subtracting(settling))
    let quiet = MonotonicTime.nanoseconds(journal.settings.longest)
    var savable: [EntryPath] = []
    for path in paths where !busy.contains(path) && !settling.contains(path) {
      if let stamp = (try? journal.folder.signature(of: path)) ?? nil, stamp.size == 0,
        try await journal.repository.savedContent(path)?.isEmpty == false
      {
        let now = MonotonicTime.now
        let age = editors.lastWrite(to: path).map { now - $0 } ?? stamp.age
        if age < quiet {
          debouncer.recheck(path, at: now + quiet - age, now: now)
          continue
        }
      }
      savable.append(path)
    }
    return savable
  }
}

extension FileSignature {
  /// The present time, in nanoseconds since 1970.
  fileprivate static var now: Int64 { MonotonicTime.nanoseconds(Date().timeIntervalSince1970) }

  /// The nanoseconds since the file was written; 0 if its time is in the future.
  fileprivate var age: Int64 { max(0, Self.now - modified) }
}
