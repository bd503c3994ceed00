import Foundation
import TestSupport
import Testing

/// `status` names what a killed Diary left, if the next command does not finish it by itself.
@Suite struct UnfinishedWorkTests {
  @Test func `late text in a displaced file is named until it is saved`() async throws {
    let scenario = FaultScenario.renaming
    let world = try await FaultJournal(prepare: scenario.prepare)
    let state = world.home.homePath + "/w/j/.git/diary"
    let whole = try await world.diary(scenario.arguments, in: scenario.folder)
    var left: String?
    for number in stride(from: 1, through: whole.effects.count, by: 7) where left == nil {
      try await world.reset()
      _ = try await world.diary(scenario.arguments, in: scenario.folder, "kill", at: number)
      let names = try FileManager.default.contentsOfDirectory(atPath: state)
      left = names.first { $0.hasPrefix(".diary-") }
    }
    let name = try #require(left)
    // Its text is saved, so the next save only removes it.
    #expect(try await !world.status().contains(name))
    let file = try #require(FileHandle(forWritingAtPath: state + "/" + name))
    try file.seekToEnd()
    try file.write(contentsOf: Data("And late words.\n".utf8))
    let open = name + " has text of an interrupted write, and a program has it open"
    #expect(try await world.status().contains(open))
    try file.close()
    let closed = name + " has text of an interrupted write; `diary save` adds it to the history"
    #expect(try await world.status().contains(closed))
    let json = try await world.status("--json")
    #expect(json.contains("{\"path\":\"\(name)\",\"reason\":\"has text"), "\(json)")
    let isSaved = await Sandbox.holds {
      guard (try? await world.home.diary("save", in: "w/j"))?.status == 0 else { return false }
      return (try? await world.status().contains(name)) == false
    }
    #expect(isSaved)
    try await world.expectSaved(["And late words."], in: "w/j", name)
  }

  @Test func `an import is named until it is repeated`() async throws {
    let scenario = FaultScenario.importing
    let world = try await FaultJournal(prepare: scenario.prepare)
    let whole = try await world.diary(scenario.arguments, in: scenario.folder)
    let begun = try #require(whole.effects.firstIndex { $0.hasSuffix("/.git/diary/import.json") })
    try await world.reset()
    _ = try await world.diary(scenario.arguments, in: scenario.folder, "kill", at: begun + 10)
    let named = "an import runs or was interrupted; import the same again"
    for _ in 1...2 {
      #expect(try await world.status().contains(named))
      #expect(try await world.status("--json").contains("\"unfinished\":[\"import\"]"))
      _ = try await world.home.diary("save", in: "w/j")
    }
    _ = try await world.diary(scenario.arguments, in: scenario.folder)
    #expect(try await !world.status().contains("unfinished"))
  }

  @Test func `an init is named until it is repeated`() async throws {
    let world = try await FaultJournal { try $0.write("# Day\n\nwords\n", to: "w/j/a.md") }
    let arguments = ["init", "j", "--yes"]
    let whole = try await world.diary(arguments, in: "w")
    let committed = try #require(
      whole.effects.firstIndex { $0.hasSuffix("w/j/.git/refs/heads/main") })
    try await world.reset()
    _ = try await world.diary(arguments, in: "w", "kill", at: committed + 1)
    #expect(
      try await world.status().contains(
        "`diary init` runs or was interrupted; run it again if it has ended"))
    #expect(try await world.status("--json").contains("\"unfinished\":[\"init\"]"))
    _ = try await world.diary(arguments, in: "w")
    #expect(try await !world.status().contains("unfinished"))
  }
}

extension FaultJournal {
  fileprivate func status(_ options: String...) async throws -> String {
    try await home.run(Sandbox.programs + "/diary", ["status"] + options, in: "w/j").output
  }
}
