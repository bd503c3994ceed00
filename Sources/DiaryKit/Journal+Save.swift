import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// What `diary save` (or the end of a verb) came to.
public struct SaveOutcome: Sendable {
  /// Paths whose present text was kept now.
  public var saved: [EntryPath] = []
  /// The commit on the branch and the paths in it, when there was one.
  public var commit: (id: String, message: String, paths: [EntryPath])?
  /// Paths that the writer has staged; they stay out of Diary's commits.
  public var stagedByWriter: [EntryPath] = []
  /// Why the branch waits although the words are kept, when it does.
  public var waiting: String?
  /// Entries that are gone from the disk without a sure sign of a deletion.
  public var missing: [EntryPath] = []
  /// What was not saved, and why.
  public var leftOut: [LeftOut] = []
}

extension Journal {
  /// Saves everything that has changed and ends the sitting.
  ///
  /// - Parameter deletions: what is missing was deleted on purpose.
  public func save(deletions: Bool = false) async throws -> SaveOutcome {
    try await exclusively {
      let paths = try await self.repository.candidates()
      let found = try await self.gather(
        paths, atStart: true, sureDeletions: deletions ? .confirmed : .look)
      var outcome = try await self.keep(found)
      try await self.endSitting(into: &outcome)
      _ = try await self.refresh()
      try self.writeList()
      return outcome
    }
  }

  /// Saves what a verb has just written, and ends its sitting when no watcher will. The caller holds
  /// the lock. Files that cannot go to the branch stay kept on the saves ref; `status` says why.
  func saveOwn(_ paths: [EntryPath], deleted: Set<EntryPath> = []) async throws -> SaveOutcome {
    let found = try await gather(
      paths + deleted, atStart: false, sureDeletions: .these(deleted))
    var outcome = try await keep(found)
    if runningWatcher == nil { try await endSitting(into: &outcome, only: paths + deleted) }
    _ = try await refresh()
    try writeList()
    return outcome
  }

  /// Saves one entry that a verb has just written.
  public func saveEntry(_ path: EntryPath) async throws -> SaveOutcome {
    try await exclusively { try await self.saveOwn([path]) }
  }

  /// Keeps the changes on the saves ref, durably: working file, objects, ref (promises 1 and 14).
  func keep(_ found: Gathered) async throws -> SaveOutcome {
    var outcome = SaveOutcome()
    outcome.missing = found.missing
    outcome.leftOut = found.leftOut
    guard !found.changes.isEmpty else { return outcome }
    for case .write(let path, _, _) in found.changes { try? folder.sync(path) }
    let moment = now
    let commit = try await repository.save(
      found.changes, message: saveSummary(found.changes), at: moment,
      offsetMinutes: offset(at: moment) / 60)
    if commit != nil {
      outcome.saved = found.changes.map {
        switch $0 {
        case .write(let path, _, _), .delete(let path): path
        }
      }
    }
    return outcome
  }

  /// One commit on the branch for what the saves ref holds beyond it.
  func endSitting(
    into outcome: inout SaveOutcome, only paths: [EntryPath]? = nil, saying words: String? = nil,
    patience: Double = 10
  ) async throws {
    let moment = now
    let zone = zone
    let settings = settings
    let folder = folder
    let message = MessageBox()
    let end = try await repository.commitSitting(
      paths,
      read: { path in
        try folder.read(path).map {
          FileContent(
            bytes: $0.bytes, stamp: $0.stamp, executable: $0.stamp.mode & 0o111 != 0)
        }
      },
      message: { changes in
        message.set(words ?? sittingSummary(changes, settings: settings, zone: zone))
      },
      at: moment, offsetMinutes: offset(at: moment) / 60, patience: .seconds(patience))
    switch end {
    case .committed(let id, let paths, let held):
      outcome.commit = (id.description, message.text, paths)
      outcome.stagedByWriter = held
      try forgetBlanks(paths)
    case .nothing(let held): outcome.stagedByWriter = held
    case .waiting(let reason): outcome.waiting = "\(reason)"
    }
  }

  private func forgetBlanks(_ paths: [EntryPath]) throws {
    guard !blankEntries.isEmpty else { return }
    try blanks.change { blanks in for path in paths { blanks[path.text] = nil } }
  }

  /// The process that watches this journal, when one does: what it wrote down.
  public var runningWatcher: String? { FileLock.holder(of: stateFolder + "/watch.lock") }
}
