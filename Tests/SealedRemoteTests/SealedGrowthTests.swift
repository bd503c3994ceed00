import Foundation
import TestSupport
import Testing

/// What many pushes cost: `DIARY_PUSHES` for more of them, and for the figures.
@Suite struct SealedGrowthTests {
  private static let wanted = ProcessInfo.processInfo.environment["DIARY_PUSHES"]
  private static let count = wanted.flatMap { Int($0) } ?? 130

  @Test func `the host keeps about twice what was pushed, and a clone reads few bundles`()
    async throws
  {
    let world = try await SealedWorld()
    try await world.pair()
    let clock = ContinuousClock()
    var spent = Duration.zero
    for number in 0..<Self.count {
      try await world.commit(
        "a", "entry-\(number % 40)", "\(number): a line of an entry, \(UUID())\n")
      spent += try clock.measure {
        let answer = try world.converse("a", ["push refs/heads/main:refs/heads/main", "", ""])
        #expect(answer == "ok refs/heads/main\n\n")
      }
    }
    let sizes = try await self.sizes(world)
    let clone = try await clock.measure { try await world.clone("c") }
    let fetch = try await clock.measure { try await world.home.git("fetch", "--quiet", in: "b") }
    let newest = try await world.git("host", "ls-tree", "-r", "-l", "sealed").output.split(
      separator: "\n"
    )
    .compactMap { $0.split(separator: "\t")[0].split(separator: " ").last.flatMap { Int($0) } }
    #expect(sizes.pushed > Self.count * 8_000)
    let facts =
      "\(Self.count) pushes: \(sizes.pushed) bytes pushed, \(sizes.all) on the host, "
      + "\(newest.reduce(0, +)) in \(newest.count) files of the newest commit; a push took "
      + "\(spent / Self.count), a clone \(clone), the fetch of a device that slept \(fetch)"
    #expect(Double(sizes.all) <= 2.2 * Double(sizes.pushed), "\(facts)")
    #expect(newest.count <= 1 + 64 + 14, "\(facts)")
    #expect(try await world.tip("c", "HEAD") == world.tip("a", "HEAD"))
    #expect(try await world.git("c", "fsck", "--strict").status == 0)
    #expect(try await world.tip("b", "origin/main") == world.tip("a", "HEAD"))
    if Self.wanted != nil { print(facts) }

    // A device that is up to date, and one line.
    try await world.commit("a", "entry-1", "one more line\n")
    try await world.home.git("push", "--quiet", "origin", "main", in: "a")
    let line = try await self.sizes(world)
    #expect(line.all - sizes.all < 12_000)
  }

  /// The bytes of all files that the host ever got, and of those that pushes brought, not folds.
  private func sizes(_ world: SealedWorld) async throws -> (pushed: Int, all: Int) {
    let log = try await world.git(
      "host", "log", "--reverse", "--root", "--raw", "--no-abbrev", "--no-renames", "-r", "-m",
      "--format=format:commit",
      "sealed"
    ).output
    var commits: [(blobs: [String], isFold: Bool)] = []
    for line in log.split(separator: "\n") {
      guard line.hasPrefix(":") else {
        commits.append(([], false))
        continue
      }
      let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
      if words[4] == "D" {
        commits[commits.count - 1].isFold = true
      } else {
        commits[commits.count - 1].blobs.append(words[3])
      }
    }
    let names = commits.flatMap(\.blobs).map { $0 + "\n" }.joined()
    let list = try await world.home.run(
      "git", ["cat-file", "--batch-check=%(objectname) %(objectsize)"], in: "host", input: names)
    var sizes: [Substring: Int] = [:]
    for line in list.output.split(separator: "\n") {
      sizes[line.prefix(40)] = Int(line.dropFirst(41))
    }
    let bytes = commits.map { commit in
      (size: commit.blobs.reduce(0) { $0 + (sizes[$1[...]] ?? 0) }, isFold: commit.isFold)
    }
    return (
      bytes.filter { !$0.isFold }.reduce(0) { $0 + $1.size }, bytes.reduce(0) { $0 + $1.size }
    )
  }
}
