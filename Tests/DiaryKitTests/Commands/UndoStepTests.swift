import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// Several undos in a row, redo, and the list of operations.
@Suite struct UndoStepTests {
  let world: TestJournal
  let journal: Journal

  init() async throws {
    world = try await TestJournal(["a.md": "# A\n\none\n", "b.md": "# B\n\ntwo\n"])
    journal = try world.journal()
  }

  private func undo(keepingChanged: Bool = false) async throws {
    _ = try await journal.history.undo(
      try await journal.history.planUndo(keepingChanged: keepingChanged))
  }

  private func redo() async throws {
    _ = try await journal.history.undo(try await journal.history.planRedo())
  }

  private func texts() -> [String: String] {
    var texts: [String: String] = [:]
    for name in world.home.files(in: "j") where name.hasSuffix(".md") && name != "INDEX.md" {
      texts[name] = try? world.home.read("j/" + name)
    }
    return texts
  }

  private func add(_ text: String, to path: EntryPath) async throws {
    var addition = NewEntry()
    addition.message = text
    _ = try await journal.entries.add(addition, to: path, withTime: false)
  }

  @Test func `undo goes back step by step, and redo comes forward`() async throws {
    var states = [texts()]
    try await add("A heron.", to: "a.md")
    states.append(texts())
    _ = try await journal.entries.star(["a.md", "b.md"], true)
    states.append(texts())
    _ = try await journal.entries.rename("b.md", to: "Brook")
    states.append(texts())
    _ = try await journal.entries.delete(["a.md"])
    states.append(texts())
    #expect(Set(states).count == 5)
    for _ in 0..<2 {
      for state in states.dropLast().reversed() {
        try await undo()
        #expect(texts() == state)
      }
      await #expect(throws: DiaryError.self) { try await undo() }
      for state in states.dropFirst() {
        try await redo()
        #expect(texts() == state)
      }
      await #expect(throws: DiaryError.self) { try await redo() }
    }
    #expect(try await world.git("status", "--porcelain") == "")
  }

  @Test func `a new operation ends redo`() async throws {
    try await add("A heron.", to: "a.md")
    _ = try await journal.entries.star(["b.md"], true)
    try await undo()
    _ = try await journal.entries.star(["a.md"], true)
    await #expect(throws: DiaryError.self) { try await journal.history.planRedo() }
    try await undo()
    try await undo()
    #expect(texts() == ["a.md": "# A\n\none\n", "b.md": "# B\n\ntwo\n"])
    #expect(try journal.history.operations().map(\.isUndone) == [true, true])
  }

  @Test func `a file that was changed since stops the undo, and the rest is done on request`()
    async throws
  {
    _ = try await journal.entries.star(["a.md", "b.md"], true)
    try world.write(try world.home.read("j/a.md") + "Mine.\n", "a.md")
    let before = texts()
    let plan = try await journal.history.planUndo()
    #expect(plan.steps == [] && plan.skipped.map(\.path) == ["a.md"] && plan.isPartlyPossible)
    let error = await #expect(throws: DiaryError.self) { try await journal.history.undo(plan) }
    #expect(error?.details == ["a.md changed since then, so it stays as it is"])
    #expect(error?.hint?.contains("--keep-changed") == true)
    #expect(texts() == before)
    try await undo(keepingChanged: true)
    #expect(texts() == ["a.md": before["a.md"], "b.md": "# B\n\ntwo\n"])
    try await redo()
    #expect(texts() == before)
  }

  @Test func `the oldest operations are dropped above the limit of bytes`() async throws {
    func operation(files: Int) -> JournalOperation {
      JournalOperation(
        command: .import, subject: "\(files) entries", at: files,
        files: (0..<files).map { .init(name: String(repeating: "x", count: 1000) + "\($0)") })
    }
    try journal.makeStateFolder()
    try journal.state.operations.write([1, 2, 3, 3_000].map { operation(files: $0) })
    try await add("A heron.", to: "a.md")
    #expect(try journal.history.operations().map(\.at) == [1, 2, 3, 3_000, journal.now])
    try journal.state.operations.write([1, 2, 3, 4_300, 4].map { operation(files: $0) })
    try await add("An owl.", to: "b.md")
    #expect(try journal.history.operations().map(\.at) == [4, journal.now])
  }

  @Test func `a rename is never undone in part`() async throws {
    let new = try await journal.entries.rename("a.md", to: "Heron").path
    try world.write(try world.home.read("j/" + new.text) + "Mine.\n", new.text)
    let plan = try await journal.history.planUndo(keepingChanged: true)
    #expect(plan.steps == [] && !plan.isPartlyPossible)
    #expect(plan.skipped.map(\.path) == [new])
  }

