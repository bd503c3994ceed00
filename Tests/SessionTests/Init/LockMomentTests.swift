import Foundation
import TestSupport
import Testing

/// Locking at a moment when something else happens.
@Suite(.serialized) struct LockMomentTests: LockedJournalTests {
  let home: Sandbox

  init() throws { home = try Self.makeHome() }

  @Test func `a page that is just starting again is locked again, and waits`() async throws {
    try await withJournal {
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", ["web", "--no-open"], in: "j"
      ) { page in
        func shows(_ words: String, _ count: Int) async -> Bool {
          await Sandbox.holds {
            page.output.split(separator: "\n").count { $0.contains(words) } == count
          }
        }
        #expect(await page.prints("http://"))
        for round in 1...3 {
          try await lock()
          #expect(await shows("waiting for `diary unlock", round), "\(page.output)")
          try await unlock()
        }
        #expect(await shows("http://", 2), "\(page.output)")
        try await lock()
      }
    }
  }

  @Test func `a watcher that is just starting lets go`() async throws {
    try await withJournal {
      for _ in 0..<3 {
        try await BackgroundProcess.run(
          home, Sandbox.programs + "/diary", ["watch", "--journal", "j"]
        ) { watcher in
          #expect(await Sandbox.holds { watcher.hasOpenFile(in: home.homePath + "/j/") })
          try await lock()
          #expect(await watcher.prints("waiting for `diary unlock"), "\(watcher.output)")
        }
        try await unlock()
      }
      try await lock()
    }
  }

  /// Runs `body` while a process with mounts of its own has what is mounted now in this sandbox. It
  /// gives back the mounts of the suites that run beside this one, which could not lock otherwise.
  private func withContainer(_ body: @Sendable () async throws -> Void) async throws {
    let script = """
      while read -r _ folder type _; do
        case $type:$folder in
          fuse.*:'\(home.homePath)'/*) ;;
          fuse.*) umount -l "$folder" ;;
        esac
      done </proc/mounts
      echo ready
      exec sleep 1000
      """
    try await BackgroundProcess.run(
      home, "unshare", ["-m", "--propagation", "private", "sh", "-c", script]
    ) { container in
      guard await Sandbox.holds({ container.hasExited || container.output == "ready\n" }),
        !container.hasExited
      else { try Test.cancel("unshare: NOT RUN (\(container.output))") }
      try await body()
    }
  }

  private func expectStillShown(_ words: String..., at journal: String = "j") async throws {
    for word in words {
      let done = try await home.diary(word, "--journal", journal)
      #expect(done.status == 1, "\(done)")
      #expect(done.errors.contains("still shows the files elsewhere\n  gocryptfs ("), "\(done)")
    }
  }

  @Test func `files that a container still shows are not called locked`() async throws {
    try await withJournal {
      try await withContainer {
        try await expectStillShown("lock", "unlock")
        #expect(try names() == [])
      }
      let done = try await home.diary("lock", "--journal", "j")
      #expect(done.output.hasPrefix("It is locked already"), "\(done)")
      // Unlocked by gocryptfs alone, with other words.
      try await home.run(
        "sh", ["-c", "cd ~ && gocryptfs -q ./j.locked j"], input: "the word\n")
      try await withContainer { try await expectStillShown("lock", "lock") }
      try await unlock()

      try await home.run("mkdir", ["above"])
      #expect(try await home.diary("init", "--encrypted", "above/j").status == 0)
      try await withContainer {
        try await home.run("mv", ["above", "below"])
        try await expectStillShown("lock", at: "below/j")
      }
      #expect(try await home.diary("lock", "--journal", "below/j").status == 0)
    }
  }

  @Test func `a process that only calls itself gocryptfs does not count`() async throws {
    try await withJournal {
      let folder = home.homePath + "/j"
      try await BackgroundProcess.run(
        home, "bash",
        ["-c", "exec -a gocryptfs sh -c 'echo ready; sleep 1000' x '\(folder).locked' '\(folder)'"]
      ) { process in
        #expect(await process.prints("ready"))
        try await lock()
        try await unlock()
      }
      try await lock()
    }
  }

  @Test func `another folder of gocryptfs, which may not answer, keeps nothing`() async throws {
    try await withJournal {
      let script = """
        cd ~ && mkdir vault shown back && gocryptfs -q -init -extpass 'echo x' vault
        gocryptfs -q -extpass 'echo x' $PWD/vault $PWD/shown
        reverse="gocryptfs -q -reverse -config $HOME/reverse.conf"
        $reverse -init -extpass 'echo x' j.locked && $reverse -extpass 'echo x' j.locked back
        """
      let made = try await home.run("sh", ["-ec", script])
      #expect(made.status == 0, "\(made)")
      // As if the vault's disk did not answer any more.
      let find = "for p in $(pgrep -x gocryptfs); do tr '\\0' ' ' </proc/$p/cmdline | grep -qF "
      func signal(_ name: String) async throws {
        let found = "'\(home.homePath)/vault' && kill -\(name) $p; done; true"
        try await home.run("sh", ["-c", find + found])
      }
      try await signal("STOP")
      let stalled = try await home.run("timeout", ["-k", "1", "1", "stat", "shown"])
      #expect(stalled.status != 0, "\(stalled)")
      for words in [["lock"], ["unlock"], ["lock"], ["unlock"]] {
        let done = try await home.run(
          "timeout", ["-k", "1", "20", Sandbox.programs + "/diary"] + words + ["--journal", "j"])
        #expect(done.status == 0, "\(words): \(done)")
      }
      try await signal("CONT")
      for folder in ["shown", "back"] { try await home.run("umount", [folder]) }
      try await lock()
    }
  }

  @Test func `what is written below the folder while it is unlocked is named, and not hidden`()
    async throws
  {
    try await withJournal {
      try await lock()
      let path = try #require(home.environment["PATH"])
      let real = try await home.run("sh", ["-c", "command -v gocryptfs"]).output.dropLast()
      for option in ["", "-nonempty"] {
        // gocryptfs looks whether the folder is empty, and shows the files later.
        _ = try home.script(
          "gocryptfs",
          "for last; do :; done; echo x >$last/new.md\nexec \(real) \(option) \"$@\"\n")
        home.set("PATH", home.homePath + "/bin:" + path)
        let done = try await home.diary("unlock", "--journal", "j")
        home.set("PATH", path)
        #expect(done.status == 1 && done.errors.contains("is not empty, so the"), "\(done)")
        #expect(done.errors.contains("\n  \(home.homePath)/j/new.md\n"), "\(done)")
        #expect(try names() == ["new.md"] && mode() == 0o500)
        let way = "chmod u+w \(home.homePath)/j"
        #expect(done.errors.contains("`\(way)`"), "\(done)")
        try await home.run("sh", ["-c", "\(way) && rm j/new.md"])
      }
      try await unlock()
      try await lock()
    }
  }

  @Test func `a new password does not make a watcher unknown`() async throws {
    try await withJournal {
      try await withWatcher { watcher in
        let changed = try await home.run(
          "gocryptfs", ["-q", "-passwd", home.homePath + "/j.locked"],
          input: "the word\nthe word\n")
        #expect(changed.status == 0, "\(changed)")
        let status = try await home.diary("status", "--journal", "j")
        #expect(status.output.contains("running (process"), "\(status)")
        try await lock()
        #expect(await watcher.prints("waiting for `diary unlock"), "\(watcher.output)")
      }
    }
  }

  @Test func `a watcher does not work in the folder that it was started in`() async throws {
    try await withJournal {
      try await BackgroundProcess.run(home, Sandbox.programs + "/diary", ["watch"], in: "j") {
        watcher in
        #expect(await watcher.prints("watching"))
        // Neither it nor one that waits for its end keeps the folder.
        try await BackgroundProcess.run(
          home, Sandbox.programs + "/diary", ["watch", "--wait"], in: "j"
        ) { second in
          #expect(await second.prints("is already watched by process"), "\(second.output)")
          #expect(watcher.workingFolder == "/" && second.workingFolder == "/")
          try await lock()
          try await unlock()
        }
      }
      try await lock()
    }
  }

  @Test func `a bind mount is hidden, too, and while it is in use nothing changes`() async throws {
    try await withJournal {
      try await home.run("mkdir", ["other"])
      guard try await home.run("mount", ["--bind", "j", "other"]).status == 0 else {
        try Test.cancel("mount --bind: NOT RUN")
      }
      let entry = try #require(home.files(in: "j").first { $0.hasSuffix("rain.md") })
      try await BackgroundProcess.run(home, "tail", ["-f", "other/" + entry]) { reader in
        #expect(await reader.prints("All day."))
        let refused = try await home.diary("lock", "--journal", "j")
        #expect(refused.status == 1 && refused.errors.contains("/other is in use"), "\(refused)")
        #expect(try await home.diary("list", "--journal", "j").output.contains("Rain"))
      }
      try await lock()
      #expect(try FileManager.default.contentsOfDirectory(atPath: home.homePath + "/other") == [])
      // The same encrypted files under another name.
      try await home.run("mkdir", ["also", "shown"])
      try await home.run("mount", ["--bind", "j.locked", "also"])
      try await home.run(
        "gocryptfs", ["-q", home.homePath + "/also", home.homePath + "/shown"], input: "the word\n")
      try await expectStillShown("lock", "unlock")
      try await home.run("umount", ["shown"])
      try await home.run("umount", ["also"])
      try await unlock()
      try await lock()
    }
  }

  @Test(arguments: [["watch"], ["web", "--no-open"]])
  func `a program that lock has asked still ends when the user asks`(_ words: [String]) async throws
  {
    try await withJournal {
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", words + ["--journal", "j"]
      ) { program in
        #expect(await program.prints(words[0] == "watch" ? "watching" : "http://"))
        // Both have come when it goes on.
        for signal in [SIGSTOP, SIGUSR1, SIGTERM, SIGCONT] { program.signal(signal) }
        #expect(await Sandbox.holds(within: 20) { program.hasExited }, "\(program.output)")
        #expect(!program.output.contains("waiting for"), "\(program.output)")
      }
      try await lock()
    }
  }

  @Test func `a watcher that finds a page in its place waits for its end`() async throws {
    try await withJournal {
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", ["web", "--no-open", "--journal", "j"]
      ) { page in
        #expect(await page.prints("http://"))
        try await BackgroundProcess.run(
          home, Sandbox.programs + "/diary", ["watch", "--wait", "--journal", "j"]
        ) { watcher in
          #expect(await watcher.prints("is already watched by process"), "\(watcher.output)")
          page.signal(SIGTERM)
          #expect(await watcher.prints("watching"), "\(watcher.output)")
          try home.write("Words.\n", to: "j/late.md")
          #expect(await watcher.prints("saved 1 file"), "\(watcher.output)")
        }
      }
      try await lock()
    }
  }

  @Test func `unlock that is interrupted leaves a locked journal, or an unlocked one`()
    async throws
  {
    try await withJournal {
      try await lock()
      for milliseconds in stride(from: 20, through: 260, by: 15) {
        let pause = "0.\(String(1000 + milliseconds).dropFirst())"
        try await home.run(
          "timeout",
          [
            "--foreground", "-s", "INT", pause, Sandbox.programs + "/diary", "unlock", "--journal",
            "j",
          ])
        let list = try await home.diary("list", "--journal", "j")
        #expect(
          list.status == 0
            || list.errors.hasPrefix("diary: the journal in \(home.homePath)/j is locked\n"),
          "after \(pause): \(list)")
        let locked = try await home.diary("lock", "--journal", "j")
        #expect(locked.status == 0, "\(locked)")
        #expect(try mode() == 0o500)
      }
      try await unlock()
    }
  }

  @Test func `nothing is written into a locked folder, also from other journals`() async throws {
    try await withJournal {
      try await lock()
      try await home.run("chmod", ["700", "j"])
      let again = try await home.diary("lock", "--journal", "j")
      #expect(again.status == 0)
      #expect(try mode() == 0o500)
      try await home.diary("init", "plain")
      try await home.diary("new", "Hail", "-m", "At night.", "--journal", "plain")
      for words in [
        ["export", "j/out.md"], ["export", "--format", "folder", "j/out"],
        ["share", "1", "--output", "j/out.md"],
      ] {
        let done = try await home.run(
          Sandbox.programs + "/diary", words + ["--journal", "plain"])
        #expect(done.status == 3, "\(words): \(done)")
        #expect(done.errors.contains("the journal in \(home.homePath)/j is locked"), "\(done)")
      }
      #expect(try names() == [])
      let below = try await home.diary("list", "--journal", "j/2026")
      #expect(below.status == 3, "\(below)")
      #expect(
        below.errors.contains("hint: `diary unlock --journal \(home.homePath)/j`"), "\(below)")
      try await unlock()
    }
  }

  @Test func `gocryptfs is known after an upgrade has replaced it`() async throws {
    let real = try await home.run("sh", ["-c", "readlink -f $(command -v gocryptfs)"]).output
      .dropLast()
    try await withJournal {
      try await lock()
      // As some systems wrap it.
      try await home.run("sh", ["-c", "mkdir bin; cp \(real) bin/.gocryptfs-wrapped"])
      _ = try home.script("gocryptfs", "exec ~/bin/.gocryptfs-wrapped \"$@\"\n")
      let path = home.environment["PATH"] ?? ""
      home.set("PATH", home.homePath + "/bin:" + path)
      try await unlock()
      try await home.run("sh", ["-c", "cp \(real) bin/new; mv bin/new bin/.gocryptfs-wrapped"])
      try await withContainer { try await expectStillShown("lock", "unlock") }
      home.set("PATH", path)
      try await unlock()
      try await lock()
    }
  }

  @Test func `a watcher that waits for another one does not keep the journal unlocked`()
    async throws
  {
    home.set("DIARY_UNLOCK__LOCK_WHEN_IDLE", "13s")
    try await withJournal {
      try await withWatcher { first in
        try await BackgroundProcess.run(
          home, Sandbox.programs + "/diary", ["watch", "--wait", "--journal", "j"]
        ) { second in
          #expect(await second.prints("is already watched"))
          #expect(await first.prints("waiting for `diary unlock"), "\(first.output)")
          #expect(await second.prints("waiting for `diary unlock"), "\(second.output)")
        }
      }
    }
  }
}
