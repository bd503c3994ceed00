import DiaryCore
import EntryIndex
import Foundation
import Testing

struct UpdateTests {
  let folder: TemporaryFolder
  let database: EntryIndexDatabase
  var journal = InMemoryJournal()

  init() throws {
    folder = try TemporaryFolder()
    database = try folder.open()
    journal.write([
      try entry("a.md", "A", date: "2026-01-01"), try entry("b.md", "B", date: "2026-01-02"),
    ])
  }

  @Test func `the first update adds everything and the next reads nothing`() throws {
    let first = try journal.update(database)
    #expect(first.isFirst)
    #expect(first.added.map(\.text) == ["a.md", "b.md"])
    let second = try database.update(files: journal.files) { paths in
      Issue.record("read \(paths)")
      return []
    }
    #expect(second.isEmpty && !second.isFirst)
  }

  @Test mutating func `only changed files are read and only changed entries are reported`()
    throws
  {
    try journal.update(database)
    journal.write(try entry("a.md", "A", date: "2026-01-01"))
    journal.write(try entry("b.md", "B2", date: "2026-01-02"))
    journal.write(try entry("c.md", "C"))
    var asked: [EntryPath] = []
    let change = try database.update(files: journal.files) {
      asked += $0
      return journal.read($0)
    }
    #expect(asked.map(\.text) == ["a.md", "b.md", "c.md"])
    #expect(change.added.map(\.text) == ["c.md"])
    #expect(change.changed.map(\.text) == ["b.md"])
    #expect(try database.list().map(\.title) == ["B2", "A", "C"])
  }

  @Test mutating func `another Unicode form of the same letters is a change`() throws {
    journal.write(try entry("e.md", "caf\u{E9}"))
    try journal.update(database)
    journal.write(try entry("e.md", "cafe\u{301}"))
    #expect(try journal.update(database).changed.map(\.text) == ["e.md"])
    let title = try database.entry(at: try path("e.md"))?.title
    #expect(title.map { Array($0.utf8) } == Array("cafe\u{301}".utf8))
  }

  @Test mutating func `a changed date moves the entry`() throws {
    try journal.update(database)
    journal.write(try entry("a.md", "A", date: "2027-05-05"))
    try journal.update(database)
    #expect(try database.list().map(\.title) == ["A", "B"])
  }

  /// The time of the last change of the status counts, too: a write may set the other one back.
  @Test(arguments: [(5_000_000_000, 1), (1, 5_000_000_000)])
  func `a file written just before it was read is read again`(
    _ modified: Int64, _ statusChangedAt: Int64
  ) throws {
    let stamp = FileSignature(size: 1, modified: modified, inode: 1, mode: 0o100644)
    let file = FoundFile(
      path: try path("a.md"), signature: stamp, statusChangedAt: statusChangedAt)
    func update(at now: Int64, title: String) throws -> (reads: Int, IndexChange) {
      var reads = 0
      let read = ReadEntry(entry: try entry("a.md", title), signature: stamp, readAt: now)
      let change = try database.update(files: [file]) {
        reads += $0.count
        return [read]
      }
      return (reads, change)
    }
    _ = try update(at: 5_500_000_000, title: "first")
    let again = try update(at: 6_000_000_000, title: "second")
    #expect(again.reads == 1)
    #expect(again.1.changed.map(\.text) == ["a.md"])
    #expect(try update(at: 9_000_000_000, title: "second").reads == 1)
    #expect(try update(at: 9_500_000_000, title: "never read").reads == 0)
    #expect(try database.list().map(\.title) == ["second"])
  }

  /// On a disk without case, a file is also read by the path that it had before a rename.
  @Test mutating func `an old spelling of a path leaves the index`() throws {
    journal.write(try entry("d.md", "D"))
    try journal.update(database)
    let old = try #require(journal.entries[path("d.md")])
    journal.entries[old.entry.path] = nil
    journal.entries[try path("D.md")] = ReadEntry(
      entry: try entry("D.md", "D"), signature: old.signature, readAt: old.readAt)
    let change = try database.update(files: journal.files) { paths in
      journal.read(paths) + (paths.contains(old.entry.path) ? [old] : [])
    }
    #expect(change.added.map(\.text) == ["D.md"] && change.removed.map(\.text) == ["d.md"])
    #expect(try Set(database.list().map(\.path)) == Set(journal.entries.keys))
  }

