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
    displaced.append(
      DisplacedFileWatch(
        file: file, path: path, replacement: bytes,
        checkAt: MonotonicTime.after(journal.settings.settle)))
  }

  func watchDisplaced(_ files: [(path: EntryPath, file: DisplacedFile, wrote: [UInt8])]) {
    for (path, file, wrote) in files { watchDisplaced(file, of: path, replacement: wrote) }
  }

  func checkDisplacedFiles() async {
    let due = displaced.filter { schedule.isDue($0.checkAt) }
    displaced.removeAll { schedule.isDue($0.checkAt) }
    for watch in due {
      do { try await resolve(watch) } catch {
        // New text may have been written to it: it is discarded only after that text is saved.
        checkLater(watch)
        report(error)
      }
    }
  }

  /// Ends the watch over displaced files. One to which a program may still write stays for the next
  /// recovery.
  func releaseDisplacedFiles() async {
    let remaining = displaced
    displaced = []
    for watch in remaining {
      do { try await resolve(watch) } catch { report(error) }
    }
    for watch in displaced where watch.file.isBeingWritten { watch.file.leave() }
    displaced = []
  }

  private func resolve(_ watch: DisplacedFileWatch) async throws {
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
    let (outcome, next) = try await journal.locked {
      try await $0.saver.mergeLateWrite(lateBytes, at: watch.path, replacement: watch.replacement)
    }
    watch.file.discard(saved: lateBytes)
    if let next { watchDisplaced(next.file, of: watch.path, replacement: next.wrote) }
    logOutcome(outcome)
    extendSitting()
  }

  private func checkLater(_ watch: DisplacedFileWatch) {
    var again = watch
    again.attempts += 1
    again.checkAt = MonotonicTime.after(journal.settings.settle)
    displaced.append(again)
  }
}
