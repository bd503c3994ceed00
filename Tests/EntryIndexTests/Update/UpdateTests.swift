import DiaryCore
import EntryIndex
import Foundation
import Testing

struct UpdateTests {
  let folder: TemporaryFolder
  let catalog: EntryIndexDatabase
  var journal = PretendJournal()

  init() throws {
    folder = try TemporaryFolder()
    catalog = try folder.open()
    journal.write([
      try entry("a.md", "A", date: "2026-01-01"), try entry("b.md", "B", date: "2026-01-02"),
    ])
  }

  @Test func `the first update adds all, the next reads nothing`() throws {
    let first = try journal.update(catalog)
    #expect(first.isFirst)
    #expect(first.added.map(\.text) == ["a.md", "b.md"])
    let second = try catalog.update(files: journal.files, readAt: journal.clock) { paths in
      Issue.record("read \(paths)")
      return []
    }
    #expect(second.isEmpty && !second.isFirst)
  }

  @Test mutating func `only what differs is read, and only what means something else is changed`()
    throws
  {
    try journal.update(catalog)
    journal.write(try entry("a.md", "A", date: "2026-01-01"))
    journal.write(try entry("b.md", "B2", date: "2026-01-02"))
    journal.write(try entry("c.md", "C"))
    var asked: [EntryPath] = []
    let change = try catalog.update(files: journal.files, readAt: journal.clock) {
      asked += $0
      return journal.read($0)
    }
    #expect(asked.map(\.text) == ["a.md", "b.md", "c.md"])
    #expect(change.added.map(\.text) == ["c.md"])
    #expect(change.changed.map(\.text) == ["b.md"])
    #expect(try catalog.list().map(\.title) == ["B2", "A", "C"])
  }

  @Test mutating func `another spelling of the same letters is a change`() throws {
    journal.write(try entry("e.md", "caf\u{E9}"))
    try journal.update(catalog)
    journal.write(try entry("e.md", "cafe\u{301}"))
    #expect(try journal.update(catalog).changed.map(\.text) == ["e.md"])
    let title = try catalog.entry(at: try path("e.md"))?.title
    #expect(title.map { Array($0.utf8) } == Array("cafe\u{301}".utf8))
  }

  @Test mutating func `a changed date moves the entry`() throws {
    try journal.update(catalog)
    journal.write(try entry("a.md", "A", date: "2027-05-05"))
    try journal.update(catalog)
    #expect(try catalog.list().map(\.title) == ["A", "B"])
  }

  @Test func `a file that was written moments before it was read is read again`() throws {
    let stamp = FileSignature(size: 1, modified: 5_000_000_000, inode: 1, mode: 0o100644)
    let file = IndexedFile(path: try path("a.md"), signature: stamp)
    func update(at now: Int64, title: String) throws -> (reads: Int, IndexChange) {
      var reads = 0
      let read = ReadEntry(entry: try entry("a.md", title), signature: stamp, readAt: now)
      let change = try catalog.update(files: [file], readAt: now) {
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
    #expect(try catalog.list().map(\.title) == ["second"])
  }

  @Test func `what another process read after the walk is asked for, not forgotten`() throws {
    try journal.update(catalog)
    var asked: [EntryPath] = []
    let early = try catalog.update(files: [], readAt: journal.clock - 1) {
      asked += $0
      return journal.read($0)
    }
    #expect(asked.count == 2)
    #expect(early.isEmpty)
    let back = try catalog.update(files: [], readAt: journal.clock - 1) { _ in [] }
    #expect(back.removed.count == 2)
    #expect(try catalog.count() == 0)
  }

  @Test mutating func `single paths come, change and go`() throws {
    #expect(throws: IndexError.incomplete(path: folder.index)) {
      try catalog.update(paths: [], read: journal.read)
    }
    try journal.update(catalog)
    journal.write(try entry("c.md", "C"))
    journal.write(try entry("a.md", "A2", date: "2026-01-01"))
    journal.remove(try path("b.md"))
    let paths = try ["a.md", "b.md", "c.md", "never.md"].map(path)
    let change = try catalog.update(paths: paths, read: journal.read)
    #expect(change.added.map(\.text) == ["c.md"])
    #expect(change.changed.map(\.text) == ["a.md"])
    #expect(change.removed.map(\.text) == ["b.md"])
    #expect(try catalog.list().map(\.title) == ["A2", "C"])
  }

  @Test func `an answer about ignoring outlives a change, but not a removal`() throws {
    var journal = journal
    try journal.update(catalog)
    try catalog.setIgnored([try path("a.md"): true, try path("b.md"): false])
    journal.write(try entry("a.md", "A2"))
    try journal.update(catalog)
    #expect(try catalog.pathsWithUnknownIgnore().isEmpty)
    #expect(try catalog.count() == 1)
    let a = try entry("a.md", "A2")
    journal.remove(a.path)
    try journal.update(catalog)
    journal.write(a)
    try journal.update(catalog)
    #expect(try catalog.pathsWithUnknownIgnore() == [a.path])
  }

  @Test func `an error while reading ends the update and passes through`() throws {
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try catalog.update(files: journal.files, readAt: journal.clock) { _ in throw Refused() }
    }
    #expect(try journal.update(catalog).isFirst)
  }

  @Test func `names that are not UTF-8 and texts with NUL are kept as they are`() throws {
    let odd = try #require(EntryPath(bytes: [0xFF, 0xFE, UInt8(ascii: "\n")] + Array(".md".utf8)))
    var strange = try entry("x.md", "NUL\0 inside", body: "before\0after", tags: ["t\0t"])
    strange.path = odd
    var journal = journal
    journal.write(strange)
    try journal.update(catalog)
    let listed = try #require(try catalog.entry(at: odd))
    #expect(listed.path == odd)
    #expect(listed.title == "NUL\0 inside")
    #expect(listed.tags == ["t\0t"])
    #expect(try catalog.search(SearchQuery(parsing: "after")).map(\.summary.path) == [odd])
    #expect(try catalog.verify(against: journal.entries.values.map(\.entry)).isEmpty)
  }

  @Test func `verify names what is missing, too much or different`() throws {
    try journal.update(catalog)
    let found = try catalog.verify(against: [
      try entry("a.md", "Other", date: "2026-01-01"), try entry("c.md", "C"),
    ])
    #expect(found.map(\.path.text) == ["a.md", "b.md", "c.md"])
    #expect(found.map(\.kind) == [.different, .extra, .missing])
  }

  /// A watcher has read a file, which is deleted before the watcher stores it; a list walks meanwhile.
  @Test func `a walk undoes what was read before it and is stored during it`() throws {
    try journal.update(catalog)
    let watcher = try folder.open()
    var before = journal
    before.write(try entry("gone.md", "Gone"))
    let old = before
    let (hasRead, walks) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let stored = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      _ = try? watcher.update(paths: [EntryPath("gone.md")].compactMap(\.self)) { paths in
        hasRead.signal()
        // The list has begun, or waits for this to end.
        walks.wait()
        Thread.sleep(forTimeInterval: 0.3)
        return old.read(paths)
      }
      stored.signal()
    }
    hasRead.wait()
    walks.signal()
    try journal.update(catalog)
    stored.wait()
    #expect(try catalog.list().map(\.path.text).sorted() == ["a.md", "b.md"])
  }

  @Test func `a remark lives as long as the catalogue`() throws {
    try catalog.setMetadata("ignore files", "x1")
    #expect(try folder.open().metadata("ignore files") == "x1")
    #expect(try folder.open(version: "2").metadata("ignore files") == nil)
  }
}
