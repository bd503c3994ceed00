import Foundation
import TestSupport
import Testing

/// Files here that are lost or not whole, and what a host could make of that.
@Suite struct SealedRepairTests {
  /// The copy of a device, from the home.
  private func copy(_ world: SealedWorld, _ device: String) throws -> String {
    let folder = "\(device)/.git/diary/sealed"
    let names = try FileManager.default.contentsOfDirectory(
      atPath: "\(world.home.homePath)/\(folder)")
    return folder + "/" + (try #require(names.first { $0.hasSuffix(".git") }))
  }

  private func remove(_ world: SealedWorld, _ path: String) throws {
    try FileManager.default.removeItem(atPath: "\(world.home.homePath)/\(path)")
  }

  @Test func `a bundle that has lost one of its refs, and then objects, is taken again`()
    async throws
  {
    let world = try await SealedWorld()
    try await world.pair()
    let main = try await world.commit("a", "two", "main")
    try await world.home.git("checkout", "--quiet", "-b", "other", "HEAD~", in: "a")
    let other = try await world.commit("a", "three", "other")
    try await world.home.git("push", "--quiet", "origin", "main", "other", in: "a")
    try await world.home.git("fetch", "--quiet", in: "b")
    let refs = try await world.git(
      "b", "for-each-ref", "--format=%(refname)", "--points-at", other, "refs"
    ).output
    #expect(refs.contains("refs/diary/sealed/"))
    for name in refs.split(separator: "\n") {
      try await world.home.git("update-ref", "-d", String(name), in: "b")
    }
    try await world.home.git("reflog", "expire", "--expire=now", "--all", in: "b")
    try await world.home.git("gc", "--quiet", "--prune=now", in: "b")
    try #require(try await world.git("b", "cat-file", "-e", other).status != 0)
    try await world.home.git("fetch", "--quiet", in: "b")
    #expect(try await world.tip("b", "origin/other") == other)
    #expect(try await world.tip("b", "origin/main") == main)
    #expect(try await world.git("b", "fsck", "--strict").status == 0)
  }

  @Test(arguments: ["objects", "HEAD", "config"])
  func `a copy that is not whole is made anew`(_ part: String) async throws {
    let world = try await SealedWorld()
    try await world.pair()
    let place = try copy(world, "b") + "/" + part
    try remove(world, place)
    if part != "objects" { try world.home.write("\0\0", to: place) }
    try await world.commit("a", "two", "x")
    try await world.home.git("push", "--quiet", in: "a")
    try await world.home.git("pull", "--quiet", in: "b")
    #expect(try await world.tip("a", "HEAD") == world.tip("b", "HEAD"))
  }

  @Test func `a host that forks is refused also by a device whose copy is made anew`() async throws
  {
    let world = try await SealedWorld()
    try await world.pair()
    try await world.commit("a", "two", "seen")
    try await world.home.git("push", "--quiet", in: "a")
    try await world.home.git("pull", "--quiet", in: "b")
    // The other device is shown the older state, and goes on from there.
    try await world.home.git("update-ref", "refs/heads/sealed", "sealed~", in: "host")
    try await world.clone("c")
    for number in 1...3 {
      try await world.commit("c", "fork", "\(number)")
      try await world.home.git("push", "--quiet", in: "c")
    }
    try remove(world, copy(world, "b"))
    let fetch = try await world.git("b", "fetch")
    #expect(fetch.status != 0 && fetch.errors.contains("an older or another state"), "\(fetch)")
    // Without a fork, a new copy goes on.
    try remove(world, copy(world, "c"))
    try await world.commit("c", "fork", "4")
    try await world.home.git("push", "--quiet", in: "c")
  }

  @Test func `a device that only fetches makes its copy anew, too`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    let place = try copy(world, "b")
    // What a killed helper left.
    try world.home.write("x", to: place + ".old/objects/x")
    var numbers = SeededGenerator()
    for _ in 0..<10 {
      let text = (0..<25_000).map { _ in
        String(UInt64.random(in: 0 ... .max, using: &numbers), radix: 36)
      }
      try await world.commit("a", "file", text.joined())
      _ = try world.converse("a", ["push refs/heads/main:refs/heads/main", "", ""], mostBundles: 2)
      try await world.home.git("fetch", "--quiet", in: "b")
    }
    let count = try await world.git(
      "", "--git-dir=\(world.home.homePath)/\(place)", "rev-list", "--count", "sealed"
    ).output
    #expect(try await Int(count.dropLast()) ?? 0 < world.carrierCount())
    #expect(!world.home.exists(place + ".old"))
    #expect(try await world.tip("b", "origin/main") == world.tip("a", "HEAD"))
  }
}
