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

  // MARK: Beside a plain remote

  /// What a device sends, or gets, with one push or fetch.
  private struct Cost {
    var bytes = 0
    var time = Duration.zero
  }

  @Test func `a push and a fetch cost little more bytes than with a plain remote`() async throws {
    let rounds = Self.wanted == nil ? 2 : 20
    var lines: [String] = []
    for (name, size) in [
      ("a line", 60), ("20 kB of text", 20_000), ("3 MB of text", 3_000_000),
    ] {
      var costs: [(push: Cost, fetch: Cost)] = []
      for isSealed in [false, true] {
        costs.append(try await cost(of: size, isSealed: isSealed, rounds: rounds))
      }
      let (plain, sealed) = (costs[0], costs[1])
      for (less, more) in [(plain.push, sealed.push), (plain.fetch, sealed.fetch)] {
        #expect(more.bytes < 12_000 + less.bytes * 3 / 2, "\(name): \(less) \(more)")
        #expect(size < 1 << 20 || more.bytes < less.bytes * 107 / 100, "\(name): \(less) \(more)")
        #expect(less.bytes > size / 2 && more.bytes > 8_000, "\(name): \(less) \(more)")
      }
      lines.append(
        "| \(name) | "
          + [plain.push, sealed.push, plain.fetch, sealed.fetch].map { cost in
            "\((cost.bytes + 50) / 100 * 100) bytes, \(cost.time / rounds)"
          }.joined(separator: " | ") + " |")
    }
    if Self.wanted != nil { print(lines.joined(separator: "\n")) }
  }

  /// The means of some pushes by one device and fetches by another.
  private func cost(
    of size: Int, isSealed: Bool, rounds: Int
  ) async throws -> (push: Cost, fetch: Cost) {
    let world = try await SealedWorld()
    let host = world.home.homePath + "/host"
    try await world.device("a")
    if !isSealed { try await world.home.git("remote", "set-url", "origin", host, in: "a") }
    try await world.commit("a", "one", "first")
    try await world.home.git("push", "--quiet", "--set-upstream", "origin", "main", in: "a")
    try await world.home.git(
      "clone", "--quiet", isSealed ? world.address : "file://\(host)", "b", in: "")
    let copies = world.home.homePath + "/b/.git/diary/sealed"
    let received =
      try isSealed
      ? copies + "/" + #require(
        FileManager.default.contentsOfDirectory(atPath: copies).first { $0.hasSuffix(".git") })
      : world.home.homePath + "/b/.git"
    var numbers = SeededGenerator()
    var (push, fetch) = (Cost(), Cost())
    let clock = ContinuousClock()
    for number in 0..<rounds {
      let letters = (0..<size).map { _ in UInt8.random(in: 0x20...0x7E, using: &numbers) }
      try await world.commit("a", "file-\(number)", String(decoding: letters, as: UTF8.self))
      let before = (bytes(host), bytes(received))
      push.time += try await clock.measure {
        try await world.home.git("push", "--quiet", in: "a")
      }
      fetch.time += try await clock.measure {
        try await world.home.git("fetch", "--quiet", in: "b")
      }
      push.bytes += bytes(host) - before.0
      fetch.bytes += bytes(received) - before.1
    }
    return (
      Cost(bytes: push.bytes / rounds, time: push.time),
      Cost(bytes: fetch.bytes / rounds, time: fetch.time)
    )
  }

  /// The bytes of all objects in a repository.
  private func bytes(_ repository: String) -> Int {
    let folder = repository + "/objects"
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.filter { !$0.hasSuffix(".idx") && !$0.hasSuffix(".rev") }.reduce(0) { sum, name in
      let facts = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      let isFile = facts?[.type] as? FileAttributeType == .typeRegular
      return sum + (isFile ? facts?[.size] as? Int ?? 0 : 0)
    }
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
