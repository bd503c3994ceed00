import DiaryCore
import EntryIndex
import TestSupport
import Testing

/// The files of a large journal are compared with its rows in one pass; changed files are read.
struct SortedMergeTests {
  let folder: TemporaryFolder
  let database: EntryIndexDatabase
  var journal = InMemoryJournal()

  init() throws {
    folder = try TemporaryFolder()
    database = try folder.open()
    for number in 0..<3000 { journal.write(try makeEntry(number)) }
    try journal.update(database)
  }

  private func makeEntry(_ number: Int, _ title: String = "") throws -> Entry {
    try entry("\(number / 100)/\(number).md", "\(title)\(number)")
  }

  /// Updates the index and checks that exactly these files are read, and those that are gone.
  private func expect(_ changed: Set<EntryPath>, _ comment: Comment) throws {
    var asked: Set<EntryPath> = []
    let gone = try Set(database.list().map(\.path)).subtracting(journal.entries.keys)
    _ = try database.update(files: journal.files) {
      asked.formUnion($0)
      return journal.read($0)
    }
    #expect(asked == changed.union(gone), comment)
    #expect(try Set(database.list().map(\.path)) == Set(journal.entries.keys), comment)
  }

  @Test(arguments: 1...3)
  mutating func `added, changed and removed files are found`(part: Int) throws {
    var random = SeededGenerator(part: part)
    for step in 0..<12 {
      var changed: Set<EntryPath> = []
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let first = Int.random(in: 0..<3600, using: &random)
        let count = Bool.random(using: &random) ? 1 : Int.random(in: 1...900, using: &random)
        let goes = Bool.random(using: &random)
        for number in first..<first + count {
          let fresh = try makeEntry(number, "\(step) ")
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
      try expect(changed, "\(random), step \(step)")
      if step % 7 == 0 {
        // Like the watcher, which names the paths that it has seen.
        let fresh = try makeEntry(Int.random(in: 0..<3600, using: &random), "watched ")
        journal.write(fresh)
        _ = try database.update(paths: [fresh.path], read: journal.read)
      }
    }
  }
}
