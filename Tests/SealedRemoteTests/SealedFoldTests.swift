import Foundation
import TestSupport
import Testing

@testable import SealedRemote

/// Folds, and devices that meet their results.
@Suite struct SealedFoldTests {
  /// Pushes `count` commits of device `a`, with a fold if more than `most` bundles stand there.
  private func push(_ world: SealedWorld, _ count: Int, most: Int) async throws {
    for number in 0..<count {
      try await world.commit("a", "file", "\(number) \(UUID())")
      let answer = try world.converse(
        "a", ["push refs/heads/main:refs/heads/main", "", ""], mostBundles: most)
      #expect(answer == "ok refs/heads/main\n\n")
    }
  }

  @Test func `folded bundles hold the same history, for a new device and one that slept`()
    async throws
  {
    let world = try await SealedWorld()
    try await world.pair()
    try await push(world, 30, most: 6)
    #expect(try await world.bundles().count <= 10)
    #expect(try await world.carrierCount() > 33)
    let tip = try await world.tip("a", "HEAD")
    try await world.clone("c")
    #expect(try await world.tip("c", "HEAD") == tip)
    try await world.home.git("pull", "--quiet", in: "b")
    #expect(try await world.tip("b", "HEAD") == tip)
    for device in ["a", "b", "c"] {
      #expect(try await world.git(device, "fsck", "--strict").status == 0)
      let refs = try await world.git(device, "for-each-ref", "refs/diary/sealed").output
      let bundles = try await world.bundles()
      #expect(refs.split(separator: "\n").count == bundles.count)
    }
    try await world.commit("b", "two", "after")
    try await world.home.git("push", "--quiet", in: "b")
    try await world.home.git("pull", "--quiet", in: "c")
    #expect(try await world.tip("b", "HEAD") == world.tip("c", "HEAD"))
  }

  @Test func `a fold keeps what only rewritten branches and deleted tags had`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    let lost = try await world.commit("a", "two", "only here")
    try await world.home.git("tag", "--annotate", "--message", "x", "v1", in: "a")
    try await world.home.git("push", "--quiet", "origin", "main", "v1", in: "a")
    try await world.home.git("reset", "--quiet", "--hard", "HEAD~", in: "a")
    try await world.home.git("push", "--quiet", "--force", "origin", "main", ":v1", in: "a")
    let tag = try await world.tip("a", "v1")
    try await push(world, 8, most: 4)
    try await world.clone("c")
    for object in [lost, tag] {
      #expect(try await world.git("c", "cat-file", "-e", object).status == 0)
    }
    #expect(try await world.git("c", "fsck", "--strict").status == 0)
  }

  @Test func `a fold that is slower than another device's push is dropped`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    try await push(world, 3, most: 64)
    try await world.commit("b", "two", "of b")
    // The second commit that the host receives is the fold.
    try world.hook(
      "pre-receive", in: "host",
      "[ -f first ] || { touch first; exit 0; }; rm host/hooks/pre-receive; other -C b push --quiet origin HEAD:refs/heads/b"
    )
    try await push(world, 1, most: 3)
    #expect(try await world.bundles().count == 6)
    #expect(try await world.remoteRefs()["refs/heads/b"] != nil)
    try await push(world, 1, most: 3)
    #expect(try await world.bundles().count < 6)
    try await world.clone("c")
    #expect(try await world.git("c", "fsck", "--strict").status == 0)
  }

  @Test func `nothing that a later bundle needs is lost by git gc`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    try await world.commit("a", "two", "other branch")
    try await world.home.git("push", "--quiet", "origin", "main:other", in: "a")
    // Device b asks for one branch only.
    try await world.home.git("fetch", "--quiet", "origin", "main", in: "b")
    try await world.home.git("fetch", "--quiet", "origin", "other", in: "b")
    try await world.home.git("update-ref", "-d", "refs/remotes/origin/other", in: "b")
    try await world.home.git("reflog", "expire", "--expire=now", "--all", in: "b")
    try await world.home.git("gc", "--quiet", "--prune=now", in: "b")
    try await world.commit("a", "two", "more on it")
    try await world.home.git("push", "--quiet", "origin", "main:other", in: "a")
    try await world.home.git("fetch", "--quiet", "origin", in: "b")
    #expect(try await world.tip("b", "origin/other") == world.tip("a", "HEAD"))
    // And if somebody deletes the refs, the bundles are taken again.
    let refs = try await world.git("b", "for-each-ref", "--format=delete %(refname)", "refs/diary")
      .output
    #expect(
      try await world.home.run("git", ["update-ref", "--stdin"], in: "b", input: refs).status == 0)
    try await world.home.git("update-ref", "-d", "refs/remotes/origin/other", in: "b")
    try await world.home.git("gc", "--quiet", "--prune=now", in: "b")
    try await world.home.git("fetch", "--quiet", "origin", in: "b")
    #expect(try await world.tip("b", "origin/other") == world.tip("a", "HEAD"))
    #expect(!world.home.files(in: "b/.git/objects/pack").contains { $0.hasSuffix(".keep") })
  }

  @Test func `a long bundle is cut into parts, and small ones before it are folded`() async throws {
    let world = try await SealedWorld()
    try await world.device("a")
    try await push(world, 3, most: 64)
    var numbers = SeededGenerator()
    let bytes = (0..<5_000_000).map { _ in UInt64.random(in: 0 ... .max, using: &numbers) }
    try bytes.withUnsafeBytes { Data($0) }.write(
      to: URL(fileURLWithPath: world.home.homePath + "/a/picture"))
    try await push(world, 1, most: 64)
    #expect(try await world.bundles().suffix(2) == ["bundles/000004.001", "bundles/000004.002"])
    let sizes = try await world.git("host", "ls-tree", "-l", "sealed:bundles").output
    #expect(sizes.contains(" 33554432\t000004.001"), "\(sizes)")
    try await push(world, 1, most: 3)
    #expect(
      try await world.bundles() == [
        "bundles/000003.001", "bundles/000004.001", "bundles/000004.002", "bundles/000005.001",
      ])
    try await world.clone("b")
    #expect(try await world.tip("a", "HEAD^{tree}") == world.tip("b", "HEAD^{tree}"))
    #expect(try await world.git("b", "fsck", "--strict").status == 0)
  }

  @Test func `the copy is made anew when most of it is history`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    func copySize() async throws -> Int {
      let folder = world.home.homePath + "/a/.git/diary/sealed"
      let copy = try #require(
        FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".git") })
      return Int(
        try await world.git("", "--git-dir=\(folder)/\(copy)", "rev-list", "--count", "sealed")
          .output.dropLast()) ?? 0
    }
    var numbers = SeededGenerator()
    for _ in 0..<12 {
      let text = (0..<25_000).map { _ in
        String(UInt64.random(in: 0 ... .max, using: &numbers), radix: 36)
      }
      try await world.commit("a", "file", text.joined())
      _ = try world.converse("a", ["push refs/heads/main:refs/heads/main", "", ""], mostBundles: 2)
    }
    #expect(try await world.carrierCount() > 12)
    #expect(try await copySize() < 12)
    try await world.home.git("pull", "--quiet", in: "b")
    #expect(try await world.tip("a", "HEAD") == world.tip("b", "HEAD"))
    try await world.commit("b", "two", "x")
    try await world.home.git("push", "--quiet", in: "b")
    try await world.home.git("pull", "--quiet", in: "a")
    #expect(try await world.git("a", "fsck", "--strict").status == 0)
  }
}