  @Test func `a file that a scan did not find is read before its row is removed`() throws {
    try journal.update(database)
    var asked: [EntryPath] = []
    let early = try database.update(files: []) {
      asked += $0
      return journal.read($0)
    }
    #expect(asked.count == 2)
    #expect(early.isEmpty)
    let back = try database.update(files: []) { _ in [] }
    #expect(back.removed.count == 2)
    #expect(try database.count() == 0)
  }

  @Test mutating func `an update of single paths adds, changes and removes them`() throws {
    #expect(throws: IndexError.incomplete(path: folder.index)) {
      try database.update(paths: [], read: journal.read)
    }
    try journal.update(database)
    journal.write(try entry("c.md", "C"))
    journal.write(try entry("a.md", "A2", date: "2026-01-01"))
    journal.remove(try path("b.md"))
    let paths = try ["a.md", "b.md", "c.md", "never.md"].map(path)
    let change = try database.update(paths: paths, read: journal.read)
    #expect(change.added.map(\.text) == ["c.md"])
    #expect(change.changed.map(\.text) == ["a.md"])
    #expect(change.removed.map(\.text) == ["b.md"])
    #expect(try database.list().map(\.title) == ["A2", "C"])
  }

  @Test func `an ignore status is kept after a change but not after a removal`() throws {
    var journal = journal
    try journal.update(database)
    try database.setIgnored([try path("a.md"): true, try path("b.md"): false])
    journal.write(try entry("a.md", "A2"))
    try journal.update(database)
    #expect(try database.pathsWithUnknownIgnore().isEmpty)
    #expect(try database.count() == 1)
    let a = try entry("a.md", "A2")
    journal.remove(a.path)
    try journal.update(database)
    journal.write(a)
    try journal.update(database)
    #expect(try database.pathsWithUnknownIgnore() == [a.path])
  }

  @Test func `an error while reading ends the update and is rethrown`() throws {
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try database.update(files: journal.files) { _ in throw Refused() }
    }
    #expect(try journal.update(database).isFirst)
  }

  @Test func `names that are not UTF-8 and texts with NUL are stored unchanged`() throws {
    let odd = try #require(EntryPath(bytes: [0xFF, 0xFE, UInt8(ascii: "\n")] + Array(".md".utf8)))
    var strange = try entry("x.md", "NUL\0 inside", body: "before\0after", tags: ["t\0t"])
    strange.path = odd
    var journal = journal
    journal.write(strange)
    try journal.update(database)
    let listed = try #require(try database.entry(at: odd))
    #expect(listed.path == odd)
    #expect(listed.title == "NUL\0 inside")
    #expect(listed.tags == ["t\0t"])
    #expect(try database.search(SearchQuery(parsing: "after")).map(\.summary.path) == [odd])
    #expect(try database.verify(against: journal.entries.values.map(\.entry)).isEmpty)
  }

  @Test func `verify reports missing, extra and different entries`() throws {
    try journal.update(database)
    let found = try database.verify(against: [
      try entry("a.md", "Other", date: "2026-01-01"), try entry("c.md", "C"),
    ])
    #expect(found.map(\.path.text) == ["a.md", "b.md", "c.md"])
    #expect(found.map(\.kind) == [.different, .extra, .missing])
  }

  /// A watcher reads a file that is deleted before it is stored, and a list scans in between.
  @Test func `a scan removes a file that was read before and stored during it`() throws {
    try journal.update(database)
    let watcher = try folder.open()
    var before = journal
    before.write(try entry("gone.md", "Gone"))
    let old = before
    let (hasRead, walks) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let stored = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      _ = try? watcher.update(paths: [EntryPath("gone.md")].compactMap(\.self)) { paths in
        hasRead.signal()
        // The list has started, or waits for this to end.
        walks.wait()
        Thread.sleep(forTimeInterval: 0.3)
        return old.read(paths)
      }
      stored.signal()
    }
    hasRead.wait()
    walks.signal()
    try journal.update(database)
    stored.wait()
    #expect(try database.list().map(\.path.text).sorted() == ["a.md", "b.md"])
  }

  @Test func `metadata lives as long as the index`() throws {
    try database.setMetadata("ignore files", "x1")
    #expect(try folder.open().metadata("ignore files") == "x1")
    #expect(try folder.open(version: "2").metadata("ignore files") == nil)
  }
}
