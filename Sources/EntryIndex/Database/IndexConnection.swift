import GRDB
import Glibc

/// An open database: on disk under a unique name, or in memory.
struct IndexConnection: Sendable {
  let queue: DatabaseQueue
  /// The file name, in the folder of the link; `nil` in memory.
  let name: String?
  let memoryReason: String?

  /// Opens the database to which the link points, else a new one, else one in memory.
  static func openOrCreate(_ file: IndexFileLink, key: String) throws -> IndexConnection {
    if let store = openExisting(file, key: key) { return store }
    return try openReplacement(for: nil, file, key: key)
  }

  /// Returns a new, empty database that replaces `failed`. If another process has already replaced
  /// it, that process's database is used.
  static func openReplacement(
    for failed: IndexConnection?, _ file: IndexFileLink, key: String
  ) throws -> IndexConnection {
    if let failed, failed.name == nil {
      return try makeInMemory(key: key, reason: failed.memoryReason ?? "")
    }
    do {
      try file.makeFolder()
      return try file.withLock {
        if file.targetName != failed?.name, let store = openExisting(file, key: key) {
          return store
        }
        return try createEmpty(file, key: key)
      }
    } catch {
      return try makeInMemory(
        key: key, reason: IndexError("keep", path: file.link, error).description)
    }
  }

  static func makeInMemory(key: String, reason: String) throws -> IndexConnection {
    let queue = try DatabaseQueue(configuration: configuration())
    try queue.write { try Schema.create($0, key: key) }
    return IndexConnection(queue: queue, name: nil, memoryReason: reason)
  }

  static func openExisting(_ file: IndexFileLink, key: String) -> IndexConnection? {
    guard let name = file.targetName,
      let queue = try? DatabaseQueue(path: file.path(of: name), configuration: configuration()),
      (try? queue.read { try Schema.key($0) }) == key
    else { return nil }
    return IndexConnection(queue: queue, name: name, memoryReason: nil)
  }

  private static func createEmpty(_ file: IndexFileLink, key: String) throws -> IndexConnection {
    let name = file.newName()
    let queue = try DatabaseQueue(path: file.path(of: name), configuration: configuration())
    // In WAL mode readers and a writer do not block each other. The mode is stored in the file.
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
    try queue.write { try Schema.create($0, key: key) }
    try file.setTarget(name)
    return IndexConnection(queue: queue, name: name, memoryReason: nil)
  }

  /// Creates a database under a temporary name, has `fill` write its rows, and points the link at
  /// it. It needs no rollback journal: the draft that a killed process leaves is removed by the
  /// next one.
  static func createFilled(
    _ file: IndexFileLink, key: String, _ fill: (DatabaseQueue) throws -> Void
  ) throws -> IndexConnection {
    let draft = file.makeDraftPath()
    do {
      let queue = try DatabaseQueue(path: draft, configuration: configuration())
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF")
        try Schema.create(database, key: key, indexed: false)
      }
      try fill(queue)
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: Schema.indexes + "PRAGMA journal_mode = WAL")
      }
      try queue.close()
      try file.flush(draft)
      return try file.withLock {
        let name = file.newName()
        try file.move(draft, to: name)
        try file.setTarget(name)
        guard let store = openExisting(file, key: key) else { throw UnreadableRow() }
        return store
      }
    } catch {
      unlink(draft)
      throw error
    }
  }

  private static func configuration() -> Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      // In WAL mode, NORMAL cannot corrupt the database in a system crash. Only the last updates
      // may be lost, and the next scan repeats them.
      try database.execute(sql: "PRAGMA synchronous = NORMAL")
      // In pages of 4 kB. A checkpoint costs two flushes, but the next process must read the log
      // that remains, unless another process has the database open.
      try database.execute(sql: "PRAGMA wal_autocheckpoint = 150")
      // No words of a journal that locks in a temporary file outside of it.
      try database.execute(sql: "PRAGMA temp_store = MEMORY")
    }
    return configuration
  }
}
