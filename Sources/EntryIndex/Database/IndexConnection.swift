import GRDB
import Glibc

/// One open database: on disk under a name of its own, or in memory.
struct IndexConnection: Sendable {
  let queue: DatabaseQueue
  /// The file's name beside the link; `nil` in memory.
  let name: String?
  let memoryReason: String?

  /// The database that the link leads to, else a new one, else one in memory.
  static func openOrCreate(_ file: IndexFileLink, key: String) throws -> IndexConnection {
    if let store = openExisting(file, key: key) { return store }
    return try openReplacement(for: nil, file, key: key)
  }

  /// A new, empty database in the place of `failed`. Another process may have seen the same damage
  /// first; then its new database is used.
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
    // Readers do not wait for a writer in this mode, nor it for them; it stays with the file.
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
    try queue.write { try Schema.create($0, key: key) }
    try file.setTarget(name)
    return IndexConnection(queue: queue, name: name, memoryReason: nil)
  }

  /// A database that `fill` makes beside the others, under a name that nobody looks at, and that
  /// then takes the link. Nothing of it is worth a journal while it is made: a process that is
  /// killed leaves a file that the next one removes.
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
      // With a log, NORMAL survives a crash of the machine whole; only the last updates may be
      // missing, and those are seen again.
      try database.execute(sql: "PRAGMA synchronous = NORMAL")
      // Pages of 4 kB. To move the log into the file waits for the disk twice; but what is left in it
      // is read through by the next process, if no other has the database open.
      try database.execute(sql: "PRAGMA wal_autocheckpoint = 150")
    }
    return configuration
  }
}
