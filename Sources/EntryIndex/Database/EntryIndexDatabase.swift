// EntryIndex: what can be found. The only code that sees SQL.
//
// It keeps what the entries of a journal mean, and their folded texts, in one SQLite file below
// `.git/diary/cache/`, so that the list and the search answer without opening ten thousand files.
// DiaryKit tells it what the disk looks like and reads entries for it; it never touches a file of
// the journal itself. Everything here is derived: a database that is missing, old or damaged is
// made again, and one that cannot be kept on disk is kept in memory. Several processes may use
// one catalogue at a time; each brings it up to date with what it saw before it asks.
import DiaryCore
import Foundation
import GRDB
import Synchronization

/// The list of a journal's entries, newest first, and the search over their texts.
package final class EntryIndexDatabase: Sendable {
  /// Where the database lies, for errors and for the reader.
  package let path: String
  let file: IndexFileLink
  let key: String
  private let connectionLock: Mutex<IndexConnection>

  /// Bytes in the log of the catalogue at `path`, which its last user moves into it when it is let go.
  package static func logSize(at path: String) -> Int { IndexFileLink(link: path).logSize }

  /// Opens the catalogue at `path`, making it (and its folder, mode 0700) where it is missing,
  /// damaged or was made under another `version`: a hash of the settings that change what entries
  /// mean. Where nothing can be kept on disk, an empty one in memory takes its place
  /// (``keptInMemory``).
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

  private init(file: IndexFileLink, key: String, store: IndexConnection) {
    path = file.link
    self.file = file
    self.key = key
    connectionLock = Mutex(store)
  }

  /// Why the catalogue is not kept on disk; `nil` when it is.
  package var memoryReason: String? { connection.memoryReason }

  /// Forgets everything, so that the next ``update(files:readAt:ignored:read:)`` reads every entry.
  package func rebuild() throws(IndexError) {
    do {
      try replaceConnection(connection)
    } catch {
      throw IndexError("rebuild the index", path: path, error)
    }
  }

  /// Gives back the memory that only questions and updates need.
  package func releaseMemory() { connection.queue.releaseMemory() }

  var connection: IndexConnection { connectionLock.withLock { $0 } }

  /// Uses a database that took the link.
  func setConnection(_ filled: IndexConnection) { connectionLock.withLock { $0 = filled } }

  /// The store to write to: opened again when another process has replaced or removed the file.
  func currentConnection() throws -> IndexConnection {
    try connectionLock.withLock { store in
      if let name = store.name, file.targetName != name {
        store = try IndexConnection.openOrCreate(file, key: key)
      }
      return store
    }
  }

  /// Puts a new, empty database in the place of `failed`, unless somebody else did so already.
  @discardableResult
  func replaceConnection(_ failed: IndexConnection) throws -> IndexConnection {
    try connectionLock.withLock { store in
      guard store.queue === failed.queue else { return store }
      store = try IndexConnection.openReplacement(for: failed, file, key: key)
      return store
    }
  }

  /// Goes on in memory, because the disk refused.
  @discardableResult
  func moveToMemory(_ failed: IndexConnection, reason: String) throws -> IndexConnection {
    try connectionLock.withLock { store in
      guard store.queue === failed.queue else { return store }
      store = try IndexConnection.makeInMemory(key: key, reason: reason)
      return store
    }
  }

  /// Runs a question in one read transaction. A damaged database is given up on the spot, so that
  /// the next update makes it anew.
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
