import Foundation
import TestSupport
import Testing

/// Regression tests: one effect of one command each.
@Suite struct StoryTests {
  @Test func `an interrupted commit does not revert what a later sync brings`()
    async throws
  {
    let walk = try await EffectWalk(.merging)
    // The branch has the commit of the sitting, but the saves ref does not yet.
    let moved = try #require(walk.number { $0.isCall("rename", "w/a/.git/refs/heads/main") })
    for effect in [moved + 1, moved + 8] { try await walk.inject("kill", at: effect) }
  }

  @Test(arguments: ["kill", "fail:EIO"])
  func `after an interrupted commit the index follows the branch`(_ fault: String) async throws {
    for scenario in [FaultScenario.saving, .fastForward] {
      let walk = try await EffectWalk(scenario)
      let journal = scenario.folder
      let moved = try #require(
        walk.number { $0.isCall("rename", journal + "/.git/refs/heads/main") })
      // The sync of the branch's folder fails; then the rename of the new index.
      try await walk.inject(fault, at: moved + 1)
      let index = walk.number { $0.isCall("rename", journal + "/.git/index") }
      try await walk.inject(fault, at: try #require(index))
    }
  }

  @Test func `waiting checkouts are on disk before a sync moves the branch`()
    async throws
  {
    let walk = try await EffectWalk(.fastForward)
    let named = walk.number { $0.isCall("rename", "w/a/.git/diary/arrivals.json") }
    let synced = walk.number(after: try #require(named)) { $0.isCall("fsync", "w/a/.git/diary") }
    let moved = walk.number { $0.isCall("rename", "w/a/.git/refs/heads/main") }
    #expect(try #require(synced) < #require(moved))
  }

  @Test func `an object is flushed before its rename, and both before the branch moves`()
    async throws
  {
    let save = try await EffectWalk(.saving, .fsync)
    let moved = try #require(save.index { $0.isCall("rename", "w/j/.git/refs/heads/main") })
    for index in try save.namedObjects(in: "w/j", upTo: moved) {
      let last = save.effects[..<index].last { $0.contains("/objects/tmp_object_") }
      #expect(last?.contains("\tfsync\t") == true, "\(save.effects[index])")
    }
    // The lock's name, too: without it, an old index would revert the new commit.
    let lock = try #require(save.index { $0.isCall("link", "w/j/.git/index.lock") })
    #expect(save.effects[lock..<moved].contains { $0[...].isCall("fsync", "w/j/.git") })
    // git flushes the objects that it fetches, but no folder that contains them.
    let sync = try await EffectWalk(.fastForward)
    let forward = try #require(sync.index { $0.isCall("rename", "w/a/.git/refs/heads/main") })
    _ = try sync.namedObjects(in: "w/a", upTo: forward)
  }

  @Test func `in batch mode the disk is synced between the steps`()
    async throws
  {
    let save = try await EffectWalk(.saving, .batch)
    let synced = save.effects.indices.filter { save.effects[$0].contains("\tsyncfs\t") }
    try #require(!synced.isEmpty, "the tests' folder lies on a disk of another kind")
    let journal = save.world.home.homePath + "/w/j/.git"
    /// Expects a sync between the first step of the second kind and the preceding last step of the
    /// first kind. A step is a call and a prefix of its path.
    func expect(_ first: (String, String), before second: (String, String)) throws {
      let isStep = { (effect: String, step: (String, String)) in
        effect.contains("\t\(step.0)\t\(journal)/\(step.1)")
      }
      let later = try #require(save.effects.firstIndex { isStep($0, second) }, "\(second)")
      let last = try #require(save.effects[..<later].lastIndex { isStep($0, first) }, "\(first)")
      #expect(synced.contains { last < $0 && $0 < later }, "\(first) before \(second)")
    }
    let saves = ("rename", "refs/diary/saves/main/main")
    let branch = ("rename", "refs/heads/main")
    try expect(("write", "objects/tmp_objdir-diary-"), before: ("rename", "objects/"))
    try expect(("rename", "objects/"), before: saves)
    try expect(saves, before: branch)
    try expect(("link", "index.lock"), before: branch)
    try expect(branch, before: ("rename", "index"))
  }

  @Test(arguments: [
    "w/a/.git/refs/remotes/origin/main.lock", "w/remote.git/refs/heads/main.lock",
  ])
  func `a lock of a killed git does not stop later syncs`(_ lock: String) async throws {
    let walk = try await EffectWalk(.merging)
    for fault in ["kill", "kill-one"] {
      try await walk.inject(fault) { $0.isCall("write", lock) }
    }
  }

  @Test func `a lock that existed before is not removed`() async throws {
    let walk = try await EffectWalk(.fastForward)
    let home = walk.world.home
    try await walk.world.reset()
    let lock = "w/a/.git/refs/remotes/origin/main.lock"
    try home.write("", to: lock)
    for _ in 1...2 {
      let refused = try await home.diary("sync", in: "w/a")
      #expect(refused.status == 1 && refused.errors.contains("main.lock"), "\(refused)")
    }
    #expect(home.exists(lock))
  }

  @Test func `an interrupted delete is completed as a delete`() async throws {
    let walk = try await EffectWalk(.deleting)
    let gone = walk.number {
      $0.isCall("rmdir", "w/j/2026/10") || $0.isCall("unlinkat", "w/j/2026/10")
    }
    try await walk.inject("kill", at: try #require(gone) + 1)
  }

  @Test func `an interrupted init can be continued`() async throws {
    let world = try await FaultJournal { _ in }
    let whole = try await world.diary(["init", "j"], in: "w")
    try #require(!whole.effects.isEmpty)
    for number in FaultJournal.effectNumbers(upTo: whole.effects.count, sample: 6, "init") {
      try await world.reset()
      let tried = try await world.diary(["init", "j"], in: "w", "kill", at: number)
      guard tried.hasReached(number) else { break }
      let story = "init, killed before \(tried.effects[number - 1])"
      let again = try await world.home.diary("init", "j", in: "w")
      let isDone = again.errors.contains("is already a journal")
      #expect(again.status == 0 || isDone, "\(story): \(again.errors)")
      #expect(world.home.exists("w/j/.git/diary/made"), "\(story)")
      let excluded = try world.home.read("w/j/.git/info/exclude")
      #expect(excluded.contains("INDEX.md"), "\(story)")
      try await world.home.git("config", "merge.diary.driver", in: "w/j")
      try world.home.write("Words.\n", to: "w/j/a.md")
      #expect(try await world.home.diary("save", in: "w/j").status == 0, "\(story)")
      try await world.expectIntact("w/j", story)
    }
  }

  @Test func `a program that cannot start for lack of descriptors is reported in a line`()
    async throws
  {
    let walk = try await EffectWalk(.pushing)
    for limit in [12, 14, 16, 20] {
      try await walk.world.reset()
      let result = try await walk.world.home.run(
        "sh", ["-c", "ulimit -n \(limit); exec diary sync"], in: "w/a")
      walk.expectResult(result, "\(limit) open files")
      try await walk.expectRecovered("\(limit) open files")
    }
  }
}

extension EffectWalk {
  /// The index of the first effect that `fits`.
  fileprivate func index(_ fits: (Substring) -> Bool) -> Int? {
    effects.firstIndex { fits($0[...]) }
  }

  /// The indices of the effects before `last` that name objects. Checks that each folder is synced.
  fileprivate func namedObjects(in journal: String, upTo last: Int) throws -> [Int] {
    let named = effects[..<last].indices.filter { index in
      let parts = effects[index].split(separator: "\t")
      return ["link", "linkat", "rename", "renameat", "renameat2"].contains(parts[1])
        && parts[2].contains("/\(journal)/.git/objects/")
        && parts[2].split(separator: "/").last?.count == 38
    }
    try #require(!named.isEmpty)
    for index in named {
      let folder = (effects[index] as NSString).deletingLastPathComponent.suffix(2)
      #expect(
        effects[index..<last].contains {
          $0[...].isCall("fsync", "\(journal)/.git/objects/\(folder)")
        },
        "\(effects[index])")
    }
    return named
  }

  /// The number of the first effect after effect `last` that `fits`.
  fileprivate func number(after last: Int = 0, _ fits: (Substring) -> Bool) -> Int? {
    effects.dropFirst(last).first { fits($0[...]) }.flatMap { line in
      line.split(separator: "\t").first.flatMap { Int($0) }
    }
  }

  /// Injects a fault at the first effect that `fits`. Its number may be another one in each run, as
  /// the names of objects are, so it is searched again; the last of five runs has to meet any effect.
  fileprivate func inject(_ fault: String, _ fits: (Substring) -> Bool) async throws {
    var effects = effects
    for attempt in 1...5 {
      let number = try #require(effects.firstIndex { fits($0[...]) }) + 1
      try await world.reset()
      let tried = try await world.diary(scenario.arguments, in: scenario.folder, fault, at: number)
      if tried.hasReached(number), attempt == 5 || fits(tried.effects[number - 1][...]) {
        let effect = tried.effects[number - 1]
        return try await expectRecovered("\(scenario.name), \(fault) at \(effect)")
      }
      try await world.reset()
      effects = try await world.diary(scenario.arguments, in: scenario.folder).effects
    }
    Issue.record("\(scenario.name), \(fault): no effect was met")
  }

  fileprivate func inject(_ fault: String, at number: Int) async throws {
    try await world.reset()
    let tried = try await world.diary(scenario.arguments, in: scenario.folder, fault, at: number)
    try #require(tried.hasReached(number))
    try await expectRecovered("\(scenario.name), \(fault) at \(tried.effects[number - 1])")
  }
}

extension Substring {
  /// Whether the effect is this call with a path that ends in `path`.
  fileprivate func isCall(_ call: String, _ path: String) -> Bool {
    contains("\t\(call)\t") && hasSuffix("/" + path)
  }
}
