import DiaryCore
import EntryFiles

/// The files that an exchange displaced, until `settle` has passed: an editor may still write to
/// them. Such text is merged into the file, and a displaced file is discarded only then.
final class DisplacedFiles {
  private struct WatchedFile: Sendable {
    var path: EntryPath
    var file: DisplacedFile
    /// The bytes that replaced it.
    var replacement: [UInt8]
    /// The time of the next check, in nanoseconds on the monotonic clock.
    var checkAt: Int64
    var attempts = 0
  }

  private var watched: [WatchedFile] = []

  var nextCheck: Int64? { watched.map(\.checkAt).min() }

  func add(
    _ files: [(path: EntryPath, file: DisplacedFile, wrote: [UInt8])], of journal: Journal
  ) {
    let checkAt = MonotonicTime.after(journal.settings.settle)
    watched += files.map {
      WatchedFile(path: $0.path, file: $0.file, replacement: $0.wrote, checkAt: checkAt)
    }
  }

  /// Checks the files that are due; at the end of the watch all, and then one to which a program may
  /// still write stays for the next recovery. Returns the saves of late text, and the errors.
  nonisolated(nonsending) func check(
    in journal: Journal, isLast: Bool = false
  ) async -> [Result<SaveOutcome, any Error>] {
    let now = isLast ? Int64.max : MonotonicTime.now
    let due = watched.filter { $0.checkAt <= now }
    watched.removeAll { $0.checkAt <= now }
    var results: [Result<SaveOutcome, any Error>] = []
    for file in due {
      do {
        if let outcome = try await resolve(file, in: journal) { results.append(.success(outcome)) }
      } catch {
        // New text may have been written to it: it is discarded only after that text is saved.
        checkLater(file, in: journal)
        results.append(.failure(error))
      }
    }
    guard isLast else { return results }
    for remaining in watched where remaining.file.isBeingWritten { remaining.file.leave() }
    watched = []
    return results
  }

  /// Returns the save of text that was written to the file after it was displaced.
  nonisolated(nonsending) private func resolve(
    _ watched: WatchedFile, in journal: Journal
  ) async throws -> SaveOutcome? {
    let isBusy = watched.file.isBeingWritten && watched.attempts < 100
    guard let lateBytes = try watched.file.bytesWrittenAfterReplace(), !isBusy else {
      if isBusy { checkLater(watched, in: journal) } else { watched.file.discard() }
      return nil
    }
    if lateBytes.isEmpty, watched.attempts < 10 {
      // The file was truncated before a rewrite; the text is still to come.
      checkLater(watched, in: journal)
      return nil
    }
    let (outcome, next) = try await journal.locked {
      try await $0.saver.mergeLateWrite(
        lateBytes, at: watched.path, replacement: watched.replacement)
    }
    watched.file.discard(saved: lateBytes)
    if let next { add([(watched.path, next.file, next.wrote)], of: journal) }
    return outcome
  }

  private func checkLater(_ file: WatchedFile, in journal: Journal) {
    var again = file
    again.attempts += 1
    again.checkAt = MonotonicTime.after(journal.settings.settle)
    watched.append(again)
  }
}
