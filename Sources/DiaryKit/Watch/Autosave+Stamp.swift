import DiaryCore
import EntryFiles
import FolderWatch
import Foundation
import GitHistory
import Glibc

/// A stamp that waits for the editor to let go.
struct PendingStamp: Codable {
  /// The moment it tells of, Unix seconds.
  var moment: Int
  /// The weather of that moment, fetched at once, while it is true; `nil`: none came (yet).
  var weather: String?
  /// The weather is being asked for.
  var isAsking = false
}

/// Who has an entry open, as its swap and lock files have told so far.
struct EditorState {
  /// A file was seen that stays as long as the text is open (vim, nano, LibreOffice, Kate).
  var hasSwapFile = false
  /// Processes that lock only while there are unsaved changes (Emacs).
  var lockHolders: Set<Int32> = []
  /// When such a file last came or went, nanoseconds on the monotonic clock.
  var lastLockFileEvent: Int64 = 0

  /// Whether one of them still runs.
  var isAlive: Bool { lockHolders.contains { kill($0, 0) == 0 || errno == EPERM } }
}

extension Autosave {
  /// A new entry was saved: its weather is fetched now and written when the editor has let go. Saves
  /// go on meanwhile.
  func requestStamp(_ path: EntryPath, _ file: FileContents?) {
    updateEditorState(of: path)
    let moment = journal.now
    let needsFetch = journal.canFetchWeather && (file.map(journal.needsWeather) ?? false)
    stamps[path] = PendingStamp(moment: moment, weather: nil, isAsking: needsFetch)
    guard needsFetch else { return }
    spawn { watcher in
      await watcher.fetchWeather(for: path, at: moment)
      watcher.eventQueue.enqueue(.wakeUp)
    }
  }

  private func fetchWeather(for path: EntryPath, at moment: Int) async {
    let journal = journal
    let weather = try? await journal.weatherText(at: moment, for: path, seconds: 10)
    // Owed first: a watcher that ends at this moment owes what it still asks for.
    if weather == nil {
      do {
        try await journal.queueStamp(path, moment: moment)
        queuedStampRetry = queuedStampRetry ?? Backoff(first: 60)
      } catch {
        report(error)
      }
    }
    if stamps[path]?.moment == moment {
      stamps[path] = PendingStamp(moment: moment, weather: weather)
    }
  }

  /// What waits is written down, so that a watcher that ends, in whatever way, leaves it to the next.
  func persistPendingStamps() {
    let texts = Dictionary(uniqueKeysWithValues: stamps.map { ($0.key.text, $0.value) })
    if texts.isEmpty {
      journal.pendingStamps.remove()
    } else {
      try? journal.pendingStamps.write(texts)
    }
  }

  func loadPendingStamps() {
    for (text, stamp) in journal.pendingStamps.read() {
      guard let path = EntryPath(text) else { continue }
      // Who has it open now is not known: the pause of a sitting decides.
      lastWrites[path] = Self.monotonicNow
      stamps[path] = PendingStamp(moment: stamp.moment, weather: stamp.weather)
    }
  }

  /// A swap or lock file came or went beside some entry.
  func editorFileChanged(_ lockFile: EntryPath) {
    guard let path = EditorLockFiles.entry(of: lockFile) else { return }
    editors[path, default: EditorState()].lastLockFileEvent = Self.monotonicNow
    updateEditorState(of: path)
  }

  /// Remembers who has the entry open, as far as swap and lock files tell.
  private func updateEditorState(of path: EntryPath) {
    for lockFile in EditorLockFiles.lockFiles(of: path, in: journal.folder) {
      var editor = editors[path] ?? EditorState()
      if case .running(let process) = lockFile.owner, lockFile.path.name.hasPrefix(".#") {
        editor.lockHolders.insert(process)
      } else {
        editor.hasSwapFile = true
      }
      editors[path] = editor
    }
  }

