import Foundation
import TestSupport
import Testing

/// A power cut at any step of a command: what was not synced may be missing, but everything that
/// was saved before is there.
@Suite struct PowerCutTests {
  /// Each command with the flush method that the seed chooses; in the long form, with each of them.
  /// A journal serves all cuts of one of these, because making it takes longer than a cut.
  private static let cases: [(FaultScenario, FaultJournal.FlushMethod)] =
    FaultScenario.chosen(for: "power cuts").flatMap { scenario in
      var methods = FaultJournal.FlushMethod.allCases
      if !FaultJournal.isExhaustive {
        var dice = SeededGenerator(part: "\(scenario.name), flush method")
        methods = [dice.one(methods)]
      }
      return methods.map { (scenario, $0) }
    }

  @Test(arguments: cases)
  func `the power may be cut at every step`(
    _ scenario: FaultScenario, _ flushing: FaultJournal.FlushMethod
  ) async throws {
    let walk = try await EffectWalk(scenario, flushing)
    for disk in PowerCut.Disk.extremes {
      for number in walk.cutNumbers(disk) { try await walk.cutPower(before: number, disk) }
    }
    // A random state between `strict` and the last seen one.
    var random = SeededGenerator(part: "\(scenario.name), \(flushing)")
    for number in walk.cutNumbers(.anyPart(random.next())) {
      for _ in 1...(FaultJournal.isExhaustive ? 3 : 1) {
        try await walk.cutPower(before: number, .anyPart(random.next()))
      }
    }
    for disk in FaultJournal.isExhaustive ? PowerCut.Disk.extremes : [.strict] {
      try await walk.cutPowerAfterEnd(disk)
    }
  }

  /// gocryptfs answers `syncfs` without a flush, so each file must be synced by itself there.
  @Test(arguments: [FaultScenario.adding, .importingMany])
  func `the power may be cut in a folder of gocryptfs`(_ scenario: FaultScenario) async throws {
    let walk = try await EffectWalk(scenario, .batch)
    #expect(walk.effects.contains { $0.contains("\tsyncfs\t") })
    // gocryptfs shows nothing in a folder that is not empty.
    try await walk.world.home.run("find", ["w", "-mindepth", "1", "-delete"])
    let isMounted = try await walk.world.home.withEncryptedFolder(at: "w") {
      for number in walk.cutNumbers(.strict) { try await walk.cutPower(before: number, .strict) }
      try await walk.cutPowerAfterEnd(.strict)
      let effects = try walk.world.home.read("effects")
      #expect(effects.contains("\tfsync\t") && !effects.contains("\tsyncfs\t"))
    }
    guard isMounted else { try Test.cancel("gocryptfs: NOT RUN (no FUSE may be mounted here)") }
  }

  /// Objects pushed before must be there, although git by itself syncs no single object.
  @Test func `a remote in a folder is intact after a power cut`() async throws {
    let walk = try await EffectWalk(.pushing)
    try await walk.cutPower(before: walk.effects.count + 1, .namesFirst)
  }
}

extension EffectWalk {
  /// Cuts the power after the last effect: the reported result must not depend on another command.
  fileprivate func cutPowerAfterEnd(_ disk: PowerCut.Disk) async throws {
    let story = try await performCut(before: .max, disk)
    #expect(world.contents(of: scenario.journals) == after, "\(story)")
    if scenario.isCommitting { try await expectCommitted(story) }
    try await expectRecovered(story)
  }

  /// The effects before which to cut the power, one of them the end.
  func cutNumbers(_ disk: PowerCut.Disk) -> [Int] {
    FaultJournal.effectNumbers(
      upTo: effects.count + 1, sample: 1, "\(scenario.name), \(disk.testDescription)")
  }

  /// Cuts the power before effect `number`, or after the last, and checks the result.
  func cutPower(before number: Int, _ disk: PowerCut.Disk) async throws {
    try await expectRecovered(performCut(before: number, disk))
  }

  /// Cuts the power before effect `number`, or after the last. Returns a description of the cut.
  fileprivate func performCut(before number: Int, _ disk: PowerCut.Disk) async throws -> String {
    try await world.reset()
    let kept = world.home.homePath + "/kept"
    try? FileManager.default.removeItem(atPath: kept)
    try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: false)
    let tried = try await world.diary(
      scenario.arguments, in: scenario.folder, "cut:" + kept, at: number)
    let w = world.home.homePath + "/w"
    let seen = try await world.home.run(
      "sh",
      ["-c", "find . -exec stat --printf '%i %w\\t%f\\t%n\\0' {} + >\"$1\"", "sh", kept + "/seen"],
      in: "w")
    try #require(seen.status == 0)
    try PowerCut(kept, of: w, tried.effects).apply(to: w, disk, lastSeen: kept + "/seen")
    let isOver = tried.effects.count < number
    if isOver { #expect(tried.result.status == 0, "\(scenario.name): \(tried.result)") }
    let place = isOver ? "at the end" : "before \(tried.effects[number - 1])"
    return "\(scenario.name), power cut \(place), \(disk.testDescription)"
  }

  /// Checks, with git alone, that the branch contains exactly the files that the command makes.
  fileprivate func expectCommitted(_ story: String) async throws {
    try await world.home.run("rm", ["-rf", "told"])
    let script = "mkdir ../../told && git archive HEAD | tar -xf - -C ../../told"
    let read = try await world.home.run("sh", ["-c", script], in: scenario.folder)
    #expect(read.status == 0, "\(story): \(read)")
    func names(_ texts: [String: Data], in folder: String) -> [String: Data] {
      Dictionary(
        uniqueKeysWithValues: texts.filter { $0.key.hasPrefix(folder + "/") }
          .map { ($0.key.dropFirst(folder.count).description, $0.value) })
    }
    let told = names(world.contents(of: ["told"]), in: "told")
    #expect(told == names(after, in: scenario.folder), "\(story): HEAD has \(told.keys.sorted())")
  }
}
