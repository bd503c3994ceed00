import DiaryCore
import EntryFiles
import Foundation

/// A file that was displaced by an exchange and may still be written to.
struct DisplacedFileWatch: Sendable {
  var file: DisplacedFile
  var path: EntryPath
  /// The bytes that replaced it.
  var replacement: [UInt8]
  /// The time of the next check, in nanoseconds on the monotonic clock.
  var checkAt: Int64
  var attempts = 0
}

extension Autosave {
  /// Retains a displaced file until `settle` has passed, because an editor may still write to it.
  func watchDisplaced(_ file: DisplacedFile, of path: EntryPath, replacement bytes: [UInt8]) {
    let settle = Self.nanoseconds(journal.settings.settle)
    displaced.append(
      DisplacedFileWatch(
        file: file, path: path, replacement: bytes, checkAt: Self.monotonicNow + settle))
  }

  func checkDisplacedFiles() async {
    let due = displaced.filter { isDue($0.checkAt) }
    displaced.removeAll { isDue($0.checkAt) }
    for watch in due {
      do { try await resolve(watch) } catch {
        // New text may have been written to it: it is discarded only after that text is saved.
        checkLater(watch)
        report(error)
      }
    }
  }

  func resolve(_ watch: DisplacedFileWatch) async throws {
    let isBusy = watch.file.isBeingWritten && watch.attempts < 100
    guard let lateBytes = try watch.file.bytesWrittenAfterReplace(), !isBusy else {
      if isBusy { checkLater(watch) } else { watch.file.discard() }
      return
    }
    if lateBytes.isEmpty, watch.attempts < 10 {
      // The file was truncated before a rewrite; the text is still to come.
      return checkLater(watch)
    }
    let journal = journal
    let (outcome, next) = try await journal.withJournalLock {
      try await journal.mergeLateWrite(lateBytes, at: watch.path, replacement: watch.replacement)
    }
    watch.file.discard()
    if let next { watchDisplaced(next.file, of: watch.path, replacement: next.wrote) }
    logOutcome(outcome)
    extendSitting()
  }

  private func checkLater(_ watch: DisplacedFileWatch) {
    var again = watch
    again.attempts += 1
    again.checkAt = Self.monotonicNow + Self.nanoseconds(journal.settings.settle)
    displaced.append(again)
  }

  /// Fetches and writes stamps that failed without a network, while saves continue. An entry that
  /// was just written may be open in an editor without a lock file, so it is skipped for now.
  func startFillingQueuedStamps() {
    guard isDue(queuedStampRetry?.at), !isFillingStamps else { return }
    isFillingStamps = true
    let pending = Set(stamps.keys)
    let (journal, quiet) = (journal, editorIdleTimeout)
    spawn { watcher in
      await watcher.fillQueuedStamps { path in
        guard !pending.contains(path), let stamp = try? journal.folder.signature(of: path) else {
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
      let filled = try await journal.fillQueuedStamps(mayWrite)
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
