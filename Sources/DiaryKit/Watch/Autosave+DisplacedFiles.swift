import DiaryCore
import EntryFiles
import Foundation

/// What came out of an exchange and may still be written into.
struct DisplacedFileWatch: Sendable {
  var file: DisplacedFile
  var path: EntryPath
  /// What the stamp put in its place.
  var wrote: [UInt8]
  /// When it is looked at, nanoseconds on the monotonic clock.
  var until: Int64
  var looks = 0
}

extension Autosave {
  /// What came out of an exchange is kept aside until `settle` has passed, for an editor
  /// may still be writing into it.
  func watchDisplaced(at file: DisplacedFile, of path: EntryPath, wrote bytes: [UInt8]) {
    let settle = Self.nanoseconds(journal.settings.settle)
    displaced.append(
      DisplacedFileWatch(file: file, path: path, wrote: bytes, until: Self.clock + settle))
  }

  func checkDisplacedFiles() async {
    let due = displaced.filter { isDue($0.until) }
    displaced.removeAll { isDue($0.until) }
    for aside in due {
      do { try await settle(aside) } catch {
        // Words may have arrived in it: it is let go of only when they are kept.
        lookAgain(at: aside)
        report(error)
      }
    }
  }

  func settle(_ aside: DisplacedFileWatch) async throws {
    let isBusy = aside.file.isBeingWritten && aside.looks < 100
    guard let late = try aside.file.lateBytes(), !isBusy else {
      if isBusy { lookAgain(at: aside) } else { aside.file.discard() }
      return
    }
    if late.isEmpty, aside.looks < 10 {
      // Emptied to be written anew: the words are still to come.
      return lookAgain(at: aside)
    }
    let journal = journal
    let (kept, next) = try await journal.exclusively {
      try await journal.takeIn(late: late, at: aside.path, wrote: aside.wrote)
    }
    aside.file.discard()
    if let next { watchDisplaced(at: next.file, of: aside.path, wrote: next.wrote) }
    logOutcome(kept)
    extendSitting()
  }

  private func lookAgain(at aside: DisplacedFileWatch) {
    var again = aside
    again.looks += 1
    again.until = Self.clock + Self.nanoseconds(journal.settings.settle)
    displaced.append(again)
  }

  /// Stamps that are owed from a time without a network; fetched while saves go on. An entry that was
  /// written a moment ago may be open in an editor that leaves no sign: it waits for another time.
  func fillPendingStamps() {
    guard isDue(owedRetry?.at), !isPayingOwed else { return }
    isPayingOwed = true
    let waiting = Set(stamps.keys)
    let (journal, quiet) = (journal, letGoPause)
    beside { watcher in
      await watcher.pay { path in
        guard !waiting.contains(path), let stamp = try? journal.folder.stamp(path) else {
          return false
        }
        return Int64(journal.now) * 1_000_000_000 - stamp.modified >= quiet
      }
      watcher.inbox.put(.tick)
    }
  }

  private func pay(_ mayWrite: @Sendable (EntryPath) -> Bool) async {
    defer { isPayingOwed = false }
    do {
      let paid = try await journal.fillQueuedStamps(mayWrite)
      for path in paid.written {
        tell(.stamped(path, weather: nil))
        lastWrites[path] = Self.clock
      }
      if !paid.written.isEmpty { extendSitting() }
      owedRetry = paid.left ? owedRetry?.next() : nil
    } catch {
      owedRetry = owedRetry.next(first: 60)
      report(error)
    }
  }
}
