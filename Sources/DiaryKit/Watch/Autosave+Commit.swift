import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

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
      await logCommit(outcome)
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

  private func logCommit(_ outcome: SaveOutcome) async {
    if let mended = outcome.mended { tell(.mended(mended)) }
    if let commit = outcome.commit {
      tell(.committed(id: commit.id, message: commit.message, paths: commit.paths))
      packInBackground()
      await schedulePush()
    }
    if throttle.shouldLog(staged: outcome.stagedByWriter) {
      tell(.stagedByWriter(outcome.stagedByWriter))
    }
    if throttle.shouldLog(waiting: outcome.waiting, at: Self.clock), let reason = outcome.waiting {
      tell(.waiting(reason))
    }
  }

  /// After a sitting is a quiet moment. It may take minutes in a large journal, at low priority.
  private func packInBackground() {
    guard packing == nil else { return }
    let journal = journal
    packing = beside { watcher in
      do { try await journal.packSometimes(seconds: 600) } catch {
        if !Task.isCancelled { watcher.report(error) }
      }
      watcher.packing = nil
    }
  }

  /// What is pending is saved and the sitting ended before the watcher ends.
  func finish() async {
    if away != nil { await reopenJournal() }
    guard away == nil else {
      packing?.cancel()
      inbox.close()
      return tell(.ended)
    }
    for (path, stamp) in stamps where stamp.isAsking {
      do { try await journal.owe(path, moment: stamp.moment) } catch { report(error) }
    }
    let last = displaced
    displaced = []
    for aside in last {
      do { try await settle(aside) } catch { report(error) }
    }
    do {
      let outcome = try await journal.save()
      logOutcome(outcome)
      await logCommit(outcome)
    } catch {
      report(error)
    }
    await pushBeforeExit()
    packing?.cancel()
    await packing?.value
    inbox.close()
    tell(.ended)
  }

  /// The journal's folder may be there again, or be another one: all that was open in it is opened
  /// anew, for what stands under the old descriptors is not what the user sees.
  func reopenJournal() async {
    do {
      let fresh = try reopened()
      let isOther = !lock.isFile(at: fresh.watchLock)
      if isOther, unfinishedCopies < 60, fresh.gitLocation.wasWritten(withinSeconds: 2) {
        unfinishedCopies += 1
        away = Backoff(first: 1)
        return
      }
      if isOther { try takeLock(of: fresh) }
      journal = fresh
      saved = SavePolicy(fresh)
      if awayTold != nil || isOther { tell(.returned(root: fresh.root)) }
      (away, awayTold, refusals, unfinishedCopies) = (nil, nil, 0, 0)
      rescan = Backoff(first: 0)
    } catch {
      away = refusals > 0 ? Backoff(first: 1) : away.next(first: 2)
      // A folder that is not there at all is told of when it goes and when it returns.
      if FileManager.default.fileExists(atPath: journal.root) { reportAway(error) }
    }
  }

  private func reopened() throws -> Journal {
    // The folder may be an empty mount point, or lie in another repository by now.
    guard try RepositoryLocation.find(journal: journal.root) == journal.gitLocation else {
      var error = DiaryError.noRepository(of: journal.root)
      error.what += localized(", so nothing can be saved")
      error.hint =
        localized(
          "mount its disk, or bring the repository back; the watcher then continues, and nothing "
            + "is recorded as deleted")
      throw error
    }
    return try Journal(root: journal.root, environment: journal.environment)
  }

  /// Two watchers never run on one journal: the lock of the old folder says nothing of the new one.
  private func takeLock(of fresh: Journal) throws {
    do {
      lock = try Self.lock(of: fresh)
      describeItself()
    } catch {
      // Who asks for the holder's name holds it for a moment, so that one refusal means nothing.
      refusals += 1
      throw error
    }
  }

  func superseded() -> DiaryError {
    DiaryError(
      localized("another watcher has started on \(journal.root), so this one stops"),
      hint: localized("`diary status` shows which one is running"))
  }

  /// Tells why nothing can be saved, once for each absence.
  func reportAway(_ error: any Error) {
    let error = DiaryError(error)
    guard refusals == 0, awayTold != error.what else { return }
    awayTold = error.what
    tell(.trouble(error))
  }
}
