import DiaryCore
import EntryIndex
import TestSupport
import Testing

/// The files of a large journal are compared with its rows in one pass, and what differs is read.
struct SortedMergeTests {
  let folder: TemporaryFolder
  let catalog: EntryIndexDatabase
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
    for step in 0..<12 {
      var changed: Set<EntryPath> = []
      for _ in 0..<Int.random(in: 0...3, using: &random) {
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
        // The watcher's way, which names what it has seen.
        let fresh = try made(Int.random(in: 0..<3600, using: &random), "watched ")
        journal.write(fresh)
        _ = try catalog.update(paths: [fresh.path], read: journal.read)
      }
    }
  }
}
