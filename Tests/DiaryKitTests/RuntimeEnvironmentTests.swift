import DiaryCore
import DiaryKit
import Foundation
import TestSupport
import Testing

@Suite struct RuntimeEnvironmentTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  private func world(in folder: String, _ variables: [String: String] = [:]) -> RuntimeEnvironment {
    RuntimeEnvironment(
      variables: home.environment.merging(variables) { $1 },
      currentFolder: home.home + (folder.isEmpty ? "" : "/" + folder), now: { 1_795_262_640 },
      zone: TimeZone(identifier: "Asia/Seoul") ?? .gmt, executableDirectory: Sandbox.programs)
  }

  @Test func `paths are folded and the home is known`() {
    let here = world(in: "a/b")
    #expect(here.absolutePath(of: "../c/./d") == home.home + "/a/c/d")
    #expect(here.absolutePath(of: "~/x") == home.home + "/x")
    #expect(here.absolutePath(of: "/etc/../tmp") == "/tmp")
  }

  @Test func `the journal: named, then the variable, then a parent, then the personal one`() throws
  {
    for name in ["named", "variable", "parent", "personal", "diary"] {
      try home.write("", to: name + "/.diary/config.yml")
    }
    try home.write("", to: "parent/deep/er/x")
    try home.write("journal: ~/personal\n", to: ".config/diary/config.yml")
    let inside = world(in: "parent/deep/er", ["DIARY_JOURNAL": "~/variable"])
    #expect(try Journal.find(named: "~/named", inside) == home.home + "/named")
    #expect(try Journal.find(named: nil, inside) == home.home + "/variable")
    #expect(try Journal.find(named: nil, world(in: "parent/deep/er")) == home.home + "/parent")
    #expect(try Journal.find(named: nil, world(in: "")) == home.home + "/personal")
    try home.write("editor: vi\n", to: ".config/diary/config.yml")
    #expect(try Journal.find(named: nil, world(in: "")) == home.home + "/diary")
  }

  @Test func `the diary's day begins when the settings say`() async throws {
    try home.write("day_starts_at: 04:00\n", to: "j/.diary/config.yml")
    try await home.git("init", "-q", in: "j")
    // 2026-11-22 02:04 in Seoul.
    var here = world(in: "j")
    here.now = { 1_795_280_640 }
    let journal = try Journal(root: home.home + "/j", environment: here)
    #expect(journal.today.description == "2026-11-21")
  }
}
