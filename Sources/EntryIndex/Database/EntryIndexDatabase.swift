// EntryIndex: the searchable index of a journal. The only code that uses SQL.
//
// It stores the parsed entries and their folded texts in one SQLite file below `.git/diary/cache/`,
// so that list and search need not open ten thousand files. DiaryKit scans the folder and reads the
// entries. This module never touches a file of the journal. Everything here is derived data: a
// database that is missing, old or damaged is rebuilt, and one that cannot be stored on disk is
// held in memory. Several processes may use one index at a time; each updates it with its own scan
// before a query.
import DiaryCore
import Foundation
import GRDB
import Synchronization

/// The list of a journal's entries, newest first, and the search over their texts.
package final class EntryIndexDatabase: Sendable {
  /// The path of the index, for errors and display.
  package let path: String
  let file: IndexFileLink
  let key: String
  private let connectionLock: Mutex<IndexConnection>
  private let memoryState = Mutex(MemoryState())

  /// The way back from memory to the disk.
  private struct MemoryState {
    /// The time of the next attempt, on the monotonic clock.
    var retryAt = ContinuousClock.now
    /// True if the index on disk lacks the changes that the one in memory had.
    var needsFullUpdate = false
  }

  /// The size in bytes of the write-ahead log at `path`. SQLite checkpoints it on the last close.
  package static func logSize(at path: String) -> Int { IndexFileLink(link: path).logSize }

  /// Opens the index at `path`. Creates it (and its folder, mode 0700) if it is missing, damaged or
  /// was made under another `version`: a hash of the settings that affect parsing. If it cannot be
  /// stored on disk, an empty index in memory is used (``memoryReason``).
  package static func open(at path: String, version: String) throws(IndexError)
    -> EntryIndexDatabase
  {
    let file = IndexFileLink(link: path)
    let key = "\(Schema.version) \(version)"
    do {
      return EntryIndexDatabase(
        file: file, key: key, store: try IndexConnection.openOrCreate(file, key: key))
    } catch {
      throw IndexError("open the index", path: path, error)
    }
  }

  /// An index of other entries, in memory, for lists of entries that are not in the folder. Their
  /// texts cannot be searched.
  package static func inMemory(_ entries: [Entry]) throws(IndexError) -> EntryIndexDatabase {
    do {
      let store = try IndexConnection.makeInMemory(key: "", reason: "")
      let signature = FileSignature(size: 0, modified: 0, inode: 0, mode: 0)
      try store.queue.write { database in
        let rows = EntryRows(database: database)
        for var entry in entries {
          (entry.header, entry.body) = ("", "")
          let read = ReadEntry(entry: entry, signature: signature, readAt: 0)
          try rows.insert(StoredEntry(entry), read, ignored: false)
        }
      }
      return EntryIndexDatabase(file: IndexFileLink(link: ""), key: "", store: store)
    } catch {
      throw IndexError("fill", path: "", error)
    }
  }

  private init(file: IndexFileLink, key: String, store: IndexConnection) {
    path = file.link
    self.file = file
    self.key = key
    connectionLock = Mutex(store)
  }

  /// The reason why the index is in memory; `nil` if it is on disk.
  package var memoryReason: String? { connection.memoryReason }

  /// Empties the index: the next ``update(files:ignored:read:)`` reads every entry.
  package func rebuild() throws(IndexError) {
    do {
      try replaceConnection(connection)
    } catch {
      throw IndexError("rebuild the index", path: path, error)
    }
  }

  /// Releases the memory that is only needed by queries and updates.
  package func releaseMemory() { connection.queue.releaseMemory() }

  var connection: IndexConnection { connectionLock.withLock { $0 } }

  /// Switches to a new database to which the link now points.
  func setConnection(_ filled: IndexConnection) { connectionLock.withLock { $0 = filled } }

  /// The pause between attempts to leave the memory again.
  static let memoryPause = Duration.seconds(60)

  /// The connection for writing, reopened if another process has replaced or removed the file, and
  /// once a minute if the index is in memory, because the disk error may be over.
  func currentConnection() throws -> IndexConnection {
    try connectionLock.withLock { store in
      if let name = store.name {
        if file.targetName != name { store = try IndexConnection.openOrCreate(file, key: key) }
      } else if let stored = openAgain() {
        store = stored
      }
      return store
    }
  }

  private func openAgain() -> IndexConnection? {
    memoryState.withLock { state in
      guard state.retryAt <= .now else { return nil }
      state.retryAt = .now + Self.memoryPause
      let store = try? IndexConnection.openOrCreate(file, key: key)
      guard store?.name != nil else { return nil }
      state.needsFullUpdate = true
      return store
    }
  }

  /// True from the return to the disk until the end of the next full update.
  var needsFullUpdate: Bool { memoryState.withLock(\.needsFullUpdate) }

  func endFullUpdate() { memoryState.withLock { $0.needsFullUpdate = false } }

  /// Replaces `failed` by a new, empty database, unless another thread did so already.
  @discardableResult
  func replaceConnection(_ failed: IndexConnection) throws -> IndexConnection {
    try connectionLock.withLock { store in
      guard store.queue === failed.queue else { return store }
      store = try IndexConnection.openReplacement(for: failed, file, key: key)
      return store
    }
  }

  /// Continues in memory after a disk error.
  @discardableResult
  func moveToMemory(_ failed: IndexConnection, reason: String) throws -> IndexConnection {
    try connectionLock.withLock { store in
      guard store.queue === failed.queue else { return store }
      store = try IndexConnection.makeInMemory(key: key, reason: reason)
      memoryState.withLock { $0.retryAt = .now + Self.memoryPause }
      return store
    }
  }

  /// Runs a query in one read transaction. A damaged database is discarded at once: the next update
  /// creates a new one.
  func read<T>(_ operation: String, _ query: (Database) throws -> T) throws(IndexError) -> T {
    let store = connection
    do {
      return try store.queue.read(query)
    } catch let error where isCorruption(error) && store.name != nil {
      file.removeLink(to: store.name)
      throw .damaged(path: path)
    } catch {
      throw IndexError(operation, path: path, error)
    }
  }
}
