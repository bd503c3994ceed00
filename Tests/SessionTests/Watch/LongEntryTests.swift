import Foundation
import TestSupport
import Testing

/// A file of 50 MB that grows while the watcher runs.
@Suite(.serialized) struct LongEntryTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "200ms", sitting: "1s")
    try await home.diary("init", "j")
  }

  @Test func `an entry of 50 MB that grows keeps the watcher below 200 MB`() async throws {
    let head = "---\ntitle: Log\ndate: 2026-11-21\n---\n\nThe first needle.\n"
    // Numbers make the text less compressible than identical lines.
    let lines = (0..<10_000).map { "2026-11-21 \($0 &* 2_654_435_761) some words of the log\n" }
    let part = lines.joined()
    let text = head + String(repeating: part, count: 50_000_000 / part.utf8.count)
    try home.write(text, to: "log.md")
    let home = home
    try await BackgroundProcess.run(home, Sandbox.programs + "/diary", ["watch"], in: "j") {
      (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      try FileManager.default.moveItem(
        atPath: home.homePath + "/log.md", toPath: home.homePath + "/j/log.md")
      for number in 1...3 {
        let commits = { watcher.output.split(separator: "committed").count - 1 }
        #expect(await Sandbox.holds(within: 120) { commits() >= number }, "\(watcher.output)")
        let file = try #require(FileHandle(forWritingAtPath: home.homePath + "/j/log.md"))
        try file.seekToEnd()
        try file.write(contentsOf: Data("Line \(number) at the end.\n".utf8))
        try file.close()
      }
      #expect(await watcher.prints("committed", within: 120), "\(watcher.output)")
      #expect(watcher.peakMemory < 200_000, "\(watcher.peakMemory) kB")
      #expect(await Sandbox.holds(within: 120) { watcher.memory < 80_000 }, "\(watcher.memory) kB")
    }
    #expect(try await home.diary("save", in: "j").status == 0)
    let kept = try await home.run("sh", ["-c", "git show HEAD:log.md | cmp - log.md"], in: "j")
    #expect(kept.status == 0, "\(kept)")
    #expect(try await home.git("log", "-1", "--format=%s", in: "j") == "Edit \"Log\"\n")
    #expect(try await home.diary("search", "needle", in: "j").output.contains("Log"))
    #expect(try await home.diary("index", "--verify", in: "j").status == 0)
  }
}
