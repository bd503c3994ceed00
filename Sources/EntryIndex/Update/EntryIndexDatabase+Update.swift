import DiaryCore
import Foundation
import GRDB

extension EntryIndexDatabase {
  /// How many entries are read and then stored in one transaction.
  static let batchSize = 1000

  /// Brings the whole catalogue up to date with a walk of the journal.
  ///
  /// - Parameters:
  ///   - files: every file that has the name of an entry and is taken by the settings.
  ///   - readAt: when the walk began, ns since 1970.
  ///   - ignored: what git says of all these files; only looked at while ``isEmpty``.
  ///   - read: called with the paths that are new, changed or in doubt, some hundred at a time, while
  ///     nobody else can write into the index. What it leaves out is gone, or no entry. Its errors end the update.
  package func update(
    files: [IndexedFile], readAt: Int64, ignored: IgnoredPaths? = nil,
    read: ([EntryPath]) throws -> [ReadEntry]
  ) throws -> IndexChange {
    let sorted = files.isSorted ? files : files.sorted { $0.path < $1.path }
    return try runWithRecovery { store in
      let isFirst = try store.queue.read { try Schema.value($0, Schema.completeKey) == nil }
      if isFirst, store.name != nil {
        return try fill(sorted.map(\.path), ignored, read)
      }
      let merge = try readUnderWriteLock(store) {
        try ScanDiff($0, files: sorted, scanStartedAt: readAt)
      }
      var change = IndexChange()
      change.isFirst = isFirst
      if !merge.missing.isEmpty {
        change.removed = try store.queue.write { database in
          let rows = EntryRows(database: database)
          return try merge.missing.filter { try rows.remove($0.path, readAt: $0.readAt) }.map(
            \.path)
        }
      }
      try readAndStore(merge.toRead, into: store, &change, read)
      if isFirst { try store.queue.write { try Schema.setValue($0, Schema.completeKey, "1") } }
      return change
    }
  }

  /// Brings these paths up to date, whether they are still there or not; `read` as in
  /// ``update(files:readAt:ignored:read:)``. Throws ``IndexError/incomplete(path:)`` when the
  /// catalogue has not seen a whole walk yet, or was lost meanwhile.
  package func update(
    paths: [EntryPath], read: ([EntryPath]) throws -> [ReadEntry]
  ) throws -> IndexChange {
    try runWithRecovery { store in
      let isComplete = try store.queue.read { try Schema.value($0, Schema.completeKey) != nil }
      guard isComplete else { throw IndexError.incomplete(path: path) }
      var change = IndexChange()
      try readAndStore(Array(Set(paths)).sorted(), into: store, &change, read)
      return change
    }
  }

  /// Looks into the index while nobody writes into it: what another process has read before this walk
  /// is in it, and what it reads later is as new as the walk. One that cannot be written has no writers.
  private func readUnderWriteLock<Found>(
    _ store: IndexConnection, _ query: (Database) throws -> Found
  ) throws -> Found {
    do { return try store.queue.write(query) } catch let error as DatabaseError {
      let harmless: [ResultCode] = [.SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_BUSY]
      guard harmless.contains(error.resultCode) else { throw error }
      return try store.queue.read(query)
    }
  }

  private func readAndStore(
    _ paths: [EntryPath], into store: IndexConnection, _ change: inout IndexChange,
    _ read: ([EntryPath]) throws -> [ReadEntry]
  ) throws {
    for start in stride(from: 0, to: paths.count, by: EntryIndexDatabase.batchSize) {
      let asked = Array(paths[start..<min(start + EntryIndexDatabase.batchSize, paths.count)])
      // Read while the index is held: what another process has read later is not undone.
      let portion = try store.queue.write { database in
        let found: [ReadEntry]
        do { found = try read(asked) } catch { throw EntryReadError(cause: error) }
        return try EntryRows(database: database).store(asked, found: found)
      }
      change.added += portion.added
      change.changed += portion.changed
      change.removed += portion.removed
    }
    change.sort()
  }

  /// Runs an update; where the database fails, once more in a new one, and then in memory. What the
  /// caller threw while reading, and the catalogue's own words, pass through.
  private func runWithRecovery(_ work: (IndexConnection) throws -> IndexChange) throws
    -> IndexChange
  {
    var failures = 0
    while true {
      let store: IndexConnection
      do { store = try currentConnection() } catch {
        throw IndexError("open the index", path: path, error)
      }
      do {
        return try work(store)
      } catch let error as EntryReadError {
        throw error.cause
      } catch let error as IndexError {
        throw error
      } catch {
        let indexError = IndexError("update the index", path: path, error)
        failures += 1
        guard failures < 3, store.name != nil else { throw indexError }
        if isCorruption(error), failures == 1 {
          try replaceConnection(store)
        } else {
          try moveToMemory(store, reason: indexError.description)
        }
      }
    }
  }
}

/// Carries an error of the caller past the handling of the database's own.
struct EntryReadError: Error { let cause: any Error }

extension EntryRows {
  /// Stores what was found of the paths that were asked for, and forgets the others.
  fileprivate func store(_ asked: [EntryPath], found: [ReadEntry]) throws -> IndexChange {
    var change = IndexChange()
    var absent = Set(asked)
    for read in found {
      absent.remove(read.entry.path)
      switch try store(read) {
      case .added: change.added.append(read.entry.path)
      case .changed: change.changed.append(read.entry.path)
      case .unchanged: break
      }
    }
    for path in absent where try remove(path) { change.removed.append(path) }
    return change
  }
}

extension [IndexedFile] {
  fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0.path < $1.path } }
}
