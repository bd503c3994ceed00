import DiaryCore
import EntryIndex
import TestSupport
import Testing

/// Of a large journal only the neighbours of a change are compared with the rows.
struct RunsTests {
  let folder: TemporaryFolder
  let catalog: EntryCatalog
  var journal = PretendJournal()

  init() throws {
    folder = try TemporaryFolder()
    catalog = try folder.open()
    for number in 0..<3000 { journal.write(try made(number)) }
    try journal.update(catalog)
  }

  private func made(_ number: Int, _ title: String = "") throws -> Entry {
    try entry("\(number / 100)/\(number).md", "\(title)\(number)")
  }

  /// Updates, and expects just these to be read.
  private func expect(_ changed: Set<EntryPath>, _ remark: Comment) throws {
    var asked: Set<EntryPath> = []
    _ = try catalog.update(files: journal.files, readAt: journal.clock) {
      asked.formUnion($0)
      return journal.read($0)
    }
    #expect(asked == changed, remark)
    #expect(try Set(catalog.list().map(\.path)) == Set(journal.entries.keys), remark)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  mutating func `whatever comes, changes and goes is found`(seed: UInt64) throws {
    var random = Seeded(seed)
    for step in 0..<30 {
      var changed: Set<EntryPath> = []
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        // Now and then so many in a row that whole runs come or go.
        let first = Int.random(in: 0..<3600, using: &random)
        let count = Bool.random(using: &random) ? 1 : Int.random(in: 1...900, using: &random)
        let goes = Bool.random(using: &random)
        for number in first..<first + count {
          let fresh = try made(number, "\(step) ")
          if goes {
            journal.entries[fresh.path] = nil
            changed.remove(fresh.path)
          } else {
            journal.write(fresh)
            changed.insert(fresh.path)
          }
        }
      }
      journal.clock += 3_000_000_000
      try expect(changed, "seed \(seed), step \(step)")
      if step % 7 == 0 {
        // The watcher's way, which knows nothing of runs.
        let fresh = try made(Int.random(in: 0..<3600, using: &random), "watched ")
        journal.write(fresh)
        _ = try catalog.update(paths: [fresh.path], read: journal.read)
      }
    }
  }

  /// From the end, one by one, so that now and then a whole run goes.
  @Test mutating func `a row that stayed where a whole run had been is found later`() throws {
    var (files, clock) = (journal.files, journal.clock)
    while files.count > 2400 {
      let last = files.removeLast()
      // Gone when the walk comes by, there again when it is looked at.
      let early = try catalog.update(files: files, readAt: 1, read: journal.read)
      #expect(early.removed.isEmpty)
      clock += 3_000_000_000
      let late = try catalog.update(files: files, readAt: clock) { paths in
        Issue.record("read \(paths)")
        return []
      }
      #expect(late.removed == [last.path])
    }
  }

  @Test mutating func `what another process forgets meanwhile is not taken for known`() throws {
    try expect([], "all is known")
    let fresh = try made(200, "new ")
    let other = try path("25/2500.md")
    journal.write(fresh)
    let theirs = try folder.open()
    _ = try catalog.update(files: journal.files, readAt: journal.clock) {
      _ = try theirs.update(paths: [other]) { _ in [] }
      return journal.read($0)
    }
    #expect(try catalog.count() == 2999)
    try expect([other], "it is where it was")
  }

  @Test mutating func `what was found to be in doubt is looked at again`() throws {
    try expect([], "all is known")
    let path = try path("12/1234.md")
    let stamp = FileStamp(size: 1, modified: journal.clock, inode: 1, mode: 0o100644)
    let fresh = ReadEntry(entry: try made(1234, "new "), stamp: stamp, readAt: journal.clock + 1)
    journal.entries[path] = fresh
    journal.clock += 1
    try expect([path], "written a moment ago")
    try expect([path], "its stamp was not to be trusted")
    journal.clock += 3_000_000_000
    try expect([path], "nor then")
    try expect([], "it was old enough when it was read last")
  }
}
