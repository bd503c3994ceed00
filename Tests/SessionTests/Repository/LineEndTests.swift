import Foundation
import TestSupport
import Testing

/// A device on which git's checkout changes line ends: `core.autocrlf`, and the attributes `text`
/// and `eol`.
@Suite struct LineEndTests {
  struct Case: Sendable, CustomTestStringConvertible {
    /// Arguments of `git config` on the device.
    var config: [String] = []
    /// Attributes on the device.
    var attributes = ""
    /// The text of an entry as a program on the device writes it.
    var text: String

    var testDescription: String { "\(config) \(attributes) \(text.debugDescription)" }
  }

  static let crlf = ["core.autocrlf", "true"]
  static let cases = [
    Case(config: crlf, text: "# X\n\none\ntwo\n"),
    Case(config: crlf, text: "# X\r\n\r\none\r\ntwo\r\n"),
    Case(config: crlf, text: "# X\n\r\none\r\ntwo\n"),
    Case(config: ["core.autocrlf", "input"], text: "# X\r\n\r\none\r\ntwo\r\n"),
    Case(attributes: "*.md text eol=crlf\n", text: "# X\n\none\ntwo\n"),
    Case(attributes: "*.md text eol=lf\n", text: "# X\r\n\r\none\r\ntwo\r\n"),
    Case(attributes: "*.md text eol=lf\n", text: "# X\n\r\none\r\ntwo\n"),
    Case(attributes: "*.md ident\n", text: "# X\n\n$Id$\n\none\ntwo\n"),
  ]

  static let fewCases = [cases[0], cases[2], cases[5]]

  let home: Sandbox
  let devices: TwoDevices

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
  }

  private func arrange(_ example: Case) async throws {
    try await devices.setUp()
    if !example.config.isEmpty {
      _ = try await home.run("git", ["config"] + example.config, in: "a")
    }
    if !example.attributes.isEmpty {
      let old = try home.read("a/.git/info/attributes")
      try home.write(old + example.attributes, to: "a/.git/info/attributes")
    }
    try home.write(example.text, to: "a/x.md")
    try await devices.sync("a")
    try await devices.sync("b")
  }

  /// The bytes that a git checkout writes on the device.
  private func checkout() async throws -> String {
    try await home.git("cat-file", "--filters", "HEAD:x.md", in: "a")
  }

  @Test(arguments: cases)
  func `another device's text is checked out with git's line ends`(_ example: Case)
    async throws
  {
    try await arrange(example)
    #expect(try home.read("a/x.md") == example.text)
    try home.write(try home.read("b/x.md") + "from b\n", to: "b/x.md")
    try await devices.sync("b")
    let synced = try await devices.sync("a")
    #expect(!synced.errors.contains("Not updated yet"), "\(synced)")
    #expect(try home.read("a/x.md").contains("from b"))
    // Diary does not expand `$Id$`.
    let isIdent = example.attributes.contains("ident")
    if !isIdent { #expect(try await home.read("a/x.md") == checkout()) }
    #expect(try await home.git("status", "--porcelain", in: "a") == "")
    let again = try await devices.sync("a")
    #expect(again.errors.contains("nothing new") && !again.errors.contains("Saved"), "\(again)")
  }

  @Test(arguments: fewCases)
  func `text of both devices is merged`(_ example: Case) async throws {
    try await arrange(example)
    try home.write(try home.read("b/x.md") + "\nfrom b\n", to: "b/x.md")
    try await devices.sync("b")
    // The file is open in an editor, so its checkout is deferred.
    try home.write("b0VIM 8.2", to: "a/.x.md.swp")
    try await home.diary("sync", in: "a")
    try FileManager.default.removeItem(atPath: home.homePath + "/a/.x.md.swp")
    try home.write(example.text.replacing("one", with: "one of a"), to: "a/x.md")
    try await devices.sync("a")
    for device in ["a", "b", "a"] { try await devices.sync(device) }
    let tips = try await [
      home.git("rev-parse", "HEAD", in: "a"), home.git("rev-parse", "HEAD", in: "b"),
    ]
    #expect(tips[0] == tips[1])
    for device in ["a", "b"] {
      let text = try home.read(device + "/x.md")
      #expect(text.contains("one of a") && text.contains("from b"), "\(device): \(text)")
    }
    #expect(try home.read("b/x.md").split(separator: "from b").count == 2)
  }

  @Test(arguments: fewCases)
  func `restore, undo and delete treat a checked-out file as saved`(_ example: Case) async throws {
    try await arrange(example)
    let status = try await home.diary("status", "--json", in: "a")
    #expect(status.output.contains("\"unsaved\":[]"), "\(status)")
    let saved = try await home.diary("save", in: "a")
    #expect(saved.errors.contains("Everything is saved."), "\(saved)")
    try home.write(example.text.replacing("two", with: "three"), to: "a/x.md")
    try await home.diary("save", in: "a")
    let restored = try await home.diary("restore", "x.md", "--at", "1", in: "a")
    #expect(restored.status == 0, "\(restored)")
    #expect(try home.read("a/x.md").contains("two"))
    let undone = try await home.diary("undo", "--yes", in: "a")
    #expect(undone.status == 0, "\(undone)")
    #expect(try home.read("a/x.md").contains("three"))
    let deleted = try await home.diary("delete", "x.md", "--yes", in: "a")
    #expect(deleted.status == 0, "\(deleted)")
    #expect(!home.exists("a/x.md"))
    #expect(try await home.diary("undo", "--yes", in: "a").status == 0)
    #expect(try home.read("a/x.md").contains("three"))
    #expect(try await home.git("status", "--porcelain", in: "a") == "")
  }
}
