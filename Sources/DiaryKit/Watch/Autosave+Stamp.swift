import DiaryCore
import EntryFiles
import FolderWatch
import Foundation
import GitHistory
import Glibc

/// A stamp that waits until the editor closes.
struct WaitingStamp: Codable {
  /// The moment of the stamp, in Unix seconds.
  var moment: Int
  /// The weather of that moment, fetched while it is current; `nil` if there is none (yet).
  var weather: String?
  /// True while the weather is being fetched.
  var isAsking = false
}

/// The editors that have an entry open, as far as their swap and lock files show.
struct EditorState {
  /// True if a file was seen that exists while the text is open (vim, nano, LibreOffice, Kate).
  var hasSwapFile = false
  /// Processes with a lock file that exists only while there are unsaved changes (Emacs).
  var lockHolders: Set<Int32> = []
  /// The time of the last event of such a file, in nanoseconds on the monotonic clock.
  var lastLockFileEvent: Int64 = 0

  /// True if one of these processes is still running.
  var isAlive: Bool { lockHolders.contains { kill($0, 0) == 0 || errno == EPERM } }
}

extension Autosave {
  /// Requests the stamp of a new, saved entry. Its weather is fetched now, while saves continue,
  /// and written when the editor has closed.
  func requestStamp(_ path: EntryPath, _ file: FileContents?) {
    updateEditorState(of: path)
    let moment = journal.now
    let needsFetch =
      journal.weather.canFetchWeather && (file.map(journal.weather.needsWeather) ?? false)
    stamps[path] = WaitingStamp(moment: moment, weather: nil, isAsking: needsFetch)
    guard needsFetch else { return }
    spawn { watcher in
      await watcher.fetchWeather(for: path, at: moment)
      watcher.eventQueue.enqueue(.wakeUp)
    }
  }

  private func fetchWeather(for path: EntryPath, at moment: Int) async {
    let journal = journal
    let weather = try? await journal.weather.weatherText(at: moment, for: path, seconds: 10)
    // Queued before the waiting stamp is replaced, so that a watcher that ends now loses neither.
    if weather == nil {
      do {
        try await journal.weather.queueStamp(path, moment: moment)
        queuedStampRetry = queuedStampRetry ?? Backoff(first: 60)
      } catch {
        report(error)
      }
    }
    if stamps[path]?.moment == moment {
      stamps[path] = WaitingStamp(moment: moment, weather: weather)
    }
  }

  /// Stores the waiting stamps, so that the next watcher has them however this one ends.
  func persistStamps() {
    let texts = Dictionary(stamps.map { ($0.key.text, $0.value) }) { first, _ in first }
    if texts.isEmpty {
      journal.state.waitingStamps.remove()
    } else {
      try? journal.state.waitingStamps.write(texts)
    }
  }

  /// Moves the waiting stamps of files that have moved, and what is known about their editors.
  func followMoves(_ moves: [EntryPath: EntryPath]) {
    for (path, target) in moves {
      if let stamp = stamps.removeValue(forKey: path) { stamps[target] = stamp }
      if let editor = editors.removeValue(forKey: path) { editors[target] = editor }
      if let time = lastWrites.removeValue(forKey: path) { lastWrites[target] = time }
    }
  }

  func loadStamps() {
    for (text, stamp) in journal.state.waitingStamps.read() {
      guard let path = EntryPath(text) else { continue }
      // It is unknown which editor has it open now: the pause of a sitting decides.
      lastWrites[path] = Self.monotonicNow
      stamps[path] = WaitingStamp(moment: stamp.moment, weather: stamp.weather)
    }
  }

  /// Handles the creation or removal of a swap or lock file next to an entry.
  func editorFileChanged(_ lockFile: EntryPath) {
    guard let path = EditorLockFiles.entry(of: lockFile) else { return }
    editors[path, default: EditorState()].lastLockFileEvent = Self.monotonicNow
    updateEditorState(of: path)
    scheduleCheckoutRetry(after: [path])
  }

  /// Records the editors that have the entry open, as far as swap and lock files show.
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

  /// The time of the next check of the waiting stamps. While a lock file exists next to the entry,
  /// its removal is an event. Without one, the pause of a sitting decides, and a program that still
  /// has the file open is checked for at slow intervals.
  var nextStampCheck: Int64? {
    let timeout = editorIdleTimeout
    let next = stamps.compactMap { path, stamp -> Int64? in
      guard !stamp.isAsking, !journal.hasEditorLockFile(path) else { return nil }
      let nextPoll = Self.monotonicNow + Self.nanoseconds(2)
      let hasEvidence =
        editors[path]?.hasSwapFile == true || editors[path]?.lockHolders.isEmpty == false
      if hasEvidence { return nextPoll }
      // A program that has the file open for hours is checked for less and less often.
      let last = lastWrites[path] ?? Self.monotonicNow
      let slow = Self.monotonicNow + min((Self.monotonicNow - last) / 8, Self.nanoseconds(60))
      return max(last + timeout, nextPoll, slow)
    }.min()
    return next.map { max($0, stampRetry?.at ?? $0) }
  }

