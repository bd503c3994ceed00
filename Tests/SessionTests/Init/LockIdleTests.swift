import Foundation
import TestSupport
import Testing

/// A journal that locks itself.
@Suite(.serialized) struct LockIdleTests: LockedJournalTests {
  let home: Sandbox

  init() throws { home = try Self.makeHome() }

  private func hasNothingOpen(_ watcher: BackgroundProcess) async -> Bool {
    await Sandbox.holds { !watcher.hasOpenFile(in: home.homePath + "/j/") }
  }

  /// To look into the folder would be to use it.
  private func isLocked() async -> Bool {
    await Sandbox.holds {
      let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)
      return mounts?.contains(" \(home.homePath)/j ") == false
    }
  }

  @Test func `a journal locks itself when nothing uses it, also while a watcher rests`()
    async throws
  {
    home.set("DIARY_UNLOCK__LOCK_WHEN_IDLE", "3s")
    try await withJournal {
      try await withWatcher { watcher in
        func count(_ words: String) -> Int {
          watcher.output.split(separator: "\n").count { $0.hasSuffix(words) }
        }
        for (round, name) in ["late.md", "later.md"].enumerated() {
          try home.write("Words.\n", to: "j/" + name)
          #expect(await Sandbox.holds { count("committed 1 file") >= 2 * round + 2 })
          // It is the watcher, although nothing is open.
          let status = try await home.diary("status", "--journal", "j")
          #expect(status.output.contains("running (process"), "\(status)")
          let second = try await home.diary("watch", "--journal", "j")
          #expect(second.errors.contains("already watched"), "\(second)")
          #expect(await isLocked(), "\(watcher.output)")
          let waits = "waiting for `diary unlock --journal \(home.homePath)/j`"
          #expect(await Sandbox.holds { count(waits) == round + 1 }, "\(watcher.output)")
          try await unlock()
          #expect(await Sandbox.holds { count("(inotify)") == round + 2 }, "\(watcher.output)")
        }
        #expect(!watcher.output.contains("deleted"), "\(watcher.output)")
      }
      // It may have been locked again, or not yet.
      #expect(try await home.diary("unlock", "--journal", "j").status == 0)
      let log = try await home.git("log", "--name-status", "--format=", in: "j")
      #expect(log.contains("A\tlate.md") && log.contains("A\tlater.md"), "\(log)")
      #expect(!log.contains("D\t"), "\(log)")
      #expect(await isLocked())
    }
  }

  @Test func `a watcher that rests saves the next change, and lets go at once`() async throws {
    home.set("DIARY_UNLOCK__LOCK_WHEN_IDLE", "1h")
    try await withJournal {
      try await withWatcher { watcher in
        for count in 1...3 {
          try home.write("Words \(count).\n", to: "j/\(count).md")
          #expect(
            try await Sandbox.holds {
              try await home.git("log", "--format=%s", in: "j").contains("Words \(count)")
            }, "\(watcher.output)")
          #expect(await hasNothingOpen(watcher))
        }
        try await lock()
        #expect(await watcher.prints("waiting for `diary unlock"), "\(watcher.output)")
      }
    }
  }

  @Test func `a sitting that goes on does not keep the journal unlocked`() async throws {
    home.setAutosave(settle: "200ms", sitting: "1d")
    home.set("DIARY_UNLOCK__LOCK_WHEN_IDLE", "3s")
    try await withJournal {
      try await withWatcher { watcher in
        try home.write("Words.\n", to: "j/late.md")
        #expect(await watcher.prints("saved 1 file"), "\(watcher.output)")
        #expect(await isLocked(), "\(watcher.output)")
        #expect(await watcher.prints("waiting for `diary unlock"), "\(watcher.output)")
        #expect(!watcher.output.contains("committed 1 file"), "\(watcher.output)")
      }
      #expect(try await home.diary("unlock", "--journal", "j").status == 0)
      #expect(try await home.git("log", "--name-only", in: "j").contains("late.md"))
      #expect(await isLocked())
    }
  }

  @Test func `a watcher that rests ends the sitting at its time`() async throws {
    home.setAutosave(settle: "200ms", sitting: "5s")
    home.set("DIARY_UNLOCK__LOCK_WHEN_IDLE", "1h")
    try await withJournal {
      try await withWatcher { watcher in
        try home.write("Words.\n", to: "j/late.md")
        #expect(await watcher.prints("saved 1 file"), "\(watcher.output)")
        #expect(await hasNothingOpen(watcher))
        #expect(await watcher.prints("committed 1 file"), "\(watcher.output)")
        #expect(await watcher.prints("added the date to 1 file"), "\(watcher.output)")
        #expect(await hasNothingOpen(watcher))
        try await lock()
      }
    }
  }

  @Test func `lock has a watcher that rests commit and push first`() async throws {
    try await withSyncingWatcher(sitting: "1d") { watcher in
      try home.write("Words.\n", to: "j/late.md")
      #expect(await watcher.prints("saved 1 file"), "\(watcher.output)")
      #expect(await hasNothingOpen(watcher))
      try await lock()
      #expect(await watcher.prints("waiting for `diary unlock"), "\(watcher.output)")
      #expect(watcher.output.contains("committed 1 file"), "\(watcher.output)")
    }
    #expect(try await home.git("log", "--name-only", "main", in: "host.git").contains("late.md"))
  }

  /// Runs `body` with a watcher that syncs the journal, and may rest.
  private func withSyncingWatcher(
    sitting: String, body: @Sendable (BackgroundProcess) async throws -> Void
  ) async throws {
    home.setAutosave(settle: "200ms", sitting: sitting)
    home.set("DIARY_UNLOCK__LOCK_WHEN_IDLE", "1h")
    try await withJournal {
      try await home.git("init", "-q", "--bare", "host.git", in: "")
      #expect(try await home.diary("init", "j", "--remote", "host.git").status == 0)
      try await withWatcher("--sync", body: body)
    }
  }

  @Test func `a commit is pushed before the watcher rests`() async throws {
    home.set("DIARY_SYNC__PUSH_AFTER", "6s")
    try await withSyncingWatcher(sitting: "300ms") { watcher in
      #expect(await hasNothingOpen(watcher))
      try home.write("---\ndate: 2026-01-02 10:00\nweather: none\n---\nWords.\n", to: "j/late.md")
      #expect(await watcher.prints("committed 1 file"), "\(watcher.output)")
      #expect(
        try await Sandbox.holds {
          try await home.git("log", "--name-only", "main", in: "host.git").contains("late.md")
        }, "\(watcher.output)")
      #expect(await hasNothingOpen(watcher))
      try await lock()
    }
  }

  @Test func `a watcher syncs before its first rest, also after unlock`() async throws {
    try await withSyncingWatcher(sitting: "300ms") { watcher in
      #expect(await hasNothingOpen(watcher))
      try await lock()
      #expect(await watcher.prints("waiting for `diary unlock"), "\(watcher.output)")
      // Another device pushes.
      try await home.git("clone", "-q", "host.git", "other", in: "")
      try home.write(
        "---\ndate: 2026-01-02 10:00\nweather: none\n---\nWords.\n", to: "other/far.md")
      try await home.git("add", "far.md", in: "other")
      try await home.git("commit", "-q", "-m", "far", in: "other")
      try await home.git("push", "-q", in: "other")
      try await unlock()
      #expect(await watcher.prints("received"), "\(watcher.output)")
      #expect(home.exists("j/far.md"))
      #expect(await hasNothingOpen(watcher))
      try await lock()
    }
  }

  @Test func `a stamp does not wait while other files are written`() async throws {
    home.setAutosave(settle: "200ms", sitting: "5s")
    home.set("DIARY_UNLOCK__LOCK_WHEN_IDLE", "1h")
    try await withJournal {
      try await withWatcher { watcher in
        try home.write("Words.\n", to: "j/late.md")
        #expect(await watcher.prints("saved 1 file"), "\(watcher.output)")
        var isStamped = false
        for number in 0..<40 where !isStamped {
          #expect(await hasNothingOpen(watcher))
          let before = watcher.output
          try home.write("---\ndate: 2026-01-02\n---\n\(number)\n", to: "j/other.md")
          #expect(await Sandbox.holds { watcher.output != before })
          isStamped = watcher.output.contains("added the date to 1 file")
        }
        #expect(isStamped, "\(watcher.output)")
        try await lock()
      }
    }
  }

  @Test func `unlock commits what a killed watcher has left`() async throws {
    home.setAutosave(settle: "200ms", sitting: "1d")
    try await withJournal {
      try await withWatcher { watcher in
        try home.write("Words.\n", to: "j/late.md")
        #expect(await watcher.prints("saved 1 file"))
        watcher.signal(SIGKILL)
        #expect(await Sandbox.holds { watcher.hasExited })
      }
      try await lock()
      try await unlock()
      #expect(try await home.git("log", "--name-only", in: "j").contains("late.md"))
      try await lock()
    }
  }
}
