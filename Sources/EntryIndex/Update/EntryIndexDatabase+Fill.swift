import DiaryCore
import Dispatch
import GRDB
import Synchronization

/// What git says of the files of a journal, for a catalogue that is filled for the first time.
package struct IgnoredPaths: Sendable {
  /// Those that git ignores; of all others it is known that it does not.
  package var paths: Set<EntryPath>
  /// A remark to be kept with them, under its name, as by ``EntryIndexDatabase/setMetadata(_:_:)``.
  package var metadata: (name: String, value: String)

  /// An answer about every file of a walk.
  package init(paths: Set<EntryPath>, metadata: (name: String, value: String)) {
    self.paths = paths
    self.metadata = metadata
  }
}

extension EntryIndexDatabase {
  /// Whether no whole walk has been taken in yet, so that the next update reads every file.
  package var isEmpty: Bool {
    get throws(IndexError) {
      try read("look into") { try Schema.value($0, Schema.completeKey) == nil }
    }
  }

  /// Makes a whole database of these files in one go. A portion is stored while the next is read.
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

/// The rows of a database that nobody else sees yet, written on the database's own queue.
private final class BulkLoader: Sendable {
  private let queue: DatabaseQueue
  private let ignored: IgnoredPaths?
  private let failure = Mutex<(any Error)?>(nil)
  private let pendingWrites = DispatchGroup()

  init(_ queue: DatabaseQueue, _ ignored: IgnoredPaths?) {
    self.queue = queue
    self.ignored = ignored
  }

  /// Waits for the portion before, and leaves while this one is stored.
  func store(_ entries: [ReadEntry]) throws {
    try waitForWrites()
    enqueueWrite { [self] database in
      try database.inTransaction {
        let rows = EntryRows(database: database)
        for read in entries {
          try rows.insert(
            StoredEntry(read.entry), read,
            ignored: ignored.map { $0.paths.contains(read.entry.path) })
        }
        return .commit
      }
    }
  }

  /// Writes what is true of the whole; nothing may be stored afterwards.
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
    pendingWrites.enter()
    queue.asyncWriteWithoutTransaction { [self] database in
      do { try work(database) } catch { failure.withLock { $0 = error } }
      pendingWrites.leave()
    }
  }

  /// Waits until all is stored that was handed over.
  func waitForWrites() throws {
    pendingWrites.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
