import DiaryCore
import Foundation
import GRDB

extension EntryIndexDatabase {
  /// The number of entries that are read and then stored in one transaction.
  static let batchSize = 1000

  /// Updates the whole index from a scan of the journal.
  ///
  /// - Parameters:
  ///   - files: all files that are entries by name and settings.
  ///   - ignored: git's answer for all these files; only used while ``isEmpty`` is true.
  ///   - read: called with the paths that are new, changed or in doubt, up to 1000 at a time, while
  ///     no other process can write to the index. A path that it does not return is removed or is
  ///     not an entry. Its errors end the update.
  package func update(
    files: [FoundFile], ignored: IgnoredPaths? = nil,
    read: ([EntryPath]) throws -> [ReadEntry]
  ) throws -> IndexChange {
    let sorted = files.isSorted ? files : files.sorted { $0.path < $1.path }
    let change = try runWithRecovery { store in
      let isFirst = try store.queue.read { try Schema.value($0, Schema.completeKey) == nil }
      if isFirst, store.name != nil {
        return try fill(sorted.map(\.path), ignored, read)
      }
      let diff = try readUnderWriteLock(store) { try ScanDiff($0, files: sorted) }
      var change = IndexChange()
      change.isFirst = isFirst
      try readAndStore(diff.toRead, into: store, &change, read)
      if !diff.missing.isEmpty {
        // On a disk without case, an old spelling leads to the file that the scan found.
        let found = Set(sorted.map(\.signature.inode))
        try readAndStore(diff.missing, into: store, &change) {
          try read($0).filter { !found.contains($0.signature.inode) }
        }
      }
      if isFirst { try store.queue.write { try Schema.setValue($0, Schema.completeKey, "1") } }
      return change
    }
    endFullUpdate()
    return change
  }

  /// Updates the index for these paths, which may have been removed. `read` is described at
  /// ``update(files:ignored:read:)``. Throws ``IndexError/incomplete(path:)`` if no full
  /// update has been completed yet, or the database was lost since then.
  package func update(
    paths: [EntryPath], read: ([EntryPath]) throws -> [ReadEntry]
  ) throws -> IndexChange {
    try runWithRecovery { store in
      let isComplete = try store.queue.read { try Schema.value($0, Schema.completeKey) != nil }
      guard isComplete, !needsFullUpdate else { throw IndexError.incomplete(path: path) }
      var change = IndexChange()
      try readAndStore(Array(Set(paths)).sorted(), into: store, &change, read)
      return change
    }
  }

  /// Reads the index under the write lock: it contains everything that other processes read before
  /// this scan, and later reads are as new as the scan. If the index cannot be written, nothing
  /// writes to it, and a read transaction is enough.
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
      // Read under the write lock, so that newer rows of another process are not overwritten.
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

  /// Runs an update. After a database error it is repeated in a new database, then in memory.
  /// Errors of the caller's `read` and index errors are passed on.
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

/// A wrapper for an error of the caller's `read`, to distinguish it from database errors.
struct EntryReadError: Error { let cause: any Error }

extension EntryRows {
  /// Stores the entries found, and removes the requested paths that were not found.
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

extension [FoundFile] {
  fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0.path < $1.path } }
}
