import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// Three devices with real repositories and a real remote, in random runs of writers, editors that
/// never reload, commands, kills, git, conflict copies, imports and disks that are away. In the end
/// all have the same files, and no word is missing that was written and not deleted.
///
/// `DIARY_DEVICES` is the number of runs, or the `seed STEP STEP …` of a failure, to repeat it.
@Suite struct ManyDevicesTests {
  private static let setting = ProcessInfo.processInfo.environment["DIARY_DEVICES"] ?? ""

  @Test func `all devices end with the same files and every word`() async throws {
    let numbers = Self.setting.split(separator: " ").compactMap { UInt64($0) }
    if numbers.count > 1 {
      let run = try await play(script(numbers[0], numbers.dropFirst()))
      print(run.report)
      #expect(run.complaint == nil)
      return
    }
    var random = SeededGenerator()
    for _ in 0..<Int(numbers.first ?? 6) {
      let run = try await play(DeviceScript(seed: random.next()))
      guard let complaint = run.complaint else { continue }
      var script = run.script
      script.steps = try await shrunk(script.steps) { steps in
        script.steps = steps
        return try await play(script).complaint?.kind == complaint.kind
      }
      let shortest = try await play(script)
      Issue.record("\(random), \((shortest.complaint == nil ? run : shortest).report)")
      return
    }
  }

  /// While a file's disk is away, a sync leaves the file on it as it was. `git commit -a` takes that old
  /// text over the incoming one as soon as the disk is back.
  @Test func `a commit by git of a file that waits keeps the incoming words`() async throws {
    let run = try await play(script(14_358_600_529_763_295_833, [1, 10, 11, 14, 23, 25]))
    withKnownIssue("only `diary history` and git have the incoming words then") {
      #expect(run.complaint == nil, "\(run.report)")
    }
  }

  /// The script of a seed with only some of its steps.
  private func script(_ seed: UInt64, _ steps: some Sequence<UInt64>) -> DeviceScript {
    var script = DeviceScript(seed: seed)
    script.steps.removeAll { !steps.contains(UInt64($0.number)) }
    return script
  }

  private func play(_ script: DeviceScript) async throws -> DeviceRun {
    let run = try await DeviceRun(script)
    try await run.play()
    return run
  }
}