  /// When the next pending stamp is looked at. While a lock file stands beside the entry its end
  /// wakes us; without one the pause of a sitting decides, and a program that still has the file is
  /// asked about on a slow beat.
  var nextStampCheck: Int64? {
    let timeout = editorIdleTimeout
    return stamps.compactMap { path, stamp in
      guard !stamp.isAsking, !journal.hasEditorLockFile(path) else { return nil }
      let nextPoll = Self.monotonicNow + Self.nanoseconds(2)
      let hasEvidence =
        editors[path]?.hasSwapFile == true || editors[path]?.lockHolders.isEmpty == false
      if hasEvidence { return nextPoll }
      // A program that holds the file for hours is asked about less and less often.
      let last = lastWrites[path] ?? Self.monotonicNow
      let slow = Self.monotonicNow + min((Self.monotonicNow - last) / 8, Self.nanoseconds(60))
      return max(last + timeout, nextPoll, slow)
    }.min()
  }

  /// Without a write for so long, an editor that leaves no sign has let go. `sitting: 0s` says how
  /// often to commit, and nothing about editors.
  var editorIdleTimeout: Int64 {
    let sitting = journal.settings.sitting
    return Self.nanoseconds(sitting > 0 ? sitting : Settings().sitting)
  }

  /// A swap or lock file was seen and is gone and no process holds the file, or a whole
  /// `sitting` has passed without a write. Emacs takes its lock file away at every save and keeps the
  /// text; there the end of the process decides, or twelve sittings without a write.
  private func isEditorClosed(of path: EntryPath) -> Bool {
    if journal.hasEditorLockFile(path) {
      updateEditorState(of: path)
      return false
    }
    let isHeld = !OpenFiles.openPaths(among: [path], root: journal.root).isEmpty
    if isHeld { return false }
    // nano takes its lock file away and makes it anew at every save: what went must stay away.
    let lastEvent = editors[path]?.lastLockFileEvent ?? 0
    guard Self.monotonicNow - lastEvent >= Self.nanoseconds(2) else { return false }
    let quiet = Self.monotonicNow - (lastWrites[path] ?? 0)
    let editor = editors[path] ?? EditorState()
    if editor.isAlive { return quiet >= 12 * max(editorIdleTimeout, Self.nanoseconds(300)) }
    return editor.hasSwapFile || !editor.lockHolders.isEmpty || quiet >= editorIdleTimeout
  }

  /// Writes the stamps whose editors have let go; each is a save of its sitting.
  func writeStamps() async {
    stampCheckAt = nil
    for (path, stamp) in stamps where !stamp.isAsking && isEditorClosed(of: path) {
      stamps[path] = nil
      editors[path] = nil
      do { try await write(stamp, into: path) } catch let error as FileError {
        // Where the file system cannot exchange two files, the watcher does not write.
        if error.reason != .cannotExchange { report(error) }
      } catch {
        stamps[path] = stamps[path] ?? stamp
        report(error)
      }
    }
  }

  private func write(_ stamp: PendingStamp, into path: EntryPath) async throws {
    let journal = journal
    let written = try await journal.withJournalLock {
      try journal.writeStamp(
        path, moment: stamp.moment, weather: stamp.weather, allowsPlainRename: false)
    }
    guard let written else { return }
    lastWrites[path] = Self.monotonicNow
    if let displacedFile = written.aside {
      watchDisplaced(displacedFile, of: path, replacement: written.bytes)
    }
    // It is kept by the same way as a writer's save, should this one fail.
    debouncer.recordWrite(path, at: Self.monotonicNow)
    let (scan, outcome) = try await journal.withJournalLock {
      let found = try await journal.collectChanges([path], atStart: false)
      return (found.scan, try await journal.save(found, from: .command))
    }
    emit(.stamped(path, weather: stamp.weather))
    logOutcome(outcome)
    extendSitting()
    unindexed.merge(scan.candidates) { $1 }
  }
}