  @Test func `a step before a changed one cannot be reached`() async throws {
    _ = try await journal.entries.star(["b.md"], true)
    try await add("A heron.", to: "a.md")
    try await add("A kingfisher.", to: "a.md")
    _ = try await journal.entries.star(["b.md"], false)
    try await undo()
    try world.write(try world.home.read("j/a.md") + "Mine.\n", "a.md")
    let list = try await journal.history.listOperations()
    #expect(list.map(\.operation.command) == [.unstar, .add, .add, .star])
    #expect(list.map(\.operation.isUndone) == [true, false, false, false])
    #expect(list.map(\.isPossible) == [true, false, false, false])
    #expect(list.map { $0.obstacles.map(\.path.text) } == [[], ["a.md"], [], []])
  }

  @Test func `each step that changed the same file can be undone in its turn`() async throws {
    try await add("A heron.", to: "a.md")
    try await add("A kingfisher.", to: "a.md")
    _ = try await journal.entries.delete(["a.md"])
    try await undo()
    try await undo()
    let list = try await journal.history.listOperations()
    #expect(list.map(\.operation.command) == [.delete, .add, .add])
    #expect(list.map(\.operation.isUndone) == [true, true, false])
    #expect(list.allSatisfy { $0.isPossible && $0.obstacles.isEmpty })
  }

  @Test func `an undo that was killed before its record is completed by the next one`()
    async throws
  {
    try await add("A heron.", to: "a.md")
    let heron = texts()
    _ = try await journal.entries.star(["a.md", "b.md"], true)
    let (starred, recorded) = (texts(), try journal.state.operations.load())
    try await undo()
    // Half of the undo, and no record of it.
    try world.write(try #require(starred["b.md"]), "b.md")
    _ = try await journal.save()
    try journal.state.operations.write(recorded)
    try await undo()
    #expect(texts() == heron)
    // All of it.
    try journal.state.operations.write(recorded)
    try await undo()
    #expect(texts() == heron)
    try await redo()
    #expect(texts() == starred)
  }

  /// The record of a Diary in which a second undo was the redo of the first.
  @Test func `the undos in the record of an earlier version are read`() async throws {
    _ = try await journal.entries.star(["a.md"], true)
    let starred = texts()
    let star = try #require(try journal.state.operations.load().first)
    var undone = star
    undone.command = JournalOperation.Command(rawValue: "undo")
    undone.undone = .star
    undone.files = star.files.map(\.reversed)
    var redone = undone
    redone.files = star.files
    try journal.state.operations.write([star, undone, redone])
    #expect(try journal.history.operations().map(\.isUndone) == [false])
    #expect(try journal.history.operations().map(\.command) == [.star])
    try await undo()
    #expect(try world.home.read("j/a.md") == "# A\n\none\n")
    for record in [[star, undone], [undone]] {
      try journal.state.operations.write(record)
      #expect(try journal.history.operations().map(\.isUndone) == [true])
      await #expect(throws: DiaryError.self) { try await journal.history.planUndo() }
    }
    try await redo()
    #expect(texts() == starred)
  }

  @Test func `an undo on the page leaves the operations after the deletion`() async throws {
    try await add("A heron.", to: "a.md")
    let version = try await journal.page.editable("a.md").version
    let id = try await journal.page.delete("a.md", from: version)
    _ = try await journal.entries.star(["b.md"], true)
    _ = try await journal.page.undoDeletion(id)
    #expect(texts().keys.sorted() == ["a.md", "b.md"])
    await #expect(throws: DiaryError.self) { try await journal.page.undoDeletion(id) }
    try await undo()
    #expect(texts()["b.md"] == "# B\n\ntwo\n")
    try await undo()
    #expect(texts() == ["a.md": "# A\n\none\n", "b.md": "# B\n\ntwo\n"])
    for _ in 0..<3 { try await redo() }
    #expect(texts().keys.sorted() == ["b.md"])
  }

  @Test func `an undo knows whether the operation was pushed`() async throws {
    try await world.home.git("init", "-q", "--bare", "remote.git", in: "")
    _ = try await world.git("remote", "add", "origin", world.home.homePath + "/remote.git")
    _ = try await world.git("push", "-q", "-u", "origin", "HEAD")
    _ = try await journal.entries.star(["a.md"], true)
    #expect(try await !journal.history.planUndo().isPushed)
    _ = try await journal.remote.sync()
    #expect(try await journal.history.planUndo().isPushed)
    _ = try await journal.entries.delete(["b.md"])
    #expect(try await !journal.history.planUndo().isPushed)
    _ = try await journal.remote.sync()
    #expect(try await journal.history.planUndo().isPushed)
  }

  @Test func `an executable file stays one through undo and redo`() async throws {
    try await add("A heron.", to: "a.md")
    let path = try await journal.entries.rename("a.md", to: "Heron").path
    let file = world.home.homePath + "/j/" + path.text
    chmod(file, 0o755)
    _ = try await journal.save()
    try await undo()
    #expect(access(world.home.homePath + "/j/a.md", F_OK) == 0)
    try await redo()
    #expect(access(file, X_OK) == 0)
  }
}
