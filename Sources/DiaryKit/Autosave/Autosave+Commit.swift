import DiaryCore
import EntryFiles
import Foundation
import GitHistory

extension Autosave {
  /// Ends the sitting; a branch that must wait is looked at again with growing pauses.
  func commit() async {
    sittingEnds = nil
    do {
      let journal = journal
      let outcome = try await journal.exclusively {
        var outcome = SaveOutcome()
        try await journal.endSitting(into: &outcome)
        return outcome
      }
      await tellEnd(outcome)
      // What the writer has staged goes to the branch when they have committed or unstaged it.
      let isOpen = outcome.waiting != nil || !outcome.stagedByWriter.isEmpty
      commitRetry = isOpen ? commitRetry.next(first: 2) : nil
      lastWrites = lastWrites.filter { stamps[$0.key] != nil }
      editors = editors.filter { $0.value.isAlive || stamps[$0.key] != nil }
    } catch {
      commitRetry = commitRetry.next(first: 5)
      report(error)
    }
  }

  private func tellEnd(_ outcome: SaveOutcome) async {
    if let mended = outcome.mended { tell(.mended(mended)) }
    if let commit = outcome.commit {
      tell(.committed(id: commit.id, message: commit.message, paths: commit.paths))
      packBeside()
      await sendSoon()
    }
    if told.isNews(staged: outcome.stagedByWriter) {
      tell(.stagedByWriter(outcome.stagedByWriter))
    }
    if told.isNews(waiting: outcome.waiting, at: Self.clock), let reason = outcome.waiting {
      tell(.waiting(reason))
    }
  }

  /// After a sitting is a quiet moment. It may take minutes in a large journal, at low priority.
  private func packBeside() {
    guard packing == nil else { return }
    let journal = journal
    packing = beside { watcher in
      do { try await journal.packSometimes(seconds: 600) } catch {
        if !Task.isCancelled { watcher.report(error) }
      }
      watcher.packing = nil
    }
  }

  /// Promise 17: what is pending is saved and the sitting ended before the watcher ends.
  func finish() async {
    for (path, stamp) in stamps where stamp.isAsking {
      do { try await journal.owe(path, moment: stamp.moment) } catch { report(error) }
    }
    let last = asides
    asides = []
    for aside in last {
      do { try await settle(aside) } catch { report(error) }
    }
    do {
      let outcome = try await journal.save()
      announce(outcome)
      await tellEnd(outcome)
    } catch {
      report(error)
    }
    await sendLast()
    packing?.cancel()
    await packing?.value
    inbox.close()
    tell(.ended)
  }

  /// The journal's folder may be there again, or be another one: all that was open in it is opened
  /// anew, for what stands under the old descriptors is not what the writer sees.
  func comeBack() async {
    do {
      let fresh = try Journal(root: journal.root, surroundings: journal.surroundings)
      guard fresh.place == journal.place else {
        throw DiaryError(
          "\(journal.root) is not the journal that was watched",
          hint: "its repository is missing; the watcher goes on when it is back")
      }
      if !lock.isFile(at: fresh.watchLock) { lock = try Self.lock(of: fresh) }
      journal = fresh
      word.goOn(with: fresh)
      saved = SavedPaths(fresh)
      away = nil
      rescan = Retry(first: 0)
    } catch {
      // A folder that is not there at all is told of when it returns.
      away = away.next(first: 2)
      if FileManager.default.fileExists(atPath: journal.root) { report(error) }
    }
  }
}
