import DiaryCore
import EntryFiles
import FolderWatch
import Foundation
import GitHistory

extension Autosave {
  /// Saves are per branch: after a switch, what the writer carried over is unknown to the new one's
  /// saves, and no file has changed for it.
  func detectBranchSwitch() async {
    guard let now = try? await journal.repository.head().line, now != branch else { return }
    if branch != nil { rescan = rescan ?? Backoff(first: 0) }
    branch = now
  }

  /// What changed while nobody watched, or while events were lost.
  func rescanAll() async {
    // Before the saves, so that no leftover stays pending; and never in their way.
    await look { journal in try await journal.exclusively { try await journal.tidy() } }
    do {
      rescan = try await saveChangesSinceStart() ? nil : Backoff(first: journal.settings.settle)
    } catch {
      rescan = rescan.next(first: 2)
      return report(error)
    }
    await list()
    await look { await self.tell(conflictCopies: try await $0.conflictCopies()) }
    owedRetry = journal.owed.read().isEmpty ? nil : Backoff(first: 1)
  }

  /// Answers whether that is all: what is missing may have moved to where this look has not come.
  private func saveChangesSinceStart() async throws -> Bool {
    let journal = journal
    let changed = try await journal.changedPaths()
    // What is still being written comes by the usual way, when it has settled.
    let busy = OpenFiles.writers(of: changed, root: journal.root)
    for path in busy where !settler.paths.contains(path) { settler.hold(path, at: Self.clock) }
    // So does what was written this very moment or since the watcher began, however long this look
    // took: it may be an entry that is new, and wants its stamp.
    for path in changed where wasJustModified(path) { settler.touched(path, at: Self.clock) }
    let unsettled = busy.union(settler.paths)
    let paths = try await excludingJustEmptied(changed.filter { !unsettled.contains($0) })
    var outcome = try await journal.exclusively {
      try await journal.keep(try await journal.collectChanges(paths, atStart: true))
    }
    let missing = stillMissing(outcome.missing)
    let isAll = missing.count == outcome.missing.count
    outcome.missing = missing
    logOutcome(outcome)
    try await restoreSittingTimer()
    return isAll
  }

  private func wasJustModified(_ path: EntryPath) -> Bool {
    guard saved.kind(of: path) != .never, let stamp = (try? journal.folder.stamp(path)) ?? nil
    else { return false }
    return stamp.modified >= began
      || Self.age(of: stamp) < Self.nanoseconds(max(journal.settings.settle, 2))
  }

  /// A sitting that an earlier watcher left open ends when `sitting` has passed since its last save.
  private func restoreSittingTimer() async throws {
    guard let last = try await journal.repository.pending().map(\.lastSaved).max() else { return }
    let sitting = journal.settings.sitting
    let quiet = min(max(Double(journal.now - last), 0), sitting)
    sittingEnds = Self.clock + Self.nanoseconds(sitting - quiet)
  }

  /// Saves the files that have settled. Those that could not be saved are still on the disk alone,
  /// and are tried again.
  func saveSettledFiles() async {
    let due = settler.due(at: Self.clock)
    guard !due.isEmpty else { return }
    do { try await save(due) } catch {
      for path in due { settler.hold(path, at: Self.clock) }
      report(error)
    }
  }

