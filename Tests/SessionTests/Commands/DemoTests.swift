import Foundation
import TestSupport
import Testing

/// `diary demo`: a throw-away journal in a temporary folder.
@Suite(.serialized) struct DemoTests {
  let home: Sandbox

  init() throws {
    home = try Sandbox()
    home.set("TMPDIR", home.homePath + "/tmp")
    try home.write("", to: "tmp/of-others")
    // A setting of the user that would change the journal.
    try home.write("layout: \"{date}.md\"\n", to: ".config/diary/config.yml")
  }

  /// The folder of the only demo, below the home.
  private func demo() throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: home.homePath + "/tmp")
    let demos = names.filter { $0 != "of-others" }
    try #require(demos.count == 1 && demos[0].hasPrefix("diary-demo-"), "\(names)")
    return "tmp/" + demos[0]
  }

  /// Runs the command until it asks.
  private func start(_ command: String, in terminal: Terminal) async throws {
    try await terminal.enter("clear")
    #expect(try await Sandbox.holds { try await !terminal.screen().contains("[y/N]") })
    try await terminal.enter(command)
    #expect(try await terminal.shows("now? [y/N]"))
  }

  /// The last day of February in a leap year, and a moment before the first entry of the day.
  @Test(arguments: [
    ("en_US.UTF-8", "Supper for six", "Ben brings the bread and a salad. ", 1_835_364_000),
    ("ko_KR.UTF-8", "토요일 저녁", "과일은 동생이 두 상자 사 온다. ", 1_767_193_500),
  ])
  func `a year in the reader's language, up to today`(
    _ language: String, _ title: String, _ kept: String, _ now: Int
  ) async throws {
    home.set("LANG", language)
    try await home.stopClock(at: now)
    let made = try await home.run("diary", ["demo"])
    let folder = try demo()
    let root = folder + "/diary"
    #expect(made.status == 0, "\(made)")
    #expect(made.output.contains(": \(home.homePath)/\(root)\n"), "\(made)")
    #expect(made.errors.contains("rm -r \(home.homePath)/\(folder)\n"), "\(made)")
    let json = try await home.run("diary", ["list", "--json"], in: root).output
    let entries = try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
    #expect(entries.count == 40)
    let format = ISO8601DateFormatter()
    let dates = entries.compactMap { ($0["date"] as? String).flatMap(format.date) }
    #expect(dates.count == 40 && dates.allSatisfy { Int($0.timeIntervalSince1970) <= now })
    #expect(dates.allSatisfy { Int($0.timeIntervalSince1970) > now - 367 * 86_400 })
    #expect(entries.count { $0["weather"] is [String: Any] } == 39)
    let paths = entries.compactMap { $0["path"] as? String }
    #expect(paths.allSatisfy { $0.contains(#/^\d{4}/\d\d/\d{4}-\d\d-\d\d-./#) }, "\(paths)")
    #expect(home.files(in: root).count { $0.hasSuffix(".svg") } == 3)
    let checked = try await home.run("diary", ["check"], in: root)
    #expect(checked.status == 0, "\(checked)")

    let merged = try await home.run("diary", ["show", title], in: root).output
    #expect(merged.contains(kept), "\(merged)")
    let listed = try await home.run("diary", ["list"], in: root).output
    #expect(listed.split(separator: "\n").filter { $0.contains("± ") }.count == 1, "\(listed)")
    #expect(listed.contains("± \(title)"), "\(listed)")
    // The remote and the second device work.
    let synced = try await home.run("diary", ["sync"], in: folder + "/laptop")
    #expect(synced.status == 0, "\(synced)")
    #expect(try home.read(root + "/" + paths[2]) == home.read(folder + "/laptop/" + paths[2]))
    #expect(try await home.git("status", "--porcelain", in: root) == "")
    try await home.git("fsck", "--strict", "--full", in: root)
    let earlier = try await home.run("diary", ["onthisday"], in: root)
    #expect(earlier.output.isEmpty == (language != "ko_KR.UTF-8"), "\(earlier)")
  }

  @Test func `it asks before it removes the folder, and keeps what it did not make`() async throws {
    let terminal = try await Terminal(home, in: "", columns: 300, lines: 40)
    try await start("diary demo", in: terminal)
    try await terminal.press("Enter")
    #expect(try await terminal.shows("To remove it later: rm -r"))
    try FileManager.default.removeItem(atPath: home.homePath + "/" + demo())

    try await start("diary demo", in: terminal)
    let root = try demo() + "/diary"
    try await home.diary("new", "Mine", "-m", "Not the demo's.", in: root)
    try await terminal.enter("y")
    #expect(try await terminal.shows("that the demo did not make like this, so it stays: diary/"))
    #expect(try await home.diary("show", "Mine", in: root).output.contains("Not the demo's."))
    try FileManager.default.removeItem(atPath: home.homePath + "/" + demo())

    try await start("diary demo", in: terminal)
    try await terminal.enter("y")
    #expect(try await terminal.shows("Removed."))
    let left = try FileManager.default.contentsOfDirectory(atPath: home.homePath + "/tmp")
    #expect(left == ["of-others"])
    await terminal.close()
  }

  @Test func `hooks and variables of the user have no part in it`() async throws {
    for folder in ["hooks", "template/hooks"] {
      for hook in ["pre-push", "post-checkout", "reference-transaction", "pre-receive"] {
        try home.write(
          "#!/bin/sh\necho \(hook) >>'\(home.homePath)/ran'\n", to: "\(folder)/\(hook)")
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o755], ofItemAtPath: "\(home.homePath)/\(folder)/\(hook)")
      }
    }
    try await home.git(
      "config", "--global", "init.templateDir", home.homePath + "/template", in: "")
    for hooks in ["", home.homePath + "/hooks"] {
      if !hooks.isEmpty {
        try await home.git("config", "--global", "core.hooksPath", hooks, in: "")
      }
      #expect(try await home.run("diary", ["demo"]).status == 0)
      #expect(!home.exists("ran"))
    }
    home.set("DIARY_JOURNAL", home.homePath + "/own")
    let made = try await home.run("diary", ["demo"])
    #expect(made.status == 0 && made.errors.contains("  unset DIARY_JOURNAL\n"), "\(made)")
  }

  @Test func `it can be left with Ctrl-C, and keeps what was changed`() async throws {
    let terminal = try await Terminal(home, in: "", columns: 300, lines: 40)
    try await start("diary demo", in: terminal)
    try await terminal.press("C-c")
    // The shell answers, and not the question.
    try await terminal.enter("echo le''ft")
    #expect(try await terminal.shows("\nleft\n"))
    let folder = try demo()
    try FileManager.default.removeItem(atPath: home.homePath + "/" + folder)

    try await start("diary demo", in: terminal)
    let second = try demo()
    let entry = try #require(
      home.files(in: second + "/diary").first { $0.hasSuffix(".md") && $0.hasPrefix("20") })
    try home.write(
      home.read("\(second)/diary/\(entry)") + "Mine.\n", to: "\(second)/diary/\(entry)")
    try home.write("x", to: second + "/proj/.git/words")
    try await terminal.enter("y")
    #expect(try await terminal.shows("did not make like this, so it stays: diary/" + entry))
    #expect(try await terminal.screen().contains("proj/.git/words"))
    await terminal.close()
  }

  @Test func `the page opens, and the question comes after it`() async throws {
    let terminal = try await Terminal(home, in: "", columns: 300, lines: 40)
    try await terminal.enter("diary demo --web")
    #expect(try await terminal.shows("http://127.0.0.1:"))
    #expect(try await !terminal.screen().contains("[y/N]"))
    try await terminal.press("C-c")
    #expect(try await terminal.shows("now? [y/N]"))
    try await terminal.enter("y")
    #expect(try await terminal.shows("Removed."))
    await terminal.close()
  }

  @Test func `it takes no journal`() async throws {
    let refused = try await home.diary("demo", "--journal", "j")
    #expect(refused.status == 64 && refused.errors.contains("a journal of its own"), "\(refused)")
  }
}
