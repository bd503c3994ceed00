import Foundation
import Testing

@testable import DiaryKit

/// The arguments with which each editor opens an entry at a line, and which editors wait.
@Suite struct EditorCommandTests {
  private func editor(_ line: String) -> EditorCommand { EditorCommand(line) { _ in nil } }

  @Test(arguments: [
    "vi", "vim", "nvim", "nano", "emacs -nw", "micro", "joe", "kak", "/usr/bin/nano -w",
    "TERM=xterm vim -X", "env LC_ALL=C nano",
  ])
  func `the line comes before the file`(_ line: String) {
    #expect(editor(line).arguments(opening: "/j/a.md", at: 6) == ["+6", "/j/a.md"])
    #expect(editor(line).isBlocking)
  }

  @Test(arguments: ["hx", "helix", "subl --wait", "subl -w"])
  func `the line comes after the file`(_ line: String) {
    #expect(editor(line).arguments(opening: "/j/a.md", at: 6) == ["/j/a.md:6"])
    #expect(editor(line).isBlocking)
  }

  @Test(arguments: ["code --wait", "codium -w", "code-insiders --wait"])
  func `the line is passed with an option`(_ line: String) {
    #expect(editor(line).arguments(opening: "/j/a.md", at: 6) == ["--goto", "/j/a.md:6"])
    #expect(editor(line).isBlocking)
  }

  @Test(arguments: ["sed -i 1iHello", "sh -c 'vim'", "my-editor"])
  func `an unknown editor gets only the file`(_ line: String) {
    #expect(editor(line).arguments(opening: "/j/a.md", at: 6) == ["/j/a.md"])
    #expect(!editor(line).isBlocking)
  }

  @Test func `the first line needs no argument`() {
    #expect(editor("vim").arguments(opening: "/j/a.md", at: 1) == ["/j/a.md"])
  }

  @Test(arguments: ["code", "subl", "gvim", "zed"])
  func `an editor with its own window does not wait without its option`(_ line: String) {
    #expect(!editor(line).isBlocking)
  }

  @Test func `a symbolic link to the program is resolved`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (link, program) in [("editor", "vim.basic"), ("vi", "busybox")] {
      try Data().write(to: folder.appendingPathComponent(program))
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/" + link, withDestinationPath: program)
    }
    let system = EditorCommand("editor") { _ in folder.path + "/editor" }
    #expect(system.arguments(opening: "a.md", at: 2) == ["+2", "a.md"] && system.isBlocking)
    let small = EditorCommand("vi") { _ in folder.path + "/vi" }
    #expect(small.arguments(opening: "a.md", at: 2) == ["a.md"] && small.isBlocking)
  }
}
