import DiaryCore
import DiaryKit
import Foundation
import TestSupport
import Testing

@Suite struct RuntimeEnvironmentTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  private func makeEnvironment(in folder: String, _ variables: [String: String] = [:])
    -> RuntimeEnvironment
  {
    RuntimeEnvironment(
      variables: home.environment.merging(variables) { $1 },
      currentFolder: home.homePath + (folder.isEmpty ? "" : "/" + folder), now: { 1_795_262_640 },
      zone: TimeZone(identifier: "Asia/Seoul") ?? .gmt, executableDirectory: Sandbox.programs)
  }

  @Test func `a moment is shown in the zone of the environment`() {
    for (zone, text) in [
      ("Asia/Seoul", "1970-01-01 09:00"), ("America/New_York", "1969-12-31 19:00"),
    ] {
      let locale = UserLocale(named: "C", zone: TimeZone(identifier: zone) ?? .gmt)
      #expect(locale.text(of: 0) == text)
    }
  }

  @Test func `the machine's zone is named by TZ, a link or a file`() throws {
    #expect(MachineZone.names(variable: ":Asia/Seoul") == ["Asia/Seoul"])
    #expect(MachineZone.names(variable: "") == ["UTC"])
    try home.write("# The zone\nEurope/Berlin\n", to: "timezone")
    try home.write("TZif2", to: "etc/copy")
    try home.write("TZif2", to: "zoneinfo/Asia/Seoul")
    for (link, target) in [("etc/localtime", "../zoneinfo/Asia/Seoul"), ("link", "etc/localtime")] {
      try FileManager.default.createSymbolicLink(
        atPath: home.homePath + "/" + link, withDestinationPath: target)
    }
    func names(_ localTime: String) -> [String] {
      MachineZone.names(
        variable: nil, localTime: home.homePath + "/" + localTime,
        timeZone: home.homePath + "/timezone")
    }
    #expect(names("link") == ["Asia/Seoul", "Europe/Berlin"])
    #expect(names("etc/copy").last == "Europe/Berlin")
  }

  @Test func `paths are normalized and the home folder is expanded`() {
    let here = makeEnvironment(in: "a/b")
    #expect(here.absolutePath(of: "../c/./d") == home.homePath + "/a/c/d")
    #expect(here.absolutePath(of: "~/x") == home.homePath + "/x")
    #expect(here.absolutePath(of: "/etc/../tmp") == "/tmp")
  }

  @Test func `the journal is the argument, the variable, a parent or the personal one`() throws {
    for name in ["named", "variable", "parent", "personal", "diary"] {
      try home.write("", to: name + "/.diary/config.yml")
    }
    try home.write("", to: "parent/deep/er/x")
    try home.write("journal: ~/personal\n", to: ".config/diary/config.yml")
    let inside = makeEnvironment(in: "parent/deep/er", ["DIARY_JOURNAL": "~/variable"])
    #expect(try JournalFinder.find(named: "~/named", inside) == home.homePath + "/named")
    #expect(try JournalFinder.find(named: nil, inside) == home.homePath + "/variable")
    #expect(
      try JournalFinder.find(named: nil, makeEnvironment(in: "parent/deep/er")) == home.homePath
        + "/parent")
    #expect(
      try JournalFinder.find(named: nil, makeEnvironment(in: "")) == home.homePath + "/personal")
    try home.write("editor: vi\n", to: ".config/diary/config.yml")
    #expect(try JournalFinder.find(named: nil, makeEnvironment(in: "")) == home.homePath + "/diary")
  }

  @Test func `the diary's day starts at the configured hour`() async throws {
    try home.write("day_starts_at: 04:00\n", to: "j/.diary/config.yml")
    try await home.git("init", "-q", in: "j")
    // 2026-11-22 02:04 in Seoul.
    var here = makeEnvironment(in: "j")
    here.now = { 1_795_280_640 }
    let journal = try Journal(root: home.homePath + "/j", environment: here)
    #expect(journal.today.description == "2026-11-21")
  }
}