  /// The write pause after which an editor without lock files counts as closed. `sitting: 0s` sets
  /// how often to commit, and is not used here.
  var editorIdleTimeout: Int64 {
    let sitting = journal.settings.sitting
    return Self.nanoseconds(sitting > 0 ? sitting : Settings().sitting)
  }

  /// True if a swap or lock file was seen and removed and no process has the file open, or if a
  /// `sitting` has passed without a write. Emacs removes its lock file at every save but keeps the
  /// text open: there, the process must exit, or twelve sittings pass without a write.
  private func isEditorClosed(of path: EntryPath) -> Bool {
    if journal.hasEditorLockFile(path) {
      updateEditorState(of: path)
      return false
    }
    let isHeld = !OpenFiles.openPaths(among: [path], root: journal.root).isEmpty
    if isHeld { return false }
    // nano removes and recreates its lock file at every save, so the file must stay absent.
    let lastEvent = editors[path]?.lastLockFileEvent ?? 0
    guard Self.monotonicNow - lastEvent >= Self.nanoseconds(2) else { return false }
    let quiet = Self.monotonicNow - (lastWrites[path] ?? 0)
    let editor = editors[path] ?? EditorState()
    if editor.isAlive { return quiet >= 12 * max(editorIdleTimeout, Self.nanoseconds(300)) }
    return editor.hasSwapFile || !editor.lockHolders.isEmpty || quiet >= editorIdleTimeout
  }

  /// Writes the stamps whose editors have closed; each is a save of its sitting. A stamp is forgotten
  /// only when it is saved, so that neither an error nor a kill loses it.
  func writeStamps() async {
    stampCheckAt = nil
    for (path, stamp) in stamps where !stamp.isAsking && isEditorClosed(of: path) {
      do {
        var isDone = true
        do { isDone = try await write(stamp, into: path) } catch let error as FileError
          where error.reason == .cannotExchange
        {}  // The watcher does not write where the file system cannot exchange two files.
        guard isDone else {
          stampRetry = stampRetry.next(first: 2)
          continue
        }
        if stamps[path]?.moment == stamp.moment { stamps[path] = nil }
        (editors[path], stampRetry) = (nil, nil)
      } catch {
        stampRetry = stampRetry.next(first: 2)
        report(error)
      }
    }
  }

  /// Returns false if a command would not change the file either, as while a sync has a newer text
  /// for it. A file that is gone gets no stamp.
  private func write(_ stamp: WaitingStamp, into path: EntryPath) async throws -> Bool {
    let journal = journal
    guard journal.folder.presence(of: path) != .absent else { return true }
    typealias Written = (bytes: [UInt8], aside: DisplacedFile?)
    let (isSettled, written) = try await journal.locked { journal -> (Bool, Written?) in
      guard let file = try await journal.saver.enter([path]).settled[path] else {
        return (false, nil)
      }
      let written = try await journal.writeStamp(
        file, moment: stamp.moment, weather: stamp.weather, allowsPlainRename: false)
      return (true, written)
    }
    guard let written else { return isSettled }
    lastWrites[path] = Self.monotonicNow
    if let displacedFile = written.aside {
      watchDisplaced(displacedFile, of: path, replacement: written.bytes)
    }
    // If this save fails, the file is saved like a change by the user.
    debouncer.recordWrite(path, at: Self.monotonicNow)
    let (scan, outcome) = try await journal.locked { journal in
      let found = try await journal.saver.collectChanges([path], atStart: false)
      return (found.scan, try await journal.saver.saveChanges(found, from: .command))
    }
    emit(.stamped(path, weather: stamp.weather))
    logOutcome(outcome)
    extendSitting()
    unindexed.merge(scan.candidates) { $1 }
    return true
  }

  /// Fetches and writes stamps that failed without a network, while saves continue. An entry that
  /// was just written may be open in an editor without a lock file, so it is skipped for now.
  func startFillingQueuedStamps() {
    guard isDue(queuedStampRetry?.at), !isFillingStamps else { return }
    isFillingStamps = true
    let waiting = Set(stamps.keys)
    let (journal, quiet) = (journal, editorIdleTimeout)
    spawn { watcher in
      await watcher.fillQueuedStamps { path in
        guard !waiting.contains(path), let stamp = try? journal.folder.signature(of: path) else {
          return false
        }
        return Int64(journal.now) * 1_000_000_000 - stamp.modified >= quiet
      }
      watcher.eventQueue.enqueue(.wakeUp)
    }
  }

  private func fillQueuedStamps(_ mayWrite: @Sendable (EntryPath) -> Bool) async {
    defer { isFillingStamps = false }
    do {
      let filled = try await journal.weather.fillQueuedStamps(mayWrite)
      for path in filled.written {
        emit(.stamped(path, weather: nil))
        lastWrites[path] = Self.monotonicNow
      }
      if !filled.written.isEmpty { extendSitting() }
      queuedStampRetry = filled.left ? queuedStampRetry?.next() : nil
    } catch {
      queuedStampRetry = queuedStampRetry.next(first: 60)
      report(error)
    }
  }
}
