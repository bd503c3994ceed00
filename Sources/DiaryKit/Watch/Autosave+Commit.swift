import DiaryCore
import GitHistory

extension Autosave {
  /// Ends the sitting. A deferred commit is tried again with growing pauses.
  func commit() async {
    schedule.sittingEndsAt = nil
    stamps.unblockAll()
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
      if needsRetry { schedule.retry(.commit, first: 2) } else { schedule[.commit] = nil }
      editors.endSitting(keeping: stamps.paths.contains)
    } catch {
      schedule.retry(.commit, first: 5)
      report(error)
    }
  }

  private func logCommit(_ outcome: SaveOutcome) async {
    log.addCommit(outcome)
    guard outcome.commit != nil else { return }
    repackInBackground()
    await sync.schedulePush(of: journal)
  }

  /// Repacks objects after a sitting, a quiet moment. It may take minutes, at low priority.
  private func repackInBackground() {
    guard repacking == nil else { return }
    let journal = journal
    // A watcher that may rest does so after it.
    repacking = spawn(wakesUp: mayRest) { watcher in
      do { try await journal.repackIfDue(timeout: 600) } catch {
        if !Task.isCancelled { watcher.report(error) }
      }
      watcher.repacking = nil
    }
  }

  /// Saves what is unsaved and ends the sitting before the watcher ends.
  func shutDown() async {
    if schedule[.reopen] != nil { await reopenJournal() }
    guard schedule[.reopen] == nil else { return log.emit(.ended) }
    let journal = journal
    for (path, stamp) in stamps.asking {
      await reportingErrors { try await journal.weather.queueStamp(path, moment: stamp.moment) }
    }
    handle(await displaced.check(in: journal, isLast: true))
    await reportingErrors {
      let outcome = try await journal.save()
      logOutcome(outcome)
      await logCommit(outcome)
    }
    await pushBeforeExit()
    repacking?.cancel()
    await repacking?.value
    log.emit(.ended)
  }
}
