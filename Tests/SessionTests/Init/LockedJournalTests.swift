import Foundation
import TestSupport
import Testing

/// A suite with the journal `j`, which gocryptfs encrypts.
protocol LockedJournalTests {
  var home: Sandbox { get }
}

extension LockedJournalTests {
  /// A sandbox in which a command prints the password, and watchers are quick.
  static func makeHome() throws -> Sandbox {
    let home = try Sandbox()
    home.setAutosave(settle: "200ms", sitting: "1s")
    home.set("DIARY_UNLOCK__PASSWORD_COMMAND", "echo the word")
    return home
  }

  /// Runs `body` with the unlocked journal `j`, which has one entry.
  func withJournal(_ body: () async throws -> Void) async throws {
    guard FileManager.default.isWritableFile(atPath: "/dev/fuse") else {
      try Test.cancel("gocryptfs: NOT RUN (no /dev/fuse)")
    }
    let made = try await home.diary("init", "--encrypted", "j")
    if made.errors.contains("fusermount") {
      try Test.cancel("gocryptfs: NOT RUN (no FUSE may be mounted here)")
    }
    guard made.status == 0 else { throw ProgramFailed(message: made.errors) }
    do {
      try await home.diary("new", "Rain", "-m", "All day.", "--journal", "j")
      try await body()
    } catch {
      try await home.run("umount", ["-l", home.homePath + "/j"])
      throw error
    }
    // Nothing to unmount is an error, too.
    try await home.run("umount", ["-l", home.homePath + "/j"])
  }

  /// Runs `body` with a watcher of the journal.
  func withWatcher(
    _ options: String..., body: @Sendable (BackgroundProcess) async throws -> Void
  ) async throws {
    try await BackgroundProcess.run(
      home, Sandbox.programs + "/diary", ["watch", "--journal", "j"] + options
    ) { watcher in
      #expect(await watcher.prints("watching"))
      try await body(watcher)
    }
  }

  func lock() async throws {
    let done = try await home.diary("lock", "--journal", "j")
    #expect(done.output == "Locked: \(home.homePath)/j\n", "\(done)")
  }

  func unlock() async throws {
    let done = try await home.diary("unlock", "--journal", "j")
    #expect(done.output == "Unlocked: \(home.homePath)/j\n", "\(done)")
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: home.homePath + "/j")
  }

  func mode() throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: home.homePath + "/j")
    return attributes[.posixPermissions] as? Int
  }
}
