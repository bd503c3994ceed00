import Foundation
import Testing

@testable import DiaryKit

/// How each editor is told where to open an entry, and which of them wait.
@Suite struct EditorCommandTests {
  private func editor(_ line: String) -> EditorCommand { EditorCommand(line) { _ in nil } }

  @Test(arguments: [
    "vi", "vim", "nvim", "nano", "emacs -nw", "micro", "joe", "kak", "/usr/bin/nano -w",
    "TERM=xterm vim -X", "env LC_ALL=C nano",
  ])
  func `takes the line before the file`(_ line: String) {
    #expect(editor(line).arguments(opening: "/j/a.md", at: 6) == ["+6", "/j/a.md"])
    #expect(editor(line).isBlocking)
  }

  @Test(arguments: ["hx", "helix", "subl --wait", "subl -w"])
  func `takes the line behind the file`(_ line: String) {
    #expect(editor(line).arguments(opening: "/j/a.md", at: 6) == ["/j/a.md:6"])
    #expect(editor(line).isBlocking)
  }

  @Test(arguments: ["code --wait", "codium -w", "code-insiders --wait"])
  func `takes the line with an option`(_ line: String) {
    #expect(editor(line).arguments(opening: "/j/a.md", at: 6) == ["--goto", "/j/a.md:6"])
    #expect(editor(line).isBlocking)
  }

  @Test(arguments: ["sed -i 1iHello", "sh -c 'vim'", "my-editor"])
  func `an editor that is not known gets the file alone`(_ line: String) {
    #expect(editor(line).arguments(opening: "/j/a.md", at: 6) == ["/j/a.md"])
    #expect(!editor(line).isBlocking)
  }

  @Test func `the first line needs no argument`() {
    #expect(editor("vim").arguments(opening: "/j/a.md", at: 1) == ["/j/a.md"])
  }

  @Test(arguments: ["code", "subl", "gvim", "zed"])
  func `a window of its own does not wait unless it is told to`(_ line: String) {
    #expect(!editor(line).isBlocking)
  }

  @Test func `a link is followed to the program`() throws {
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
