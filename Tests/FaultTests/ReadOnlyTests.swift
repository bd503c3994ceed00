import Foundation
import TestSupport
import Testing

/// A disk that the kernel has remounted read-only: everything can be read, nothing is written, and
/// after it is writable again everything works.
@Suite struct ReadOnlyTests {
  private static let reading = [
    ["list"], ["search", "harbour"], ["show", "The harbour"],
    ["history", "The harbour", "--patch"],
  ]
  private static let writing = [
    ["save"], ["new", "An owl", "-m", "Heard at night."], ["delete", "--yes", "2026/11/river.md"],
    ["sync"], ["watch"],
  ]

  @Test func `on a read-only disk reading works and nothing is changed`() async throws {
    let walk = try await EffectWalk(.pushing)
    let home = walk.world.home
    try await walk.world.withSeparateDisk {
      try await walk.world.reset()
      try await remount(home, "ro")
      for command in Self.reading {
        let result = try await home.run(Sandbox.programs + "/diary", command, in: "w/a")
        #expect(result.status == 0, "\(command): \(result)")
        #expect(result.output.contains("harbour"), "\(command): \(result)")
      }
      for command in Self.writing {
        let result = try await home.run(
          "timeout", ["20", Sandbox.programs + "/diary"] + command, in: "w/a")
        #expect(result.status == 1, "\(command): \(result)")
        let said = result.errors.split(separator: "\n")
        #expect(said.count < 6, "\(command): \(result)")
        #expect(
          said.contains { $0.hasPrefix("diary: ") && $0.contains("Read-only file system") },
          "\(command): \(result)")
      }
      try await remount(home, "rw")
      #expect(walk.world.contents(of: walk.scenario.journals) == walk.before)
      try await walk.expectRecovered("the disk was read-only")
    }
  }

  private func remount(_ home: Sandbox, _ mode: String) async throws {
    let result = try await home.run("mount", ["-o", "remount,\(mode)", "w"])
    try #require(result.status == 0, "\(result)")
  }
}
