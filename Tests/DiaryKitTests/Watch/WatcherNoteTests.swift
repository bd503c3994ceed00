import Foundation
import GitHistory
import Glibc
import TestSupport
import Testing

@testable import DiaryKit

@Suite struct WatcherNoteTests {
  @Test(arguments: [nil, WatcherError(since: 1_795_000_000, message: "no room\non the disk")])
  func `a record is read as it was written, from two lines`(_ trouble: WatcherError?) {
    var note = WatcherStatus("process 7, checking every 10 s")
    note.error = trouble
    note.error?.message = "no room on the disk"
    #expect(WatcherStatus(parsing: note.text) == note)
    #expect(note.text.split(separator: "\n").count == (trouble == nil ? 1 : 2))
  }

  @Test(arguments: ["", "process 7", "process 7\n", "process 7\nsoon no room", "process 7\n12"])
  func `an older watcher's record names only its process`(_ text: String) {
    let note = WatcherStatus(parsing: text)
    #expect(note.error == nil)
    #expect(note.process == (text.isEmpty ? "" : "process 7"))
  }

  @Test func `a suspended process saves nothing, so it does not count as a watcher`() async throws {
    let world = try await TestJournal()
    let made = try await world.home.run(
      "sh",
      [
        "-c",
        """
        sleep 60 >/dev/null 2>&1 & kill -STOP $!
        until grep -q '^State:.T' /proc/$!/status; do :; done
        echo $!
        """,
      ], in: "")
    let process = try #require(pid_t(made.output.trimmingCharacters(in: .newlines)))
    defer { kill(process, SIGKILL) }
    let note = WatcherStatus("process \(process), checking every 10 s")
    #expect(note.isSuspended)
    let journal = try world.journal()
    try journal.gitLocation.makeDiaryDirectory()
    let lock = try #require(try ProcessLock(journal.watchLockPath, text: note.text))
    #expect(journal.runningWatcher == nil)
    #expect(try await journal.status().isWatcherSuspended)
    kill(process, SIGCONT)
    #expect(!note.isSuspended && journal.runningWatcher == note.process)
    withExtendedLifetime(lock) {}
  }

  @Test func `status shows the watcher's error as long as it watches`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    try journal.gitLocation.makeDiaryDirectory()
    var note = WatcherStatus("process 7")
    note.error = WatcherError(since: 5, message: "no room")
    var lock = try ProcessLock(journal.watchLockPath, text: note.text)
    #expect(lock != nil)
    let status = try await journal.status()
    #expect(status.watcher == "process 7" && status.watcherError == note.error)
    lock = nil
    #expect(try await journal.status().watcherError == nil)
  }

  /// A command that asks who watches has the lock for an instant.
  @Test func `a lock that is held for an instant is acquired`() async throws {
    let home = try Sandbox()
    let path = home.homePath + "/watch.lock"
    try home.write("", to: "watch.lock")
    var wasAcquired = false
    // On a busy machine the instant may become longer than the lock waits.
    for _ in 0..<20 where !wasAcquired {
      let descriptor = open(path, O_RDONLY)
      #expect(flock(descriptor, LOCK_SH) == 0)
      let asker = Thread {
        usleep(2_000)
        close(descriptor)
      }
      asker.start()
      wasAcquired = try ProcessLock(path) != nil
      while !asker.isFinished { usleep(1_000) }
    }
    #expect(wasAcquired)
  }
}
