import DiaryCore
import EntryIndex
import Foundation
import Testing

/// Several processes that use one index.
@Suite(.serialized) struct ProcessTests {
  /// The journal, with the same entries in every process.
  static func journal(of count: Int = 200) throws -> InMemoryJournal {
    var journal = InMemoryJournal()
    for number in 1...count {
      let body = String(repeating: "word\(number) ", count: 50)
      journal.write(try entry("\(number).md", "Entry \(number)", body: body, tags: ["t"]))
    }
    return journal
  }

  @Test func `several processes create and use one index at the same time`() async throws {
    let folder = try TemporaryFolder()
    await withTaskGroup { group in
      for child in 0..<3 {
        group.addTask { [place = folder.index] in
          await #expect(processExitsWith: .success) {
            [place = place as String, child = child as Int] in
            var journal = try ProcessTests.journal()
            for round in 0..<8 {
              // The first process sometimes opens it with other settings, which replaces the file.
              let version = child == 0 && round % 4 == 3 ? "2" : "1"
              let catalog = try EntryIndexDatabase.open(at: place, version: version)
              journal.write(try entry("\(child).x.md", "Child \(child)", body: "round \(round)"))
              try journal.update(catalog)
              if round % 3 == 2 { try catalog.rebuild() }
              try journal.update(catalog)
              _ = try catalog.search(SearchQuery(parsing: "word7"))
              precondition(catalog.memoryReason == nil, catalog.memoryReason ?? "")
            }
          }
        }
      }
    }
    let journal = try ProcessTests.journal()
    let catalog = try folder.open()
    try journal.update(catalog)
    #expect(try catalog.verify(against: journal.entries.values.map(\.entry)).isEmpty)
    #expect(catalog.memoryReason == nil)
  }

  @Test func `an index that a killed process left is completed by an update`()
    async throws
  {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .signal(SIGKILL)) { [place = folder.index as String] in
      let journal = try ProcessTests.journal(of: 1300)
      let catalog = try EntryIndexDatabase.open(at: place, version: "1")
      _ = try catalog.update(files: Array(journal.files[..<50])) {
        journal.read($0)
      }
      // The first portion is stored before the second one is read.
      var portions = 0
      _ = try catalog.update(files: journal.files) { paths in
        portions += 1
        if portions == 2 { kill(getpid(), SIGKILL) }
        return journal.read(paths)
      }
    }
    let journal = try ProcessTests.journal(of: 1300)
    let catalog = try folder.open()
    try journal.update(catalog)
    #expect(catalog.memoryReason == nil)
    #expect(try catalog.verify(against: journal.entries.values.map(\.entry)).isEmpty)
  }
}
