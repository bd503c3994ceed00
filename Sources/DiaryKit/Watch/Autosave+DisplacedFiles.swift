import DiaryCore
import EntryFiles
import Foundation

/// What came out of an exchange and may still be written into.
struct DisplacedFileWatch: Sendable {
  var file: DisplacedFile
  var path: EntryPath
  /// What the stamp put in its place.
  var replacement: [UInt8]
  /// When it is looked at, nanoseconds on the monotonic clock.
  var checkAt: Int64
  var attempts = 0
}

extension Autosave {
  /// What came out of an exchange is kept aside until `settle` has passed, for an editor
  /// may still be writing into it.
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
        // Words may have arrived in it: it is let go of only when they are kept.
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
      // Emptied to be written anew: the words are still to come.
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

  /// Stamps that are owed from a time without a network; fetched while saves go on. An entry that was
  /// written a moment ago may be open in an editor that leaves no sign: it waits for another time.
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
