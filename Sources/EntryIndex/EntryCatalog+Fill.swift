import DiaryCore
import Dispatch
import GRDB
import Synchronization

/// What git says of the files of a journal, for a catalogue that is filled for the first time.
public struct KnownIgnored: Sendable {
  /// Those that git ignores; of all others it is known that it does not.
  public var paths: Set<EntryPath>
  /// A remark to be kept with them, under its name, as by ``EntryCatalog/setRemark(_:_:)``.
  public var remark: (name: String, value: String)

  /// An answer about every file of a walk.
  public init(paths: Set<EntryPath>, remark: (name: String, value: String)) {
    self.paths = paths
    self.remark = remark
  }
}

extension EntryCatalog {
  /// Whether no whole walk has been taken in yet, so that the next update reads every file.
  public var isEmpty: Bool {
    get throws(CatalogError) {
      try ask("look into") { try Schema.fact($0, Schema.complete) == nil }
    }
  }

  /// Makes a whole database of these files in one go. A portion is stored while the next is read.
  func fill(
    _ paths: [EntryPath], _ ignored: KnownIgnored?, _ progress: ((Int, Int) -> Void)?,
    _ read: ([EntryPath]) throws -> [ReadEntry]
  ) throws -> IndexChange {
    var change = IndexChange()
    change.isFirst = true
    let store = try CatalogStore.filled(file, key: key) { queue in
      let rows = FirstRows(queue, ignored, isFolded: paths.count <= EntryCatalog.portion)
      for start in stride(from: 0, to: paths.count, by: EntryCatalog.portion) {
        let asked = Array(paths[start..<min(start + EntryCatalog.portion, paths.count)])
        let found: [ReadEntry]
        do { found = try read(asked) } catch {
          try? rows.settle()
          throw ReadingFailed(cause: error)
        }
        try rows.store(found)
        change.added += found.map(\.entry.path)
        progress?(start + asked.count, paths.count)
      }
      try rows.finish()
    }
    use(store)
    change.sort()
    return change
  }
}

/// The rows of a database that nobody else sees yet, written on the database's own queue.
private final class FirstRows: Sendable {
  private let queue: DatabaseQueue
  private let ignored: KnownIgnored?
  private let isFolded: Bool
  private let failure = Mutex<(any Error)?>(nil)
  private let writing = DispatchGroup()

  init(_ queue: DatabaseQueue, _ ignored: KnownIgnored?, isFolded: Bool) {
    self.queue = queue
    self.ignored = ignored
    self.isFolded = isFolded
  }

  /// Waits for the portion before, and leaves while this one is stored.
  func store(_ entries: [ReadEntry]) throws {
    try settle()
    later { [self] database in
      try database.inTransaction {
        let insertion = try FirstInsertion(database, isFolded: isFolded)
        for read in entries {
          try insertion.insert(read, ignored: ignored.map { $0.paths.contains(read.entry.path) })
        }
        return .commit
      }
    }
  }

  /// Writes what is true of the whole; nothing may be stored afterwards.
  func finish() throws {
    try settle()
    later { [self] database in
      try Schema.setFact(database, Schema.complete, "1")
      if !isFolded { try Schema.setFact(database, Schema.unfolded, "1") }
      if let remark = ignored?.remark {
        try Schema.setFact(database, Schema.remark(remark.name), remark.value)
      }
    }
    try settle()
  }

  private func later(_ work: @escaping @Sendable (Database) throws -> Void) {
    writing.enter()
    queue.asyncWriteWithoutTransaction { [self] database in
      do { try work(database) } catch { failure.withLock { $0 = error } }
      writing.leave()
    }
  }

  /// Waits until all is stored that was handed over.
  func settle() throws {
    writing.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }
}

/// The statements that a first fill runs for each entry.
private struct FirstInsertion {
  private let entry: DirectStatement
  private let file: DirectStatement
  private let source: DirectStatement
  private let tag: DirectStatement
  private let folded: DirectStatement?
  private let database: Database

  init(_ database: Database, isFolded: Bool) throws {
    func insertion(_ table: String, _ columns: String) throws -> DirectStatement {
      let places = columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")
      return try DirectStatement(
        database, sql: "INSERT INTO \(table)(\(columns)) VALUES(\(places))")
    }
    self.database = database
    entry = try insertion("entry", StoredEntry.columnNames + ", ignored")
    file = try insertion("file", "path, entry, size, modified, inode, mode, read_at")
    source = try insertion("source", "entry, header, body")
    tag = try insertion("tag", "entry, position, name, folded")
    folded = isFolded ? try insertion("folded", "entry, text") : nil
  }

  /// The same rows as ``EntryRows/store(_:)`` makes of an entry that is new.
  func insert(_ read: ReadEntry, ignored: Bool?) throws {
    bindEntry(read.entry)
    entry.bind(16, ignored.map { $0 ? 1 : 0 })
    try entry.run()
    let id = database.lastInsertedRowID
    file.bind(1, read.entry.path.bytes)
    for (place, value) in zip(
      Int32(2)...,
      [
        id, read.stamp.size, read.stamp.modified, Int64(bitPattern: read.stamp.inode),
        Int64(read.stamp.mode), read.readAt,
      ])
    {
      file.bind(place, value)
    }
    try file.run()
    source.bind(1, id)
    source.bind(2, read.entry.header)
    source.bind(3, read.entry.body)
    try source.run()
    if let folded {
      folded.bind(1, id)
      folded.bind(2, SearchText.fields(of: read.entry))
      try folded.run()
    }
    for (position, name) in read.entry.tags.lazy.filter({ !$0.isEmpty }).enumerated() {
      tag.bind(1, id)
      tag.bind(2, position)
      tag.bind(3, name)
      tag.bind(4, SearchText.fold(name))
      try tag.run()
    }
  }

  private func bindEntry(_ read: Entry) {
    entry.bind(1, read.path.bytes)
    entry.bind(2, read.title)
    entry.bind(3, SearchText.fold(read.title))
    entry.bind(4, read.date?.date.ordinal)
    entry.bind(5, read.date?.seconds)
    entry.bind(6, read.date?.offset)
    entry.bind(7, read.date?.instant)
    entry.bind(8, read.day?.ordinal)
    entry.bind(9, read.weather?.text)
    entry.bind(10, read.weather.map { SearchText.fold($0.text) } ?? [])
    entry.bind(11, name: read.weather?.condition?.rawValue)
    entry.bind(12, read.weather?.celsius)
    entry.bind(13, read.place)
    entry.bind(14, read.words)
    entry.bind(15, read.preview)
  }
}
