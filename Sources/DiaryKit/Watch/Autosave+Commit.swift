import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

extension Autosave {
  /// Ends the sitting. A deferred commit is tried again with growing pauses.
  func commit() async {
    sittingEndsAt = nil
    do {
      let journal = journal
      let outcome = try await journal.locked { journal in
        var outcome = SaveOutcome()
        try await journal.saver.endSitting(into: &outcome)
        return outcome
      }
      await logCommit(outcome)
      // Files that the user has staged reach the branch when the user commits or unstages them.
      let needsRetry = outcome.deferReason != nil || !outcome.stagedByUser.isEmpty
      commitRetry = needsRetry ? commitRetry.next(first: 2) : nil
      lastWrites = lastWrites.filter { stamps[$0.key] != nil }
      editors = editors.filter { $0.value.isAlive || stamps[$0.key] != nil }
    } catch {
      commitRetry = commitRetry.next(first: 5)
      report(error)
    }
  }

  private func logCommit(_ outcome: SaveOutcome) async {
    if let mended = outcome.indexRepairMessage { emit(.indexRepaired(mended)) }
    if let commit = outcome.commit {
      emit(.committed(id: commit.id, message: commit.message, paths: commit.paths))
      packInBackground()
      await schedulePush()
    }
    if throttle.shouldLog(staged: outcome.stagedByUser) {
      emit(.stagedByUser(outcome.stagedByUser))
    }
    if throttle.shouldLog(deferReason: outcome.deferReason, at: Self.monotonicNow),
      let reason = outcome.deferReason
    {
      emit(.commitDeferred(reason))
    }
  }

  /// Packs objects after a sitting, a quiet moment. It may take minutes, at low priority.
  private func packInBackground() {
    guard packing == nil else { return }
    let journal = journal
    packing = spawn { watcher in
      do { try await journal.packIfDue(timeout: 600) } catch {
        if !Task.isCancelled { watcher.report(error) }
      }
      watcher.packing = nil
    }
  }

  /// Saves what is unsaved and ends the sitting before the watcher ends.
  func shutDown() async {
    if reopenRetry != nil { await reopenJournal() }
    guard reopenRetry == nil else {
      packing?.cancel()
      eventQueue.close()
      return emit(.ended)
    }
    for (path, stamp) in stamps where stamp.isAsking {
      do { try await journal.weather.queueStamp(path, moment: stamp.moment) } catch {
        report(error)
      }
    }
    await releaseDisplacedFiles()
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
    eventQueue.close()
    emit(.ended)
  }

  /// Reopens the journal and everything open in it, because its folder may be back or replaced. The
  /// old descriptors do not refer to the files that the user sees.
  func reopenJournal() async {
    do {
      let fresh = try freshJournal()
      let isOther = !lock.isFile(at: fresh.watchLockPath)
      if isOther, unfinishedCopies < 60, fresh.gitLocation.wasWritten(withinSeconds: 2) {
        unfinishedCopies += 1
        reopenRetry = Backoff(first: 1)
        return
      }
      if isOther { try acquireLock(of: fresh) }
      journal = fresh
      savePolicy = SavePolicy(fresh)
      if reportedAbsence != nil || isOther { emit(.reopened(root: fresh.root)) }
      (reopenRetry, reportedAbsence, lockRefusals, unfinishedCopies) = (nil, nil, 0, 0)
      rescan = Backoff(first: 0)
    } catch {
      reopenRetry = lockRefusals > 0 ? Backoff(first: 1) : reopenRetry.next(first: 2)
      // A folder that does not exist is reported when it disappears and when it returns.
      if FileManager.default.fileExists(atPath: journal.root) { reportAbsence(error) }
    }
  }

  private func freshJournal() throws -> Journal {
    // The folder may be an empty mount point, or be in another repository by now.
    guard try RepositoryLocation.find(journal: journal.root) == journal.gitLocation else {
      var error = DiaryError.noRepository(of: journal.root)
      error.message += localized(", so nothing can be saved")
      error.hint =
        localized(
          "mount its disk, or bring the repository back; the watcher then continues, and nothing "
            + "is recorded as deleted")
      throw error
    }
    return try Journal(root: journal.root, environment: journal.environment)
  }

  /// Acquires the lock in the reopened folder, so that two watchers never run on one journal.
  private func acquireLock(of fresh: Journal) throws {
    do {
      lock = try Self.lock(of: fresh)
      writeStatus()
    } catch {
      // A process that reads the holder's name briefly has the lock, so one refusal means nothing.
      lockRefusals += 1
      throw error
    }
  }

  func supersededError() -> DiaryError {
    DiaryError(
      localized("another watcher has started on \(journal.root), so this one stops"),
      hint: localized("`diary status` shows which one is running"))
  }

  /// Reports why nothing can be saved, once for each absence.
  func reportAbsence(_ error: any Error) {
    let error = DiaryError(error)
    guard lockRefusals == 0, reportedAbsence != error.message else { return }
    reportedAbsence = error.message
    emit(.error(error))
  }
}
