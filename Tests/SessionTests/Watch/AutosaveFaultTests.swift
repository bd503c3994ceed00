import Foundation
import TestSupport
import Testing
import WeatherStandIn

/// The watcher when something fails around it: a save may be late but is never lost.
@Suite(.serialized) struct AutosaveFaultTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "200ms", longest: "3s", sitting: "2s")
    try await home.diary("init", "j")
  }

  @Test func `while nothing can be saved the watcher retries without spinning`() async throws {
    try await home.withWatcher { watcher in
      // No lock can be taken while a file is in place of the folder for locks.
      let locks = home.homePath + "/j/.git/diary/locks"
      try FileManager.default.removeItem(atPath: locks)
      try home.write("", to: "j/.git/diary/locks")
      try home.write("Words in bad times.\n", to: "j/a.md")
      #expect(await watcher.prints("diary:"), "\(watcher.output)")
      // Time for many retries, if there were no pauses between them.
      try await Task.sleep(for: .seconds(2))
      #expect(watcher.output.split(separator: "\n").count < 10, "\(watcher.output)")
      try FileManager.default.removeItem(atPath: locks)
      #expect(await watcher.prints("saved a.md"), "\(watcher.output)")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
    }
    #expect(try await home.git("show", "HEAD:a.md", in: "j").contains("Words in bad times."))
  }

  @Test func `a sitting that cannot be committed is retried without spinning`() async throws {
    home.set("DIARY_AUTOSAVE__SITTING", "3s")
    try await home.withWatcher { watcher in
      try home.write("Kept at once.\n", to: "j/a.md")
      #expect(await watcher.prints("saved a.md"), "\(watcher.output)")
      let locks = home.homePath + "/j/.git/diary/locks"
      try FileManager.default.removeItem(atPath: locks)
      try home.write("", to: "j/.git/diary/locks")
      #expect(await watcher.prints("diary:"), "\(watcher.output)")
      // Time for many retries, if there were no pauses between them.
      try await Task.sleep(for: .seconds(2))
      #expect(watcher.output.split(separator: "\n").count < 10, "\(watcher.output)")
      try FileManager.default.removeItem(atPath: locks)
      #expect(await watcher.prints("committed"), "\(watcher.output)")
    }
  }

  @Test func `changes carried over to another branch are committed there`() async throws {
    try home.write("one\n", to: "j/a.md")
    try await home.diary("save", in: "j")
    try await home.withWatcher { watcher in
      try home.write("one, carried over\n", to: "j/a.md")
      #expect(await watcher.prints("saved a.md"), "\(watcher.output)")
      try await home.git("checkout", "-qb", "other", in: "j")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
    }
    #expect(try await home.git("show", "other:a.md", in: "j").contains("one, carried over\n"))
    #expect(try await home.git("show", "main:a.md", in: "j") == "one\n")
  }

  @Test func `a replaced folder is reopened`() async throws {
    try home.write("one\n", to: "j/a.md")
    try await home.diary("save", in: "j")
    try await home.withWatcher { watcher in
      try await home.run("cp", ["-a", "j", "copy"])
      try await home.run("mv", ["j", "old"])
      #expect(await watcher.prints("no longer exists"), "\(watcher.output)")
      try await home.run("mv", ["copy", "j"])
      #expect(
        await Sandbox.holds {
          (try? home.write("Written after the return.\n", to: "j/b.md")) != nil
            && watcher.output.contains("saved b.md")
        }, "\(watcher.output)")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
      let second = try await home.diary("watch", in: "j")
      #expect(second.errors.contains("already watched"), "\(second.errors)")
    }
    #expect(try await home.git("show", "HEAD:b.md", in: "j").contains("after the return."))
    #expect(try await home.git("show", "HEAD:a.md", in: "j") == "one\n")
  }

  @Test func `a command's changes are committed while a watcher runs`() async throws {
    try await home.withWatcher { watcher in
      try await home.diary("new", "Beside", "--message", "words", in: "j")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
    }
    #expect(try await home.git("log", "-1", "--format=%s", in: "j").hasPrefix("Write \"Beside\""))
  }

  @Test func `a sitting of zero length commits every save and adds no date`() async throws {
    home.set("DIARY_AUTOSAVE__SITTING", "0s")
    try await home.withWatcher { watcher in
      try home.write("An editor may still show this.\n", to: "j/today.md")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
      // A date would come two seconds after the save.
      try await Task.sleep(for: .seconds(4))
      #expect(!watcher.output.contains("added the "), "\(watcher.output)")
    }
    #expect(try home.read("j/today.md") == "An editor may still show this.\n")
  }

  @Test func `a waiting stamp is kept across watchers`() async throws {
    home.set("DIARY_AUTOSAVE__SITTING", "10m")
    try await home.withWatcher { watcher in
      try home.write("Begun yesterday.\n", to: "j/today.md")
      #expect(await watcher.prints("saved today.md"), "\(watcher.output)")
    }
    #expect(try home.read("j/today.md") == "Begun yesterday.\n")
    home.set("DIARY_AUTOSAVE__SITTING", "1s")
    try await home.withWatcher { watcher in
      #expect(await watcher.prints("added the date to today.md"), "\(watcher.output)")
    }
    #expect(try home.read("j/today.md").hasPrefix("---\ndate: "))
  }

  @Test func `an editor that recreates its lock file is not treated as closed`()
    async throws
  {
    home.set("DIARY_AUTOSAVE__SITTING", "10m")
    try await home.withWatcher { watcher in
      let lock = "j/.today.md.swp"
      try home.write("locked\n", to: lock)
      try home.write("Still being written.\n", to: "j/today.md")
      #expect(await watcher.prints("saved today.md"), "\(watcher.output)")
      try FileManager.default.removeItem(atPath: home.homePath + "/" + lock)
      // Nothing shows that the watcher has seen the removal, or that it will add no date.
      try await Task.sleep(for: .milliseconds(300))
      try home.write("locked\n", to: lock)
      try await Task.sleep(for: .seconds(3))
      #expect(!watcher.output.contains("added the "), "\(watcher.output)")
      try FileManager.default.removeItem(atPath: home.homePath + "/" + lock)
      #expect(await watcher.prints("added the date to today.md"), "\(watcher.output)")
    }
  }

  @Test func `an aborted merge is no longer reported`() async throws {
    for (branch, text) in [("side", "side\n"), ("main", "main\n")] {
      try await home.git("checkout", "-q", "-B", branch, "main", in: "j")
      try home.write(text, to: "j/notes.txt")
      try await home.git("add", "notes.txt", in: "j")
      try await home.git("commit", "-qm", branch, in: "j")
      if branch == "side" { try await home.git("checkout", "-q", "main", in: "j") }
    }
    #expect(try await home.run("git", ["merge", "side"], in: "j").status == 1)
    let made = try await home.diary("new", "Walk", "-m", "In the merge.", in: "j")
    #expect(made.errors.contains("merge in progress"), "\(made)")
    #expect(try await home.diary("list", in: "j").errors.contains("commits have been on hold"))
    try await home.git("merge", "--abort", in: "j")
    #expect(try await home.diary("list", in: "j").errors == "")
    let status = try await home.diary("status", in: "j")
    #expect(!status.output.contains("on hold") && !status.errors.contains("on hold"), "\(status)")
    try await home.diary("save", in: "j")
    #expect(try await home.git("log", "-1", "-p", in: "j").contains("In the merge."))
  }

  @Test func `every command reports first that commits are deferred`() async throws {
    try home.write("words\n", to: "j/a.md")
    let head = try await home.git("rev-parse", "HEAD", in: "j")
    try home.write(head, to: "j/.git/MERGE_HEAD")
    try await home.diary("save", in: "j")
    let list = try await home.diary("list", in: "j")
    #expect(list.errors.hasPrefix("diary: commits have been on hold since "), "\(list.errors)")
    #expect(list.errors.contains("merge in progress"), "\(list.errors)")
    #expect(try await home.diary("list", "--quiet", in: "j").errors == "")
    try FileManager.default.removeItem(atPath: home.homePath + "/j/.git/MERGE_HEAD")
    try await home.diary("save", in: "j")
    #expect(try await home.diary("list", in: "j").errors == "")
  }

  @Test func `an unresponsive provider delays no save`() async throws {
    let standIn = try await FakeProvider.start()
    home.set("DIARY_WEATHER__URL", standIn.url)
    try await home.diary("weather", "on", "37.57,126.98", in: "j")
    standIn.behaviour = .hanging
    try await home.withWatcher { watcher in
      try home.write("Asks for its weather.\n", to: "j/one.md")
      #expect(await watcher.prints("saved one.md"), "\(watcher.output)")
      #expect(await Sandbox.holds { !standIn.requests.isEmpty })
      try home.write("Must not wait.\n", to: "j/two.md")
      #expect(await watcher.prints("saved two.md", within: 8), "\(watcher.output)")
    }
    await standIn.stop()
    let owed = try await home.diary("status", "--json", in: "j")
    #expect(owed.output.contains("one.md"), "\(owed.output)")
  }
}
