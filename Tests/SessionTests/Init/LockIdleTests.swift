import Foundation
import TestSupport
import Testing

/// A journal that locks itself.
@Suite(.serialized) struct LockIdleTests: LockedJournalTests {
  let home: Sandbox

  init() throws { home = try Self.makeHome() }

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
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", ["watch", "--journal", "j"]
      ) { watcher in
        func count(_ words: String) -> Int {
          watcher.output.split(separator: "\n").count { $0.hasSuffix(words) }
        }
        #expect(await watcher.prints("watching"))
        for (round, name) in ["late.md", "later.md"].enumerated() {
          try home.write("Words.\n", to: "j/" + name)
          #expect(await Sandbox.holds { count("committed 1 file") >= 2 * round + 2 })
          // It is the watcher, although nothing is open.
          let status = try await home.diary("status", "--journal", "j")
          #expect(status.output.contains("running (process"), "\(status)")
          let second = try await home.diary("watch", "--journal", "j")
          #expect(second.errors.contains("already watched"), "\(second)")
          #expect(await isLocked(), "\(watcher.output)")
          #expect(await Sandbox.holds { count("waiting for `diary unlock`") == round + 1 })
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
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", ["watch", "--journal", "j"]
      ) { watcher in
        #expect(await watcher.prints("watching"))
        for count in 1...3 {
          try home.write("Words \(count).\n", to: "j/\(count).md")
          #expect(
            try await Sandbox.holds {
              try await home.git("log", "--format=%s", in: "j").contains("Words \(count)")
            }, "\(watcher.output)")
          #expect(await Sandbox.holds { !watcher.hasOpenFile(in: home.homePath + "/j/") })
        }
        try await lock()
        #expect(await watcher.prints("waiting for `diary unlock`"))
      }
    }
  }

  @Test func `unlock commits what a killed watcher has left`() async throws {
    home.setAutosave(settle: "200ms", sitting: "1d")
    try await withJournal {
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", ["watch", "--journal", "j"]
      ) { watcher in
        #expect(await watcher.prints("watching"))
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
