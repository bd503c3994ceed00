import TestSupport
import DiaryCore
import EntryIndex
import Foundation
import Testing

struct RecoveryTests {
  let folder: TemporaryFolder
  var journal = InMemoryJournal()

  init() throws {
    folder = try TemporaryFolder()
    for number in 1...300 {
      let body = String(repeating: "text \(number) ", count: 40)
      journal.write(try entry("\(number).md", "Entry \(number)", body: body))
    }
  }

  /// Opens and updates the index, and checks that it is complete.
  func expectComplete(_ catalog: EntryIndexDatabase) throws {
    try journal.update(catalog)
    #expect(try catalog.count() == 300)
    #expect(try catalog.verify(against: journal.entries.values.map(\.entry)).isEmpty)
  }

  @Test func `an index outlives its process`() throws {
    try expectComplete(try folder.open())
    let again = try folder.open()
    #expect(again.memoryReason == nil)
    #expect(try again.count() == 300)
    #expect(try journal.update(again).isEmpty)
  }

  @Test func `with other settings the index is rebuilt and the old file is removed`() throws {
    try expectComplete(try folder.open(version: "1"))
    let other = try folder.open(version: "2")
    #expect(try other.count() == 0)
    try expectComplete(other)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/cache")
    #expect(files.filter { $0.hasPrefix("index.sqlite-") && !$0.contains("-wal") }.count <= 2)
  }

  @Test(arguments: ["not a database at all", "", "SQLite format 3\0 and then nothing of the sort"])
  func `a file that is no database is replaced`(content: String) throws {
    try journal.update(try folder.open())
    try Data(content.utf8).write(to: URL(fileURLWithPath: try folder.database))
    try expectComplete(try folder.open())
    try FileManager.default.removeItem(atPath: folder.index)
    try Data(content.utf8).write(to: URL(fileURLWithPath: folder.index))
    try expectComplete(try folder.open())
  }

  @Test(arguments: 1...8)
  func `a damaged database is replaced by the next update`(part: Int) throws {
    var random = SeededGenerator(part: part)
    try journal.update(try folder.open())
    let place = try folder.database
    var bytes = try Data(contentsOf: URL(fileURLWithPath: place))
    if part.isMultiple(of: 2) {
      bytes.removeLast(bytes.count / 2)
    } else {
      // Random bytes in whole pages, except for the first one, which lists the tables.
      for page in stride(from: 4096, to: bytes.count - 4096, by: 4096)
      where Bool.random(using: &random) {
        for offset in 0..<64 { bytes[page + offset] = UInt8.random(in: 0...255, using: &random) }
      }
    }
    try bytes.write(to: URL(fileURLWithPath: place))
    // A query may find the damage before or after an update does; both must succeed.
    let catalog = try folder.open()
    for _ in 0..<3 {
      do {
        try journal.update(catalog)
        _ = try catalog.search(SearchQuery(parsing: "text"))
        if try catalog.verify(against: journal.entries.values.map(\.entry)).isEmpty { break }
        try catalog.rebuild()
      } catch IndexError.damaged { continue }
    }
    try expectComplete(catalog)
  }

  @Test func `an open index detects that its file is removed or replaced`() throws {
    let long = try folder.open()
    try journal.update(long)
    try FileManager.default.removeItem(atPath: folder.path + "/cache")
    #expect(try long.count() == 300)
    #expect(throws: IndexError.incomplete(path: folder.index)) {
      try long.update(paths: [], read: journal.read)
    }
    try expectComplete(long)
    let other = try folder.open()
    try other.rebuild()
    try expectComplete(other)
    try expectComplete(long)
    #expect(long.memoryReason == nil)
  }

  @Test func `without a writable folder the index is kept in memory`() throws {
    // A file at the folder's path also stops root.
    let place = folder.path + "/file"
    try Data("x".utf8).write(to: URL(fileURLWithPath: place))
    let catalog = try EntryIndexDatabase.open(at: place + "/index.sqlite", version: "1")
    #expect(catalog.memoryReason != nil)
    try expectComplete(catalog)
  }

  @Test func `an index in memory returns to the disk, with a full update`() throws {
    let complete = try folder.open()
    try journal.update(complete)
    let cache = folder.path + "/cache"
    try FileManager.default.moveItem(atPath: cache, toPath: cache + ".away")
    try Data("x".utf8).write(to: URL(fileURLWithPath: cache))
    let catalog = try folder.open()
    #expect(catalog.memoryReason != nil)
    try FileManager.default.removeItem(atPath: cache)
    try FileManager.default.moveItem(atPath: cache + ".away", toPath: cache)
    // The index on disk is complete, but lacks what was changed meanwhile.
    #expect(throws: IndexError.incomplete(path: folder.index)) {
      try catalog.update(paths: [], read: journal.read)
    }
    try expectComplete(catalog)
    #expect(catalog.memoryReason == nil)
    _ = try catalog.update(paths: [], read: journal.read)
  }
}
