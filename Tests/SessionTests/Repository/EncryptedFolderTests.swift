import Foundation
import TestSupport
import Testing

/// A journal in a folder of gocryptfs, which answers `syncfs` without a flush, and reports changes.
@Suite(.serialized) struct EncryptedFolderTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  /// Runs `body` with a journal in `disk/j`.
  private func withJournal(_ body: () async throws -> Void) async throws {
    let isMounted = try await home.withEncryptedFolder(at: "disk") {
      #expect(try await home.diary("init", "disk/j").status == 0)
      try await body()
    }
    guard isMounted else { try Test.cancel("gocryptfs: NOT RUN (no FUSE may be mounted here)") }
  }

  @Test func `an import syncs every file and its folder, and never the file system`() async throws {
    guard try await home.run("sh", ["-c", "command -v strace && strace -o trial true"]).status == 0
    else { try Test.cancel("calls cannot be counted here") }
    for number in 100..<200 {
      let text = "---\ndate: 2025-01-02 10:00\n---\n![](f\(number).txt)\n"
      try home.write(text, to: "notes/deep/n\(number).md")
      try home.write("A file.\n", to: "notes/deep/f\(number).txt")
    }
    try await withJournal {
      let calls = ["-f", "-y", "-e", "trace=fsync,syncfs"]
      let done = try await home.run(
        "strace",
        calls + ["-o", home.homePath + "/calls", Sandbox.programs + "/diary", "import"]
          + ["--format", "markdown", "../../notes"], in: "disk/j")
      #expect(done.status == 0, "\(done)")
      #expect(done.output.contains("100 entries"), "\(done)")
      let lines = try home.read("calls").split(separator: "\n")
      #expect(!lines.contains { $0.contains("syncfs(") })
      let synced = lines.filter { $0.contains("fsync(") }
      // Before it has its name, and once more with it.
      #expect(synced.count { $0.contains("/disk/j/") && $0.contains(".tmp>") } >= 200)
      #expect(synced.contains { $0.contains("/disk/j/deep>") })
      for number in 100..<200 {
        #expect(synced.contains { $0.contains("/disk/j/deep/n\(number).md>") }, "\(number)")
        #expect(synced.contains { $0.contains("/disk/j/deep/f\(number).txt>") }, "\(number)")
      }
    }
  }

  @Test func `the watcher hears of changes by inotify, and sleeps while nothing changes`()
    async throws
  {
    home.setAutosave(settle: "200ms", sitting: "1s")
    try await withJournal {
      try await home.withWatcher(in: "disk/j") { watcher in
        #expect(watcher.output.contains("(inotify)"), "\(watcher.output)")
        try home.write("Rain.\n", to: "disk/j/rain.md")
        // A folder that is polled is looked at every ten seconds.
        #expect(await watcher.prints("saved rain.md", within: 8), "\(watcher.output)")
        #expect(await watcher.prints("committed"), "\(watcher.output)")
        #expect(await watcher.becomesIdle())
        #expect(await watcher.becomesSilent())
      }
    }
  }

  @Test func `a plain journal leaves out an encrypted folder in it, and the files that it shows`()
    async throws
  {
    home.setAutosave(settle: "200ms", sitting: "1s")
    try await home.diary("init", "j")
    let isMounted = try await home.withEncryptedFolder(at: "j/vault", of: "j/vault.d") {
      try home.write("Marrowfen.\n", to: "j/vault/deep/secret.md")
      try home.write("Sun.\n", to: "j/open.md")
      let saved = try await home.diary("save", in: "j")
      #expect(saved.status == 0 && saved.errors.contains("\"Sun.\""), "\(saved)")
      // A copy of the settings makes no encrypted folder.
      try home.write("Moon.\n", to: "j/keys/moon.md")
      try await home.run("cp", ["vault.d/gocryptfs.conf", "keys"], in: "j")
      // In the history before Diary left it out.
      try await home.git("add", "vault/deep/secret.md", in: "j")
      try await home.git("commit", "-q", "-m", "By hand", in: "j")
      try await home.withWatcher(in: "j") { watcher in
        try home.write("Marrowfen, thornwick.\n", to: "j/vault/deep/secret.md")
        try home.write("Thornwick.\n", to: "j/vault/late.md")
        try home.write("Wind.\n", to: "j/after.md")
        #expect(await watcher.prints("saved after.md"), "\(watcher.output)")
        #expect(await watcher.prints("committed"), "\(watcher.output)")
        #expect(!watcher.output.contains("vault"), "\(watcher.output)")
      }
      try await home.diary("save", in: "j")
      #expect(try await home.diary("search", "moon", in: "j").output.contains("Moon."))
      let list = try await home.diary("search", "thornwick", in: "j")
      #expect(list.output == "" && list.status == 2, "\(list)")
      let status = try await home.diary("status", in: "j")
      for folder in ["vault", "vault.d"] {
        let line = folder + " is encrypted by gocryptfs, so nothing in it is saved"
        #expect(status.output.contains(line), "\(status)")
      }
      #expect(try await home.diary("show", "vault/late.md", in: "j").status == 2)
    }
    guard isMounted else { try Test.cancel("gocryptfs: NOT RUN (no FUSE may be mounted here)") }
    let save = try await home.diary("save", in: "j")
    #expect(save.errors.contains("missing"), "\(save)")
    let objects = try await home.git("rev-list", "--objects", "--all", in: "j")
    #expect(objects.contains("after.md") && objects.contains("vault/deep/secret.md"), "\(objects)")
    #expect(!objects.contains("vault.d") && !objects.contains("late.md"), "\(objects)")
    let log = try await home.git("log", "--all", "--name-status", "--format=%s", in: "j")
    #expect(log.split(separator: "\n").filter { $0.contains("vault") }.count == 1, "\(log)")
  }

  @Test func `another file system of FUSE is polled`() async throws {
    try FileManager.default.createDirectory(
      atPath: home.homePath + "/other", withIntermediateDirectories: true)
    try await home.run("truncate", ["-s", "16M", "image"])
    try #require(try await home.run("/sbin/mkntfs", ["-F", "-Q", "-q", "image"]).status == 0)
    let isMounted = try await home.withMount("lowntfs-3g", ["image"], at: "disk") {
      #expect(try await home.diary("init", "disk/j").status == 0)
      try await home.withWatcher(in: "disk/j", mustEnd: false) { watcher in
        #expect(watcher.output.contains("checking every 10 s"), "\(watcher.output)")
      }
    }
    guard isMounted else { try Test.cancel("no FUSE may be mounted here") }
  }
}
