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
      var script = DeviceScript(seed: numbers[0])
      script.steps.removeAll { !numbers.dropFirst().contains(UInt64($0.number)) }
      let run = try await play(script)
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

  private func play(_ script: DeviceScript) async throws -> DeviceRun {
    let run = try await DeviceRun(script)
    try await run.play()
    return run
  }
}
