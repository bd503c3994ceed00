import Foundation
import TestSupport
import Testing

/// An entry that has a second name (a hard link) outside the journal.
@Suite(.serialized) struct HardLinkTests {
  let home: Sandbox
  let text = "---\ndate: 2026-11-20\n---\n\nOne.\n"

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "200ms", sitting: "1s")
    try await home.diary("init", "j")
    try home.write("Zero.\n", to: "j/a.md")
    try await home.diary("save", in: "j")
    try home.write(text, to: "j/a.md")
    try await home.diary("save", in: "j")
    try FileManager.default.linkItem(
      atPath: home.homePath + "/j/a.md", toPath: home.homePath + "/outside.md")
  }

  private func append(_ text: String, to name: String) async throws {
    try await home.run("sh", ["-c", "printf '%s\\n' \"$1\" >> \"$2\"", "sh", text, name])
  }

  @Test func `the watcher saves changes written through the other name`() async throws {
    let home = home
    try await BackgroundProcess.run(home, Sandbox.programs + "/diary", ["watch"], in: "j") {
      (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      try await append("Through the other name.", to: "outside.md")
      #expect(await watcher.prints("saved a.md"), "\(watcher.output)")
      // An entry that gets its second name while the watcher runs, and is written in between.
      try home.write("New.\n", to: "j/b.md")
      #expect(await watcher.prints("saved b.md"), "\(watcher.output)")
      try FileManager.default.linkItem(
        atPath: home.homePath + "/j/b.md", toPath: home.homePath + "/outside-b.md")
      try await append("More.", to: "j/b.md")
      #expect(
        try await Sandbox.holds {
          try await home.git("log", "-p", "--all", "-m", in: "j").contains("+More.")
        }, "\(watcher.output)")
      try await append("Through the second one.", to: "outside-b.md")
      #expect(
        try await Sandbox.holds {
          try await home.git("log", "-p", "--all", "-m", in: "j").contains("the second one")
        }, "\(watcher.output)")
    }
  }

  @Test func `no command breaks the hard link`() async throws {
    for words in [["add", "--to", "a.md", "Precious."], ["restore", "a.md", "--at", "1"]] {
      let refused = try await home.run(Sandbox.programs + "/diary", words, in: "j")
      #expect(refused.status == 1, "\(refused)")
      #expect(refused.errors.contains("another name (a hard link)"), "\(refused.errors)")
      if words[0] == "add" { #expect(refused.errors.contains("Precious.")) }
      #expect(try home.read("j/a.md") == text && home.read("outside.md") == text)
    }
    let renamed = try await home.diary("rename", "a.md", "Other", in: "j")
    #expect(renamed.status == 1 && home.exists("j/a.md"), "\(renamed)")
    // Follow the advice of the message.
    try await home.run("sh", ["-c", "cp -p j/a.md a.new && mv a.new j/a.md"])
    #expect(try await home.diary("add", "--to", "a.md", "Precious.", in: "j").status == 0)
    #expect(try home.read("outside.md") == text)
  }
}
