import Foundation
import TestSupport
import Testing

/// The filters of a list by time and tag, and the language of its dates.
@Suite(.serialized) struct FilterTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
    for (title, when) in [
      ("Nine", "2026-11-20 09:00"), ("Noon", "2026-11-20 12:00"), ("Three", "2026-11-20 15:00"),
      ("Day", "2026-11-20"), ("Next", "2026-11-21 08:00"),
    ] {
      try await home.diary("new", title, "-m", "rain", "--date", when, "--tag", title, in: "j")
    }
  }

  @Test(arguments: [
    (["--since", "2026-11-20 12:00"], ["Next", "Three", "Noon"]),
    (["--since", "2026-11-20 12:01"], ["Next", "Three"]),
    (["--until", "2026-11-20 12:00"], ["Noon", "Nine", "Day"]),
    (["--until", "2026-11-20 11:59"], ["Nine", "Day"]),
    (["--on", "2026-11-20 12:00"], ["Noon"]),
    (["--since", "2026-11-20 10:00", "--until", "2026-11-20 14:00"], ["Noon"]),
    (["--on", "2026-11-20", "--since", "2026-11-20 12:30"], ["Three"]),
    (["--since", "2026-11-20T12:00:00+09:00", "--until", "2026-11-20"], ["Three", "Noon"]),
    (["--on", "2026-11-20"], ["Three", "Noon", "Nine", "Day"]),
    (["--since", "2026-11-20", "--until", "2026-11-20", "-n1"], ["Three"]),
    (["--since", "1 minute ago"], []),
  ])
  func `a time of day can be a limit, too`(_ words: [String], _ titles: [String]) async throws {
    #expect(try await self.titles(["list"] + words) == titles)
    #expect(try await Set(self.titles(["search", "rain"] + words)) == Set(titles))
    // With `--at`, the list is filtered without the index.
    #expect(try await self.titles(["list", "--at", "now"] + words) == titles)
  }

  @Test(arguments: ["list", "search rain", "share", "list --deleted"])
  func `limits in the wrong order are refused`(_ command: String) async throws {
    let command = command.split(separator: " ").map(String.init)
    for (since, until) in [
      ("2026", "2025-02"), ("2026-11-20 12:01", "2026-11-20 12:00"), ("tomorrow", "today"),
    ] {
      let result = try await run(command + ["--since", since, "--until", until])
      #expect(result.status == 64 && result.output.isEmpty, "\(result)")
      #expect(
        result.errors.contains("--since \(since) is later than --until \(until)"), "\(result)")
    }
  }

  @Test func `--tag names several tags at once`() async throws {
    try await run(["new", "Both", "-m", "x", "--tag", "a, #b", "--tag", "c"])
    #expect(try await run(["show", "both"]).output.contains("\ntags: [a, b, c]\n"))
    #expect(try await titles(["list", "--tag", "c,a"]) == ["Both"])
    #expect(try await titles(["list", "--tag", "c,nine"]) == [])
  }

  @Test(arguments: ["nonsense", "xx_YY.UTF-8", "tlh_KL"])
  func `an unknown language shows ISO dates`(_ locale: String) async throws {
    home.set("LC_ALL", locale)
    let list = try await run(["list"])
    #expect(list.status == 0 && list.output.contains("  2026-11-21  "), "\(list)")
    home.set("LC_ALL", "en_GB.UTF-8")
    #expect(try await run(["list"]).output.contains("Sat, 21 Nov 2026"))
  }

  private func titles(_ words: [String]) async throws -> [String] {
    let result = try await run(words + ["--json"])
    let entries = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    return (entries as? [[String: Any]] ?? []).compactMap { $0["title"] as? String }
  }

  @discardableResult
  private func run(_ words: [String]) async throws -> Sandbox.ProgramResult {
    try await home.run(Sandbox.programs + "/diary", words, in: "j")
  }
}
