import DiaryCore

/// The log of a watcher: it says each thing once, and an error once an hour.
struct WatcherLog {
  let emit: @Sendable (WatchEvent) -> Void
  private var throttle = LogThrottle()
  /// The number of errors so far.
  private(set) var errorCount = 0

  init(_ emit: @escaping @Sendable (WatchEvent) -> Void) { self.emit = emit }

  mutating func report(_ error: DiaryError) {
    errorCount += 1
    if throttle.shouldLog(error, at: MonotonicTime.now) { emit(.error(error)) }
  }

  /// Reports conflict copies, because they are not saved.
  mutating func report(_ copies: [ConflictCopy]) {
    let fresh = throttle.unlogged(copies)
    if !fresh.isEmpty { emit(.conflictCopies(fresh)) }
  }

  mutating func add(_ outcome: SaveOutcome) {
    let saved = Set(outcome.saved)
    let moved = outcome.moved.filter { saved.contains($0.key) }
    let written = outcome.saved.filter {
      !outcome.deleted.contains($0) && !moved.values.contains($0)
    }
    let deleted = outcome.deleted.filter { saved.contains($0) && moved[$0] == nil }.sorted()
    if !written.isEmpty { emit(.saved(written)) }
    if !moved.isEmpty { emit(.moved(moved)) }
    if !deleted.isEmpty { emit(.deleted(deleted)) }
    if !outcome.missing.isEmpty { emit(.missing(outcome.missing)) }
    let fresh = throttle.unlogged(outcome.skipped + outcome.missingPictures)
    if !fresh.isEmpty { emit(.skipped(fresh)) }
  }

  mutating func addCommit(_ outcome: SaveOutcome) {
    if let mended = outcome.indexRepairMessage { emit(.indexRepaired(mended)) }
    if let commit = outcome.commit {
      emit(.committed(id: commit.id, message: commit.message, paths: commit.paths))
    }
    if throttle.shouldLog(staged: outcome.stagedByUser) {
      emit(.stagedByUser(outcome.stagedByUser))
    }
    if throttle.shouldLog(deferReason: outcome.deferReason, at: MonotonicTime.now),
      let reason = outcome.deferReason
    {
      emit(.commitDeferred(reason))
    }
  }

  /// Adds a complete sync: it is reported if the last one failed.
  mutating func addSync(_ outcome: SyncOutcome, wasFailing: Bool) {
    if wasFailing || throttle.shouldLog(syncError: nil) { emit(.syncRecovered(outcome.remote)) }
  }

  mutating func addSyncFailure(_ error: DiaryError) {
    if throttle.shouldLog(syncError: error.message) { emit(.syncFailed(error)) }
  }

  /// Removes and returns the missing paths that have not been missing for `settle` seconds.
  mutating func removeUnconfirmed(
    from outcome: inout SaveOutcome, after settle: Double
  ) -> [EntryPath] {
    let missing = outcome.missing
    outcome.missing = throttle.confirmedMissing(
      missing, at: MonotonicTime.now, after: MonotonicTime.nanoseconds(settle))
    let confirmed = Set(outcome.missing)
    return missing.filter { !confirmed.contains($0) }
  }
}
