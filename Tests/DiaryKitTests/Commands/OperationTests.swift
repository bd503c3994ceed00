import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// The record of the operations that can be undone.
@Suite struct OperationTests {
  let world: TestJournal
  let journal: Journal

  init() async throws {
    world = try await TestJournal()
    journal = try world.journal()
  }

  /// The last operation, with the files of this many entries besides its own.
  private func lastOperation(with entries: Int) throws -> JournalOperation {
    var operation = try #require(try journal.state.operations.load().last)
    operation.files += (0..<entries).map {
      JournalOperation.File(
        name: "note-\($0).md", before: nil, after: String(repeating: "0", count: 40))
    }
    return operation
  }

  @Test func `a large operation can be undone, and the record is small again after the next one`()
    async throws
  {
    _ = try await journal.entries.star(["a.md"], true)
    try journal.state.operations.write([try lastOperation(with: 60_000)])
    #expect(journal.state.operations.size > History.maxOperationBytes)
    _ = try await journal.history.undo(try await journal.history.planUndo())
    #expect(try world.home.read("j/a.md") == "one\n")
    #expect(try journal.history.operations().map(\.isUndone) == [true])
    _ = try await journal.entries.star(["a.md"], true)
    #expect(try journal.history.operations().map(\.isUndone) == [false])
    #expect(journal.state.operations.size < 1_000)
  }

  @Test func `the oldest operations are dropped when all together are too large`() async throws {
    _ = try await journal.entries.star(["a.md"], true)
    let medium = try lastOperation(with: 6_500)
    try journal.state.operations.write(Array(repeating: medium, count: 8))
    #expect(journal.state.operations.size < History.maxOperationBytes)
    for isStarred in [false, true] { _ = try await journal.entries.star(["a.md"], isStarred) }
    try journal.state.operations.write(try journal.state.operations.load() + [medium])
    _ = try await journal.entries.star(["a.md"], false)
    let all = try journal.state.operations.load()
    #expect(all.count < 12 && all.last?.command == .unstar)
    #expect(journal.state.operations.size < History.maxOperationBytes)
  }

  @Test func `the marks of an earlier version of Diary are read`() throws {
    let text = """
      [{"verb":"import","subject":"1 entry","at":1,"files":[],
        "marks":["source:phone/1","file:markdown/a=b.md=12","undone:source:phone/2","abcd"]}]
      """
    try world.home.write(text, to: "j/.git/diary/operations.json")
    let marks = try #require(try journal.state.operations.load().first?.marks).compactMap(\.after)
    #expect(
      marks.map(\.id) == ["source:phone/1", "file:markdown/a=b.md", "source:phone/2", "abcd"])
    #expect(marks.map(\.digest) == [nil, "12", nil, nil])
    #expect(marks.map(\.absence) == [nil, nil, .undone, nil])
  }
}