  private func save(_ due: [EntryPath]) async throws {
    let busy = OpenFiles.writers(of: due, root: journal.root)
    let paths = try await excludingJustEmptied(due.filter { !busy.contains($0) })
    for path in busy { settler.hold(path, at: Self.clock) }
    guard !paths.isEmpty else { return }
    let journal = journal
    let (scan, fresh, kept) = try await journal.exclusively {
      let found = try await journal.collectChanges(paths, atStart: false)
      let fresh = try await journal.newEntries(among: paths, in: found.scan)
      return (found.scan, fresh, try await journal.keep(found))
    }
    var outcome = kept
    let missing = stillMissing(outcome.missing)
    for path in outcome.missing where !missing.contains(path) {
      settler.hold(path, at: Self.clock)
    }
    outcome.missing = missing
    outcome.skipped += await journal.ignoring(outcome.ignored)
    logOutcome(outcome)
    let others = Set(paths).subtracting(outcome.saved + outcome.missing + outcome.stillChanging)
      .filter { scan.candidates[$0]?.kind == .entry }
    if !others.isEmpty { tell(.savedElsewhere(others.sorted())) }
    // A late save was merged: the file follows when its editor lets go.
    if arrivalLook == nil, outcome.hasPendingCheckouts { scheduleCheckoutRetry(false) }
    try await extendSittingIfPending(after: outcome)
    // A page or a command may have begun an entry whose weather is owed.
    if owedRetry == nil, !journal.owed.read().isEmpty { owedRetry = Backoff(first: 1) }
    unlisted.merge(scan.candidates) { $1 }
    for path in fresh where outcome.saved.contains(path) {
      requestStamp(path, scan.candidates[path]?.file)
    }
  }

  /// A save prolongs the sitting; a write that changed nothing does not. What a command has kept itself
  /// begins one.
  private func extendSittingIfPending(after outcome: SaveOutcome) async throws {
    if !outcome.saved.isEmpty {
      extendSitting()
    } else if sittingEnds == nil, commitRetry == nil,
      try await !journal.repository.pending().isEmpty
    {
      extendSitting()
    }
  }

  /// An entry that was saved and is now empty is saved as empty, once quiet for `longest`: some
  /// editors empty the file before they write it.
  private func excludingJustEmptied(_ paths: [EntryPath]) async throws -> [EntryPath] {
    let quiet = Self.nanoseconds(journal.settings.longest)
    var kept: [EntryPath] = []
    for path in paths {
      if let stamp = (try? journal.folder.stamp(path)) ?? nil, stamp.size == 0,
        try await journal.repository.savedContent(path)?.isEmpty == false
      {
        let age = lastWrites[path].map { Self.clock - $0 } ?? Self.age(of: stamp)
        if age < quiet {
          settler.lookAgain(path, at: Self.clock + quiet - age, now: Self.clock)
          continue
        }
      }
      kept.append(path)
    }
    return kept
  }

  /// Nanoseconds since the file was written; none when its time lies in the future.
  private static func age(of stamp: FileSignature) -> Int64 {
    max(0, nanoseconds(Date().timeIntervalSince1970) - stamp.modified)
  }

  private func stillMissing(_ paths: [EntryPath]) -> [EntryPath] {
    let settle = Self.nanoseconds(journal.settings.settle)
    return throttle.stillMissing(paths, at: Self.clock, after: settle)
  }

  func extendSitting() {
    sittingEnds = Self.clock + Self.nanoseconds(journal.settings.sitting)
  }

  /// Does what may fail without keeping a save from being made, or a sitting from ending.
  func look(_ update: @Sendable (Journal) async throws -> Void) async {
    do { try await update(journal) } catch { report(error) }
  }

  func logOutcome(_ outcome: SaveOutcome) {
    let kept = Set(outcome.saved)
    let moved = outcome.moved.filter { kept.contains($0.key) }
    let written = outcome.saved.filter {
      !outcome.deleted.contains($0) && !moved.values.contains($0)
    }
    let deleted = outcome.deleted.filter { kept.contains($0) && moved[$0] == nil }.sorted()
    if !written.isEmpty { tell(.saved(written)) }
    if !moved.isEmpty { tell(.moved(moved)) }
    if !deleted.isEmpty { tell(.deleted(deleted)) }
    if !outcome.missing.isEmpty { tell(.missing(outcome.missing)) }
    let fresh = throttle.news(outcome.skipped + outcome.notFound)
    if !fresh.isEmpty { tell(.skipped(fresh)) }
    for path in outcome.stillChanging { settler.hold(path, at: Self.clock) }
  }
}

extension Head {
  /// What saves are kept under: the branch, or that there is none.
  var line: String {
    switch self {
    case .unborn(let branch), .branch(let branch, _): branch
    case .detached: ""
    }
  }
}
