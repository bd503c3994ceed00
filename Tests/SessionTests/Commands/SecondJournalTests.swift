import Foundation
import TestSupport
import Testing

/// Two journals in one repository, which would share Diary's private state.
@Suite struct SecondJournalTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  private func expectRefused(_ folder: String, _ other: String, _ hint: String) async throws {
    let made = try await home.diary("init", folder, "--yes", "--join")
    #expect(made.status == 1, "\(made)")
    #expect(made.errors.contains("has a journal in \(home.homePath)/\(other)"), "\(made)")
    #expect(made.errors.contains(hint), "\(made)")
    #expect(!home.exists(folder + "/.diary"))
  }

  @Test func `a nested journal is refused unless it has its own repository`()
    async throws
  {
    try await home.diary("init", "j", "--yes")
    let exclude = try home.read("j/.git/info/exclude")
    let hint = "--separate` creates a separate repository for the new one"
    try await expectRefused("j/sub", "j", hint)
    try home.write("Old.\n", to: "j/old/2026-01-01.md")
    try await expectRefused("j/old", "j", hint)
    #expect(try home.read("j/.git/info/exclude") == exclude)
    #expect(try await home.diary("init", "j/sub", "--yes", "--separate").status == 0)
    #expect(try home.read("j/.git/info/exclude") == exclude)
  }

  @Test func `a second journal next to or around another one is refused`() async throws {
    try await home.git("init", "-q", "r", in: "")
    try await home.diary("init", "r/one", "--yes", "--join")
    try await expectRefused("r/two", "r/one", "--separate")
    try home.write("Old.\n", to: "r/2026-01-01.md")
    let around = try await home.diary("init", "r", "--yes")
    #expect(around.status == 1 && around.errors.contains("in another folder"), "\(around)")
  }

  @Test func `a list file of another journal is not an entry`() async throws {
    try await home.diary("init", "j", "--yes")
    try await home.diary("new", "Walk", "-m", "Words.", "--date", "2026-11-20", in: "j")
    try home.write(try home.read("j/INDEX.md"), to: "j/sub/INDEX.md")
    try await home.diary("save", in: "j")
    #expect(try await home.diary("list", "--paths", in: "j").output.contains("INDEX") == false)
    let checked = try await home.diary("check", in: "j")
    #expect(checked.output == "" && checked.errors.contains("1 entry checked,"), "\(checked)")
    #expect(try await !home.git("ls-files", in: "j").contains("INDEX"))
  }
}
