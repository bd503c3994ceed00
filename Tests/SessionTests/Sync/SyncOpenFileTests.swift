import Foundation
import TestSupport
import Testing

/// Files that an editor holds while another device's words arrive.
@Suite(.serialized) struct SyncOpenFileTests {
  let home: Sandbox
  let devices: TwoDevices
  let walk = "2026/11/2026-11-21-walk.md"

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
  }

  private func shared(_ text: String) async throws {
    try await devices.joined()
    try home.write(text, to: "a/" + walk)
    try await devices.settle("a", "b")
  }

  @Test func `a file that vim holds waits, its late saves are merged, and nothing is taken back`()
    async throws
  {
    try home.write("set swapfile nocompatible\n", to: ".vimrc")
    try await shared("One.\n\nTwo.\n\nThree.\n")
    let terminal = try await Terminal(home, in: "b")
    do {
      try await terminal.enter("vim \(walk)")
      #expect(try await terminal.shows("Three."))
      try home.write("One, by a.\n\nTwo.\n\nThree.\n", to: "a/" + walk)
      try await devices.sync("a")
      let waits = try await devices.sync("b", status: 1)
      #expect(
        waits.errors.contains("Not updated yet: \(walk) is open in an editor"), "\(waits.errors)")
      #expect(try home.read("b/" + walk) == "One.\n\nTwo.\n\nThree.\n")
      let status = try await home.diary("status", in: "b")
      #expect(status.output.contains("to update      \(walk)"), "\(status.output)")
      #expect(!status.output.contains("unsaved"), "\(status.output)")
      // What waits is no change of the writer's.
      try await home.diary("save", in: "b")
      #expect(try await home.git("show", "HEAD:" + walk, in: "b").contains("by a"))

      // Twice, for the second save comes from the same old buffer as the first.
      try await terminal.type("GoFour, by b.")
      try await terminal.press("Escape")
      try await terminal.enter(":w")
      #expect(try await terminal.shows("written"))
      try await home.diary("save", in: "b")
      let merged = try await home.git("show", "HEAD:" + walk, in: "b")
      #expect(merged.contains("One, by a.") && merged.contains("Four, by b."), "\(merged)")
      try await terminal.type("oFive, by b.")
      try await terminal.press("Escape")
      try await terminal.enter(":w")
      #expect(
        try await Sandbox.holds { try home.read("b/" + walk).contains("Five") })
      try await devices.sync("b", status: 1)
      let screen = try await terminal.screen()
      #expect(!screen.contains("W11") && !screen.contains("W12"), "\(screen)")
      try await terminal.enter(":q")
      #expect(try await terminal.shows("$"))
    } catch {
      await terminal.close()
      throw error
    }
    await terminal.close()
    try await devices.settle("a", "b")
    let text = try home.read("a/" + walk)
    #expect(text == "One, by a.\n\nTwo.\n\nThree.\nFour, by b.\nFive, by b.\n", "\(text)")
    // Every save of the old buffer can be had back, as it was.
    let saves = try await home.git(
      "log", "-p", "-m", "--first-parent", "--format=", "--glob=refs/diary/saves", in: "b")
    #expect(saves.contains("Five, by b."))
  }

  @Test func `a late save of an editor that leaves no trace takes nothing back`() async throws {
    try await shared("One.\n\nTwo.\n\nThree.\n")
    try home.write("One.\n\nTwo, and a says more.\n\nThree.\n", to: "a/" + walk)
    try await devices.sync("a")
    try await devices.sync("b")
    #expect(try home.read("b/" + walk).contains("a says more"))
    // Its buffer was read before the sync.
    try home.write("One.\n\nTwo.\n\nThree, and b, too.\n", to: "b/" + walk)
    try await devices.settle("a", "b")
    let text = try home.read("b/" + walk)
    #expect(text == "One.\n\nTwo, and a says more.\n\nThree, and b, too.\n", "\(text)")
  }

  @Test func `what the writer takes back after having seen it stays away`() async throws {
    try await shared("One.\n\nTwo.\n")
    try home.write("One.\n\nTwo.\n\nThree came from a, and so did four.\n", to: "a/" + walk)
    try await devices.sync("a")
    try await devices.sync("b")
    try home.write("One.\n\nTwo.\n\nThree came from a.\n", to: "b/" + walk)
    try await devices.settle("a", "b")
    #expect(try home.read("a/" + walk) == "One.\n\nTwo.\n\nThree came from a.\n")
  }

  @Test func `a file that vim holds is renamed elsewhere: its late save follows`() async throws {
    try home.write("set swapfile nocompatible\n", to: ".vimrc")
    let text = "---\ntitle: Walk\ndate: 2026-11-21T10:00:00+09:00\n---\n\nAlong the river.\n"
    try await shared(text)
    let terminal = try await Terminal(home, in: "b")
    do {
      try await terminal.enter("vim \(walk)")
      #expect(try await terminal.shows("Along the river."))
      try await home.diary("rename", "1", "River", in: "a")
      try await devices.sync("a")
      try await devices.sync("b", status: 1)
      try await terminal.type("GoAnd back.")
      try await terminal.press("Escape")
      try await terminal.enter(":wq")
      #expect(try await terminal.shows("$"))
      #expect(try await Sandbox.holds { try home.read("b/" + walk).contains("back") })
    } catch {
      await terminal.close()
      throw error
    }
    await terminal.close()
    try await devices.settle("a", "b")
    #expect(home.files(in: "b") == ["2026/11/2026-11-21-river.md", "INDEX.md"])
    let merged = try home.read("a/2026/11/2026-11-21-river.md")
    #expect(merged.contains("title: River") && merged.contains("And back."), "\(merged)")
  }

  @Test func `restoring an older version after a sync is the writer's word`() async throws {
    try await shared("First words of the day.\n")
    try home.write("First words of the day, and many more from a.\n", to: "a/" + walk)
    try await devices.sync("a")
    try await devices.sync("b")
    try await home.diary("restore", walk, "--at", "1", in: "b")
    try await devices.settle("a", "b")
    #expect(try home.read("a/" + walk) == "First words of the day.\n")
  }

  @Test func `two watchers carry every save across`() async throws {
    home.set("DIARY_AUTOSAVE__SETTLE", "200ms")
    home.set("DIARY_AUTOSAVE__SITTING", "1s")
    home.set("DIARY_SYNC__PUSH_AFTER", "0s")
    home.set("DIARY_SYNC__FETCH_EVERY", "10s")
    try await devices.joined()
    let (home, program) = (home, Sandbox.programs + "/diary")
    try await Background.running(home, program, ["watch", "--sync"], in: "a") {
      (one: Background) async throws -> Void in
      try await Background.running(home, program, ["watch", "--sync"], in: "b") {
        (other: Background) async throws -> Void in
        #expect(await one.prints("syncing with \"origin\""), "\(one.output)")
        #expect(await other.prints("syncing with \"origin\""), "\(other.output)")
        try home.write("From a.\n", to: "a/2026-11-20.md")
        try home.write("From b.\n", to: "b/2026-11-21.md")
        let met = await Sandbox.holds {
          home.exists("a/2026-11-21.md") && home.exists("b/2026-11-20.md")
        }
        #expect(met, "\(one.output)\n\(other.output)")
        try await home.run("mv", ["remote.git", "away.git"])
        #expect(await one.prints("sync failed, will retry"), "\(one.output)")
      }
    }
    try await home.run("mv", ["away.git", "remote.git"])
    try await devices.settle("a", "b")
  }

  @Test func `a watcher without a remote watches, and sets no timer for it`() async throws {
    try await home.diary("init", "a")
    try await Background.running(home, Sandbox.programs + "/diary", ["watch", "--sync"], in: "a") {
      (watcher: Background) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      #expect(!watcher.output.contains("sync"), "\(watcher.output)")
    }
  }
}
