import DiaryCore
import Dispatch
import GRDB
import Synchronization

/// The ignored paths of a journal according to git, for the first update of an index.
package struct IgnoredPaths: Sendable {
  /// The paths that git ignores; all other paths are known to be not ignored.
  package var paths: Set<EntryPath>
  /// Metadata to store with them, as by ``EntryIndexDatabase/setMetadata(_:_:)``.
  package var metadata: (name: String, value: String)

  /// Creates an answer for all files of a scan.
  package init(paths: Set<EntryPath>, metadata: (name: String, value: String)) {
    self.paths = paths
    self.metadata = metadata
  }
}

extension EntryIndexDatabase {
  /// True if no full update has been completed yet: the next update reads every file.
  package var isEmpty: Bool {
    get throws(IndexError) {
      try read("look into") { try Schema.value($0, Schema.completeKey) == nil }
    }
  }

  /// Creates a complete database from these files. One batch is stored while the next is read.
  func fill(
    _ paths: [EntryPath], _ ignored: IgnoredPaths?, _ read: ([EntryPath]) throws -> [ReadEntry]
  ) throws -> IndexChange {
    var change = IndexChange()
    change.isFirst = true
    let store = try IndexConnection.createFilled(file, key: key) { queue in
      let rows = BulkLoader(queue, ignored)
      for start in stride(from: 0, to: paths.count, by: EntryIndexDatabase.batchSize) {
        let asked = Array(paths[start..<min(start + EntryIndexDatabase.batchSize, paths.count)])
        let found: [ReadEntry]
        do { found = try read(asked) } catch {
          try? rows.waitForWrites()
          throw EntryReadError(cause: error)
        }
        try rows.store(found)
        change.added += found.map(\.entry.path)
      }
      try rows.finish()
    }
    setConnection(store)
    change.sort()
    return change
  }
}

/// Writes the rows of a database that is not linked yet, on the database's own queue.
private final class BulkLoader: Sendable {
  private let queue: DatabaseQueue
  private let ignored: IgnoredPaths?
  private let failure = Mutex<(any Error)?>(nil)
  private let runningWrites = DispatchGroup()

  init(_ queue: DatabaseQueue, _ ignored: IgnoredPaths?) {
    self.queue = queue
    self.ignored = ignored
  }

  /// Waits for the previous batch, then returns while this one is stored.
  func store(_ entries: [ReadEntry]) throws {
    let stored = concurrentMap(entries) { StoredEntry($0.entry) }
    try waitForWrites()
    enqueueWrite { [self] database in
      try database.inTransaction {
        let rows = EntryRows(database: database)
        for (entry, read) in zip(stored, entries) {
          try rows.insert(
            entry, read, ignored: ignored.map { $0.paths.contains(read.entry.path) })
        }
        return .commit
      }
    }
  }

  /// Writes the metadata of the whole index. No batch may be stored afterwards.
  func finish() throws {
    try waitForWrites()
    enqueueWrite { [self] database in
      try Schema.setValue(database, Schema.completeKey, "1")
      if let metadata = ignored?.metadata {
        try Schema.setValue(database, Schema.metadataKey(metadata.name), metadata.value)
      }
    }
    try waitForWrites()
  }

  private func enqueueWrite(_ work: @escaping @Sendable (Database) throws -> Void) {
    runningWrites.enter()
    queue.asyncWriteWithoutTransaction { [self] database in
      do { try work(database) } catch { failure.withLock { $0 = error } }
      runningWrites.leave()
    }
  }

  /// Waits until all batches are stored.
  func waitForWrites() throws {
    runningWrites.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
