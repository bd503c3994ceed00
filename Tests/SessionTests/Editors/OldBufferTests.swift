import Foundation
import TestSupport
import Testing

/// Editors that leave no trace, never reload and still show the text from before a sync: none of
/// their saves takes back what another device wrote.
@Suite(.serialized) struct OldBufferTests {
  let home: Sandbox
  let devices: TwoDevices
  let day = "2026-11-22.md"
  let old = "---\ndate: 2026-11-22\n---\n\nWe met at the station.\n"
  let came = "Mina told me that she will move to Busan in the spring."
  let typed = "Then I walked home through the rain."

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
    home.set("DIARY_AUTOSAVE__SETTLE", "200ms")
    home.set("DIARY_AUTOSAVE__SITTING", "1s")
    home.set("DIARY_SYNC__PUSH_AFTER", "0s")
    home.set("DIARY_SYNC__FETCH_EVERY", "10s")
  }

  /// Both devices have the entry; then `b` writes into it and sends it.
  private func written() async throws {
    try await devices.joined()
    try home.write(old, to: "a/" + day)
    try await devices.settle("a", "b")
    try home.write(old + "\n\(came)\n", to: "b/" + day)
    try await devices.sync("b")
  }

  private func isThere(_ words: String, _ device: String = "a") throws -> Bool {
    try home.read("\(device)/\(day)").contains(words)
  }

  /// Every device has these words once, after everyone has heard everyone.
  private func expectAll(_ words: String...) async throws {
    try await devices.settle("a", "b")
    for device in ["a", "b"] {
      let text = try home.read("\(device)/\(day)")
      for sentence in words {
        #expect(text.components(separatedBy: sentence).count == 2, "\(sentence): \(text)")
      }
    }
  }

  /// Longer than `settle`.
  private func pause(_ seconds: Double = 1.2) async {
    _ = await Sandbox.holds(within: seconds) { false }
  }

  @Test(arguments: [["watch"], ["watch", "--sync"]])
  func `a save long after the sync, beside a watcher`(_ watch: [String]) async throws {
    try await written()
    let (home, program) = (home, Sandbox.programs + "/diary")
    try await Background.running(home, program, watch, in: "a") {
      (watcher: Background) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      if watch.count == 1 { try await devices.sync("a") }
      #expect(try await Sandbox.holds { try isThere(came) })
      await pause()
      try home.write(old + "\n\(typed)\n", to: "a/" + day)
      // The merged text follows by itself, and the buffer that is still open is saved once more.
      #expect(try await Sandbox.holds { try isThere(came) }, "\(watcher.output)")
      await pause()
      try home.write(old + "\n\(typed)\n\nIt was late.\n", to: "a/" + day)
      #expect(try await Sandbox.holds { try isThere(came) }, "\(watcher.output)")
    }
    try await expectAll(came, typed, "It was late.")
  }

  @Test func `a watcher that is started anew in between`() async throws {
    try await written()
    let (home, program) = (home, Sandbox.programs + "/diary")
    for round in 0..<2 {
      try await Background.running(home, program, ["watch"], in: "a") {
        (watcher: Background) async throws -> Void in
        #expect(await watcher.prints("watching"), "\(watcher.output)")
        if round == 0 { try await devices.sync("a") }
        await pause()
      }
    }
    try home.write(old + "\n\(typed)\n", to: "a/" + day)
    try await expectAll(came, typed)
  }

  @Test(arguments: ["add", "chmod", "touch", "restore and back", "add and undo", "status"])
  func `what happens between the sync and the save`(_ what: String) async throws {
    try await written()
    try await devices.sync("a")
    let path = home.home + "/a/" + day
    switch what {
    case "add": try await home.diary("add", "--to", path, "A paragraph of a command.", in: "a")
    case "add and undo":
      try await home.diary("add", "--to", path, "A paragraph of a command.", in: "a")
      try await home.diary("undo", "--yes", in: "a")
    case "restore and back":
      try await home.diary("add", "--to", path, "A paragraph of a command.", in: "a")
      try await home.diary("restore", day, "--at", "1", in: "a")
    case "chmod": try await home.run("chmod", ["755", path])
    case "touch": try await home.run("touch", [path])
    default: try await home.diary("status", in: "a")
    }
    try await home.diary("save", in: "a")
    #expect(try isThere(came))
    try home.write(old + "\n\(typed)\n", to: "a/" + day)
    try await expectAll(came, typed)
    if what == "add" { #expect(try isThere("A paragraph of a command.", "b")) }
  }

  @Test func `several syncs, one after another, while one old text is open`() async throws {
    try await written()
    let (home, program) = (home, Sandbox.programs + "/diary")
    try await Background.running(home, program, ["watch"], in: "a") {
      (watcher: Background) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      for number in 1...3 {
        try await devices.sync("a")
        await pause(0.6)
        try await devices.sync("b")
        let text = try home.read("b/" + day)
        try home.write(text + "\nLetter \(number) came from the bank.\n", to: "b/" + day)
        try await devices.sync("b")
      }
      try await devices.sync("a")
      await pause(0.6)
      try home.write(old + "\n\(typed)\n", to: "a/" + day)
      #expect(try await Sandbox.holds { try isThere(came) }, "\(watcher.output)")
    }
    try await expectAll(
      came, typed, "Letter 1 came from the bank.", "Letter 2 came from the bank.",
      "Letter 3 came from the bank.")
  }

  @Test func `an editor that diary itself has opened`() async throws {
    try await written()
    // It reads the file, waits, and writes what it read and a line more.
    let editor = try home.script(
      "slow",
      "text=$(cat \"$1\"); touch \"$HOME/reads\"\n"
        + "while [ ! -e \"$HOME/write\" ]; do sleep 0.1; done\n"
        + "printf '%s\\n\\n%s\\n' \"$text\" '\(typed)' > \"$1\"\n")
    home.set("EDITOR", editor)
    let (home, program) = (home, Sandbox.programs + "/diary")
    try await Background.running(home, program, ["edit", day], in: "a") {
      (edit: Background) async throws -> Void in
      #expect(await Sandbox.holds { home.exists("reads") })
      try await devices.sync("a")
      #expect(try isThere(came))
      try home.write("", to: "write")
      #expect(try await Sandbox.holds { try isThere(typed) }, "\(edit.output)")
      await pause()
    }
    #expect(try isThere(came) && isThere(typed))
    try await expectAll(came, typed)
  }

  @Test func `two writers who never reload, beside watchers`() async throws {
    try await devices.joined()
    try home.write(old, to: "a/" + day)
    try await devices.settle("a", "b")
    let (home, program) = (home, Sandbox.programs + "/diary")
    let all = [
      "Grandmother baked a plum cake.", "Our train stood still near Daejeon.",
      "Wild geese flew over roofs.", "Nobody answered my letters.",
      "Snow fell until midnight.", "Two boys found some coins.",
      "Fresh bread smells best.", "Their dog limps since Monday.",
      "Every lamp went dark.", "Uncle Paul sold his boat.",
      "Children sang behind us.", "Seven candles burned down slowly.",
    ]
    var sentences: [String] = []
    var buffers = ["a": old, "b": old]
    for _ in 1...2 {
      let (before, said) = (buffers, sentences)
      (buffers, sentences) = try await Background.running(home, program, ["watch"], in: "a") {
        (one: Background) async throws -> ([String: String], [String]) in
        try await Background.running(home, program, ["watch"], in: "b") {
          (other: Background) async throws -> ([String: String], [String]) in
          #expect(await one.prints("watching"), "\(one.output)")
          #expect(await other.prints("watching"), "\(other.output)")
          var (buffers, sentences) = (before, said)
          for _ in 1...3 {
            for device in ["a", "b"] {
              let sentence = all[sentences.count]
              let buffer = (buffers[device] ?? "") + "\n\(sentence)\n"
              buffers[device] = buffer
              sentences.append(sentence)
              try home.write(buffer, to: "\(device)/\(day)")
              await pause(0.8)
              for device in ["a", "b"] { try await devices.sync(device) }
              await pause(0.8)
            }
          }
          return (buffers, sentences)
        }
      }
    }
    try await devices.settle("a", "b")
    let text = try home.read("a/" + day)
    for sentence in sentences {
      #expect(text.components(separatedBy: sentence).count == 2, "\(sentence): \(text)")
    }
  }
}
