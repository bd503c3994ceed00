import DiaryCore
import Foundation
import GitHistory
import TestSupport
import Testing

@testable import DiaryKit

/// A sync that merges what another device wrote, and then cannot push.
@Suite struct FailedPushTests {
  let world: TestJournal

  /// Makes a journal whose remote has another device's text and rejects every push.
  init() async throws {
    world = try await TestJournal(["a.md": "one\n", "b.md": "b\n"])
    let home = world.home
    try await home.git("clone", "-q", "--bare", "j", "remote.git", in: "")
    try await home.git("clone", "-q", "remote.git", "other", in: "")
    try home.write("one\n\nFrom the other device.\n", to: "other/a.md")
    try await home.git("commit", "-qam", "other", in: "other")
    try await home.git("push", "-q", in: "other")
    _ = try await world.git("remote", "add", "origin", home.homePath + "/remote.git")
    _ = try await world.git("fetch", "-q")
    _ = try await world.git("branch", "-qu", "origin/main")
    let hook = home.homePath + "/remote.git/hooks/pre-receive"
    try "#!/bin/sh\nexit 1\n".write(toFile: hook, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: hook)
    try world.journal().gitLocation.makeDiaryDirectory()
    try world.write("", ".git/diary/made")
    try world.write("b, here\n", "b.md")
  }

  private func displacedFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: world.home.homePath + "/j/.git/diary")
      .filter { $0.hasPrefix(".diary-") }
  }

  @Test func `no displaced file is left`() async throws {
    await #expect(throws: DiaryError.self) { try await world.journal().remote.sync() }
    #expect(try world.home.read("j/a.md").contains("other device"))
    #expect(try displacedFiles() == [])
  }

  @Test func `the watcher still gets what was received`() async throws {
    let journal = try world.journal()
    _ = try await journal.save()
    let (outcome, failure) = try await journal.remote.syncForWatcher()
    #expect(failure != nil && outcome.received == 1 && outcome.checkedOut == ["a.md"])
    #expect(outcome.displaced.map(\.path) == ["a.md"])
    #expect(try displacedFiles().count == 1)
  }
}
