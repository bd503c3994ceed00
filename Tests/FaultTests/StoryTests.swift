import Foundation
import TestSupport
import Testing

/// What went wrong once: one effect, of one command.
@Suite struct StoryTests {
  @Test func `a commit that was cut off takes back nothing that a sync brings after it`()
    async throws
  {
    let walk = try await Walk(.merging)
    // The branch has the commit of the sitting; the saves do not know yet.
    let moved = try #require(walk.number { $0.isOf("rename", "w/a/.git/refs/heads/main") })
    for effect in [moved + 1, moved + 8] { try await walk.tries("kill", at: effect) }
  }

  @Test(arguments: ["kill", "fail:EIO"])
  func `a branch that has moved takes its index along`(_ fault: String) async throws {
    for scene in [Scene.saving, .fastForward] {
      let walk = try await Walk(scene)
      let journal = scene.folder
      let moved = try #require(
        walk.number { $0.isOf("rename", journal + "/.git/refs/heads/main") })
      // The branch's folder cannot be synced; the new index cannot get its name.
      try await walk.tries(fault, at: moved + 1)
      let index = walk.number { $0.isOf("rename", journal + "/.git/index") }
      try await walk.tries(fault, at: try #require(index))
    }
  }

  @Test func `what the disk shows is known to the disk before a sync moves the branch`()
    async throws
  {
    let walk = try await Walk(.fastForward)
    let named = walk.number { $0.isOf("rename", "w/a/.git/diary/arrivals.json") }
    let synced = walk.number(after: try #require(named)) { $0.isOf("fsync", "w/a/.git/diary") }
    let moved = walk.number { $0.isOf("rename", "w/a/.git/refs/heads/main") }
    #expect(try #require(synced) < #require(moved))
  }

  @Test func `an object is on the disk before it has its name, and its name before the branch`()
    async throws
  {
    let save = try await Walk(.saving, .fsync)
    let moved = try #require(save.index { $0.isOf("rename", "w/j/.git/refs/heads/main") })
    for index in try save.namedObjects(in: "w/j", upTo: moved) {
      let last = save.effects[..<index].last { $0.contains("/objects/tmp_object_") }
      #expect(last?.contains("\tfsync\t") == true, "\(save.effects[index])")
    }
    // The lock's own name, too: without it, an old index would take the new branch back.
    let lock = try #require(save.index { $0.isOf("link", "w/j/.git/index.lock") })
    #expect(save.effects[lock..<moved].contains { $0[...].isOf("fsync", "w/j/.git") })
    // git syncs what it fetches, and no folder that holds it.
    let sync = try await Walk(.fastForward)
    let forward = try #require(sync.index { $0.isOf("rename", "w/a/.git/refs/heads/main") })
    _ = try sync.namedObjects(in: "w/a", upTo: forward)
  }

  @Test func `where the whole disk is synced at once, it is between each step and the next`()
    async throws
  {
    let save = try await Walk(.saving, .batch)
    let synced = save.effects.indices.filter { save.effects[$0].contains("\tsyncfs\t") }
    try #require(!synced.isEmpty, "the tests' folder lies on a disk of another kind")
    let journal = save.world.home.home + "/w/j/.git"
    /// A sync stands between the first step of the second kind and the last one of the first kind before
    /// it. A step is a call and where its path begins.
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
  func `a lock of a git that was killed stops no later sync`(_ lock: String) async throws {
    let walk = try await Walk(.merging)
    let held = walk.number { $0.isOf("write", lock) }
    for fault in ["kill", "kill-one"] {
      try await walk.tries(fault, at: try #require(held, "\(lock)"))
    }
  }

  @Test func `a lock that was there before stays`() async throws {
    let walk = try await Walk(.fastForward)
    let home = walk.world.home
    try await walk.world.putBack()
    let lock = "w/a/.git/refs/remotes/origin/main.lock"
    try home.write("", to: lock)
    for _ in 1...2 {
      let refused = try await home.diary("sync", in: "w/a")
      #expect(refused.status == 1 && refused.errors.contains("main.lock"), "\(refused)")
    }
    #expect(home.exists(lock))
  }

  @Test func `a delete that was cut off is a delete`() async throws {
    let walk = try await Walk(.deleting)
    let gone = walk.number { $0.isOf("rmdir", "w/j/2026/10") || $0.isOf("unlinkat", "w/j/2026/10") }
    try await walk.tries("kill", at: try #require(gone) + 1)
  }

  @Test func `an init that was cut off is gone on with`() async throws {
    let world = try await FaultWorld { _ in }
    let whole = try await world.diary(["init", "j"], in: "w")
    for number in FaultWorld.numbers(upTo: whole.effects.count, sample: 6) {
      try await world.putBack()
      let tried = try await world.diary(["init", "j"], in: "w", "kill", at: number)
      guard tried.reached(number) else { break }
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
      try await world.expectWhole("w/j", story)
    }
  }

  @Test func `a program that cannot be started for want of descriptors is told in a line`()
    async throws
  {
    let walk = try await Walk(.pushing)
    for limit in [12, 14, 16, 20] {
      try await walk.world.putBack()
      let result = try await walk.world.home.run(
        "sh", ["-c", "ulimit -n \(limit); exec diary sync"], in: "w/a")
      walk.expectAnswer(result, "\(limit) open files")
      try await walk.expectRecovered("\(limit) open files")
    }
  }
}

extension Walk {
  /// Where among the effects the first is that `fits`.
  fileprivate func index(_ fits: (Substring) -> Bool) -> Int? {
    effects.firstIndex { fits($0[...]) }
  }

  /// Where objects got their names before effect `last`; each in a folder that was synced in between.
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
          $0[...].isOf("fsync", "\(journal)/.git/objects/\(folder)")
        },
        "\(effects[index])")
    }
    return named
  }

  /// The number of the first effect, or of the first after another, that `fits`.
  fileprivate func number(after last: Int = 0, _ fits: (Substring) -> Bool) -> Int? {
    effects.dropFirst(last).first { fits($0[...]) }.flatMap { line in
      line.split(separator: "\t").first.flatMap { Int($0) }
    }
  }

  fileprivate func tries(_ fault: String, at number: Int) async throws {
    try await world.putBack()
    let tried = try await world.diary(scene.words, in: scene.folder, fault, at: number)
    try #require(tried.reached(number))
    try await expectRecovered("\(scene.name), \(fault) at \(tried.effects[number - 1])")
  }
}

extension Substring {
  /// Whether it tells of this call at a path with this end.
  fileprivate func isOf(_ call: String, _ path: String) -> Bool {
    contains("\t\(call)\t") && hasSuffix("/" + path)
  }
}
