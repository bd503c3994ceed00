import Foundation
import TestSupport
import Testing

/// Files that are open in an editor while changes of another device arrive.
@Suite(.serialized) struct SyncOpenFileTests {
  let home: Sandbox
  let devices: TwoDevices
  // vim names a file below the home in its swap file by `~`, so a suite beside this one must not
  // have a file of this name.
  let walk = "2026/11/2026-11-21-open-walk.md"

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
  }

  private func shareEntry(_ text: String) async throws {
    try await devices.setUp()
    try home.write(text, to: "a/" + walk)
    try await devices.syncAll("a", "b")
  }

  @Test func `a file open in vim is updated later, and late saves are merged`()
    async throws
  {
    try home.write("set swapfile nocompatible\n", to: ".vimrc")
    try await shareEntry("One.\n\nTwo.\n\nThree.\n")
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
      // A waiting checkout is not a change by the user.
      try await home.diary("save", in: "b")
      #expect(try await home.git("show", "HEAD:" + walk, in: "b").contains("by a"))

      // Twice, because the second save also comes from the old buffer.
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
    try await devices.syncAll("a", "b")
    let text = try home.read("a/" + walk)
    #expect(text == "One, by a.\n\nTwo.\n\nThree.\nFour, by b.\nFive, by b.\n", "\(text)")
    // Every save of the old buffer can be restored unchanged.
    let saves = try await home.git(
      "log", "-p", "-m", "--first-parent", "--format=", "--glob=refs/diary/saves", in: "b")
    #expect(saves.contains("Five, by b."))
  }

  @Test func `a late save without a swap file does not revert the sync`() async throws {
    try await shareEntry("One.\n\nTwo.\n\nThree.\n")
    try home.write("One.\n\nTwo, and a says more.\n\nThree.\n", to: "a/" + walk)
    try await devices.sync("a")
    try await devices.sync("b")
    #expect(try home.read("b/" + walk).contains("a says more"))
    // The editor read the file before the sync.
    try home.write("One.\n\nTwo.\n\nThree, and b, too.\n", to: "b/" + walk)
    try await devices.syncAll("a", "b")
    let text = try home.read("b/" + walk)
    #expect(text == "One.\n\nTwo, and a says more.\n\nThree, and b, too.\n", "\(text)")
  }

  @Test func `text that the user removes after a sync stays removed`() async throws {
    try await shareEntry("One.\n\nTwo.\n")
    try home.write("One.\n\nTwo.\n\nThree came from a, and so did four.\n", to: "a/" + walk)
    try await devices.sync("a")
    try await devices.sync("b")
    try home.write("One.\n\nTwo.\n\nThree came from a.\n", to: "b/" + walk)
    try await devices.syncAll("a", "b")
    #expect(try home.read("a/" + walk) == "One.\n\nTwo.\n\nThree came from a.\n")
  }

  /// Opens the shared entry in vim on device b, and writes a line after `changes` of other devices.
  private func saveLate(after changes: () async throws -> Void) async throws {
    try home.write("set swapfile nocompatible\n", to: ".vimrc")
    let terminal = try await Terminal(home, in: "b")
    do {
      try await terminal.enter("vim \(walk)")
      #expect(try await terminal.shows("Along the river."))
      try await changes()
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
    try await devices.syncAll("a", "b")
  }

  @Test func `a late save of a file renamed on another device is merged there`() async throws {
    try await shareEntry(
      "---\ntitle: Walk\ndate: 2026-11-21T10:00:00+09:00\n---\n\nAlong the river.\n")
    try await saveLate {
      try await home.diary("rename", "1", "River", in: "a")
      try await devices.sync("a")
      try await devices.sync("b", status: 1)
    }
    #expect(home.files(in: "b") == ["2026/11/2026-11-21-river.md", "INDEX.md"])
    let merged = try home.read("a/2026/11/2026-11-21-river.md")
    #expect(merged.contains("title: River") && merged.contains("And back."), "\(merged)")
  }

  @Test(arguments: ["2026/11/2026-11-21-open-walk.md", "2026/11/2026-11-21-shore.md"])
  func `a late save of a file that another device renamed twice is merged`(last: String)
    async throws
  {
    try await shareEntry("Along the river.\n\nWe had soup.\n\nThen it rained.\n")
    let river = "2026/11/2026-11-21-river.md"
    try await saveLate {
      try await home.run("mv", ["a/" + walk, "a/" + river])
      try await devices.sync("a")
      try await devices.sync("b", status: 1)
      try await home.run("mv", ["a/" + river, "a/" + last])
      let text = try home.read("a/" + last)
      try home.write(text.replacing("soup", with: "soup at noon"), to: "a/" + last)
      try await devices.sync("a")
      try await devices.sync("b", status: 1)
    }
    let merged = try home.read("a/" + last)
    #expect(merged.contains("soup at noon") && merged.contains("And back."), "\(merged)")
    #expect(home.files(in: "b") == [last, "INDEX.md"])
  }

  @Test func `a user moves an entry back, and begins another one at the path of the sync`()
    async throws
  {
    try await shareEntry("Along the river.\n\nWe had soup.\n\nThen it rained.\n")
    let river = "2026/11/2026-11-21-river.md"
    try await home.run("mv", ["a/" + walk, "a/" + river])
    try await devices.syncAll("a", "b")
    try await home.run("mv", ["b/" + river, "b/" + walk])
    let text = try home.read("b/" + walk)
    try home.write(text.replacing("soup", with: "soup at noon"), to: "b/" + walk)
    try home.write("A new day.\n", to: "b/" + river)
    try await devices.syncAll("b", "a")
    for device in ["a", "b"] {
      #expect(try home.read("\(device)/" + walk).contains("soup at noon"))
      #expect(try home.read("\(device)/" + walk).contains("Then it rained."))
      #expect(try home.read("\(device)/" + river) == "A new day.\n")
    }
  }

  @Test func `an entry takes back its name after a sync has moved the other one of that name away`()
    async throws
  {
    try await devices.setUp()
    try home.write("---\ndate: 2026-11-19\n---\n\nThe lake was cold.\n", to: "a/lake.md")
    try home.write("---\ndate: 2026-11-20\n---\n\nWe walked to the lake.\n", to: "b/lake.md")
    try await devices.syncAll("a", "b", "a")
    // The merge of two new files of one name gives one of them another name.
    let renamed = try #require(
      home.files(in: "b").first { $0.hasPrefix("lake-") })
    let (kept, other) = (try home.read("b/lake.md"), try home.read("b/" + renamed))
    try await home.run("mv", ["a/lake.md", "a/water.md"])
    try await devices.syncAll("a", "b")
    #expect(try home.read("b/water.md") == kept)
    try await home.run("mv", ["b/" + renamed, "b/lake.md"])
    try await devices.syncAll("b", "a", "b")
    for device in ["a", "b"] {
      #expect(try home.read("\(device)/lake.md") == other)
      #expect(try home.read("\(device)/water.md") == kept)
      #expect(!home.exists("\(device)/" + renamed))
    }
  }

  @Test func `restoring an older version after a sync is not merged`() async throws {
    try await shareEntry("First words of the day.\n")
    try home.write("First words of the day, and many more from a.\n", to: "a/" + walk)
    try await devices.sync("a")
    try await devices.sync("b")
    try await home.diary("restore", walk, "--at", "1", in: "b")
    try await devices.syncAll("a", "b")
    #expect(try home.read("a/" + walk) == "First words of the day.\n")
  }

  @Test func `two watchers sync every save`() async throws {
    home.setAutosave(settle: "200ms", sitting: "1s")
    home.set("DIARY_SYNC__PUSH_AFTER", "0s")
    home.set("DIARY_SYNC__FETCH_EVERY", "10s")
    try await devices.setUp()
    let (home, program) = (home, Sandbox.programs + "/diary")
    try await BackgroundProcess.run(home, program, ["watch", "--sync"], in: "a") {
      (one: BackgroundProcess) async throws -> Void in
      try await BackgroundProcess.run(home, program, ["watch", "--sync"], in: "b") {
        (other: BackgroundProcess) async throws -> Void in
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
    try await devices.syncAll("a", "b")
  }

  @Test func `a watcher without a remote starts no sync timer`() async throws {
    try await home.diary("init", "a")
    try await BackgroundProcess.run(
      home, Sandbox.programs + "/diary", ["watch", "--sync"], in: "a"
    ) {
      (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      #expect(!watcher.output.contains("sync"), "\(watcher.output)")
    }
  }
}
