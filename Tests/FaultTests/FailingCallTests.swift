import Foundation
import TestSupport
import Testing

/// A disk that is full, broken or read-only at any effect of a command: the command prints one line
/// and exits with 1, no file is half written, and once the disk works again so does Diary.
@Suite struct FailingCallTests {
  static let faults = [
    "fail:EIO", "failing:ENOSPC", "failing:EROFS", "failing:EACCES", "short", "fail:EINTR",
  ]

  @Test(arguments: FaultScenario.chosen(for: "failing calls"))
  func `any call may fail`(_ scenario: FaultScenario) async throws {
    let walk = try await EffectWalk(scenario)
    for trouble in Self.faults { try await walk.fail(trouble) }
  }

  @Test(arguments: FaultScenario.chosen(for: "open files"))
  func `any number of open files may be too many`(_ scenario: FaultScenario) async throws {
    let walk = try await EffectWalk(scenario)
    for limit in FaultJournal.isExhaustive ? Array(8...40) : [9, 17] {
      try await walk.limit(openFiles: limit)
    }
  }
}

extension EffectWalk {
  /// Injects the error at a sample of the effects.
  func fail(_ fault: String) async throws {
    let name = "\(scenario.name), \(fault)"
    for number in FaultJournal.effectNumbers(upTo: effects.count, sample: 1, name) {
      try await world.reset()
      let tried = try await world.diary(scenario.arguments, in: scenario.folder, fault, at: number)
      guard tried.hasReached(number) else { break }
      let story = "\(name) at \(tried.effects[number - 1])"
      expectResult(tried.result, story)
      if fault == "short" { #expect(tried.result.status == 0, "\(story): \(tried.result)") }
      try await expectRecovered(story)
    }
  }

  /// Limits the number of open files of the command.
  func limit(openFiles limit: Int) async throws {
    try await world.reset()
    let words = FaultJournal.command(scenario.arguments)
    let result = try await world.home.run(
      "sh", ["-c", "ulimit -n \(limit); exec \"$@\"", "sh"] + words, in: scenario.folder)
    let story = "\(scenario.name) with \(limit) open files"
    expectResult(result, story)
    try await expectRecovered(story)
  }

  /// Checks that the command succeeded, or failed with a message of a few lines.
  func expectResult(_ result: Sandbox.ProgramResult, _ story: String) {
    #expect([0, 1].contains(result.status), "\(story): \(result)")
    let said = result.errors.split(separator: "\n")
    if result.status == 1 {
      #expect(
        said.contains { line in
          ["diary: ", "Not updated yet: ", "Not saved: "].contains { line.hasPrefix($0) }
        },
        "\(story): \(result)")
      #expect(said.count < 12, "\(story): \(result.errors)")
    }
    if result.status == 0 {
      #expect(
        world.contents(of: scenario.journals) == after, "\(story): 0, and not done: \(result)")
    }
  }
}
