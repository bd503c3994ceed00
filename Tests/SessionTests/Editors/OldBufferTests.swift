import Foundation
import TestSupport
import Testing

/// Editors without swap files that never reload and show the text from before a sync. None of their
/// saves reverts the text of another device.
@Suite(.serialized) struct OldBufferTests {
  let home: Sandbox
  let devices: TwoDevices
  let entryFile = "2026-11-22.md"
  let originalText = "---\ndate: 2026-11-22\n---\n\nWe met at the station.\n"
  let remoteText = "Mina told me that she will move to Busan in the spring."
  let typedText = "Then I walked home through the rain."

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
    home.setAutosave(settle: "200ms", sitting: "1s")
    home.set("DIARY_SYNC__PUSH_AFTER", "0s")
    home.set("DIARY_SYNC__FETCH_EVERY", "10s")
  }

  /// Creates the entry on both devices; then `b` changes it and pushes.
  private func changeOnOtherDevice() async throws {
    try await devices.setUp()
    try home.write(originalText, to: "a/" + entryFile)
    try await devices.syncAll("a", "b")
    try home.write(originalText + "\n\(remoteText)\n", to: "b/" + entryFile)
    try await devices.sync("b")
  }

  private func hasText(_ words: String, _ device: String = "a") throws -> Bool {
    try home.read("\(device)/\(entryFile)").contains(words)
  }

  /// Expects that every device has these texts exactly once after all have synced.
  private func expectAll(_ words: String...) async throws {
    try await devices.syncAll("a", "b")
    for device in ["a", "b"] {
      let text = try home.read("\(device)/\(entryFile)")
      for sentence in words {
        #expect(text.components(separatedBy: sentence).count == 2, "\(sentence): \(text)")
      }
    }
  }

  /// Waits longer than the `settle` time.
  private func pause(_ seconds: Double = 1.2) async {
    _ = await Sandbox.holds(within: seconds) { false }
  }

  @Test(arguments: [["watch"], ["watch", "--sync"]])
  func `a save long after the sync is merged by a watcher`(_ watch: [String]) async throws {
    try await changeOnOtherDevice()
    let (home, program) = (home, Sandbox.programs + "/diary")
    try await BackgroundProcess.run(home, program, watch, in: "a") {
      (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      if watch.count == 1 { try await devices.sync("a") }
      #expect(try await Sandbox.holds { try hasText(remoteText) })
      await pause()
      try home.write(originalText + "\n\(typedText)\n", to: "a/" + entryFile)
      // The watcher writes the merged text; then the buffer that is still open is saved once more.
      #expect(try await Sandbox.holds { try hasText(remoteText) }, "\(watcher.output)")
      await pause()
      try home.write(originalText + "\n\(typedText)\n\nIt was late.\n", to: "a/" + entryFile)
      #expect(try await Sandbox.holds { try hasText(remoteText) }, "\(watcher.output)")
    }
    try await expectAll(remoteText, typedText, "It was late.")
  }

  @Test func `a watcher restart before the save keeps both texts`() async throws {
    try await changeOnOtherDevice()
    let (home, program) = (home, Sandbox.programs + "/diary")
    for round in 0..<2 {
      try await BackgroundProcess.run(home, program, ["watch"], in: "a") {
        (watcher: BackgroundProcess) async throws -> Void in
        #expect(await watcher.prints("watching"), "\(watcher.output)")
        if round == 0 { try await devices.sync("a") }
        await pause()
      }
    }
    try home.write(originalText + "\n\(typedText)\n", to: "a/" + entryFile)
    try await expectAll(remoteText, typedText)
  }

  @Test(arguments: ["add", "chmod", "touch", "restore and back", "add and undo", "status"])
  func `other changes between the sync and the save keep both texts`(_ what: String) async throws {
    try await changeOnOtherDevice()
    try await devices.sync("a")
    let path = home.homePath + "/a/" + entryFile
    switch what {
    case "add": try await home.diary("add", "--to", path, "A paragraph of a command.", in: "a")
    case "add and undo":
      try await home.diary("add", "--to", path, "A paragraph of a command.", in: "a")
      try await home.diary("undo", "--yes", in: "a")
    case "restore and back":
      try await home.diary("add", "--to", path, "A paragraph of a command.", in: "a")
      try await home.diary("restore", entryFile, "--at", "1", in: "a")
    case "chmod": try await home.run("chmod", ["755", path])
    case "touch": try await home.run("touch", [path])
    default: try await home.diary("status", in: "a")
    }
    try await home.diary("save", in: "a")
    #expect(try hasText(remoteText))
    try home.write(originalText + "\n\(typedText)\n", to: "a/" + entryFile)
    try await expectAll(remoteText, typedText)
    if what == "add" { #expect(try hasText("A paragraph of a command.", "b")) }
  }

  @Test func `several syncs while one buffer is open keep all texts`() async throws {
    try await changeOnOtherDevice()
    let (home, program) = (home, Sandbox.programs + "/diary")
    try await BackgroundProcess.run(home, program, ["watch"], in: "a") {
      (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      for number in 1...3 {
        try await devices.sync("a")
        await pause(0.6)
        try await devices.sync("b")
        let text = try home.read("b/" + entryFile)
        try home.write(text + "\nLetter \(number) came from the bank.\n", to: "b/" + entryFile)
        try await devices.sync("b")
      }
      try await devices.sync("a")
      await pause(0.6)
      try home.write(originalText + "\n\(typedText)\n", to: "a/" + entryFile)
      #expect(try await Sandbox.holds { try hasText(remoteText) }, "\(watcher.output)")
    }
    try await expectAll(
      remoteText, typedText, "Letter 1 came from the bank.", "Letter 2 came from the bank.",
      "Letter 3 came from the bank.")
  }

  @Test func `an editor started by diary keeps both texts`() async throws {
    try await changeOnOtherDevice()
    // It reads the file, waits, and writes the text with one more line.
    let editor = try home.script(
      "slow",
      "text=$(cat \"$1\"); touch \"$HOME/reads\"\n"
        + "while [ ! -e \"$HOME/write\" ]; do sleep 0.1; done\n"
        + "printf '%s\\n\\n%s\\n' \"$text\" '\(typedText)' > \"$1\"\n")
    home.set("EDITOR", editor)
    let (home, program) = (home, Sandbox.programs + "/diary")
    try await BackgroundProcess.run(home, program, ["edit", entryFile], in: "a") {
      (edit: BackgroundProcess) async throws -> Void in
      #expect(await Sandbox.holds { home.exists("reads") })
      try await devices.sync("a")
      #expect(try hasText(remoteText))
      try home.write("", to: "write")
      #expect(try await Sandbox.holds { try hasText(typedText) }, "\(edit.output)")
      await pause()
    }
    #expect(try hasText(remoteText) && hasText(typedText))
    try await expectAll(remoteText, typedText)
  }

  @Test func `two editors that never reload keep all texts with watchers`() async throws {
    try await devices.setUp()
    try home.write(originalText, to: "a/" + entryFile)
    try await devices.syncAll("a", "b")
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
    var buffers = ["a": originalText, "b": originalText]
    for _ in 1...2 {
      let (before, said) = (buffers, sentences)
      (buffers, sentences) = try await BackgroundProcess.run(home, program, ["watch"], in: "a") {
        (one: BackgroundProcess) async throws -> ([String: String], [String]) in
        try await BackgroundProcess.run(home, program, ["watch"], in: "b") {
          (other: BackgroundProcess) async throws -> ([String: String], [String]) in
          #expect(await one.prints("watching"), "\(one.output)")
          #expect(await other.prints("watching"), "\(other.output)")
          var (buffers, sentences) = (before, said)
          for _ in 1...3 {
            for device in ["a", "b"] {
              let sentence = all[sentences.count]
              let buffer = (buffers[device] ?? "") + "\n\(sentence)\n"
              buffers[device] = buffer
              sentences.append(sentence)
              try home.write(buffer, to: "\(device)/\(entryFile)")
              await pause(0.8)
              for device in ["a", "b"] { try await devices.sync(device) }
              await pause(0.8)
            }
          }
          return (buffers, sentences)
        }
      }
    }
    try await devices.syncAll("a", "b")
    let text = try home.read("a/" + entryFile)
    for sentence in sentences {
      #expect(text.components(separatedBy: sentence).count == 2, "\(sentence): \(text)")
    }
  }
}
