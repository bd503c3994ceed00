import Foundation
import TestSupport
import Testing

/// vim and Neovim with swap files in a separate folder: an entry is still recognized as open.
@Suite(.serialized) struct SwapElsewhereTests {
  /// The settings and the command of an editor.
  struct Editor: Sendable, CustomTestStringConvertible {
    var program: String
    var settings: String
    var testDescription: String { "\(program), \(settings)" }
  }

  static let editors = [
    Editor(program: "vim", settings: "set nocompatible swapfile directory=~/.vim/swap//"),
    Editor(program: "vim", settings: "set nocompatible swapfile directory=~/.vim/swap"),
    Editor(program: "nvim", settings: "\" its own"),
  ]

  let home: Sandbox
  let devices: TwoDevices
  // vim names a file below the home in its swap file by `~`, so a suite beside this one must not
  // have a file of this name.
  let walk = "2026/11/2026-11-21-walk-elsewhere.md"
  let text = "---\ntitle: Walk\ndate: 2026-11-21T10:00:00+09:00\n---\n\nAlong the river.\n"

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
    try home.write("", to: ".vim/swap/keep")
  }

  @Test(arguments: editors)
  func `an open entry is not changed by commands or sync`(_ editor: Editor) async throws {
    try home.write(editor.settings + "\n", to: ".vimrc")
    try await devices.setUp()
    try home.write(text, to: "b/" + walk)
    try await devices.syncAll("b", "a")
    let terminal = try await Terminal(home, in: "b")
    do {
      try await terminal.enter("\(editor.program) \(walk)")
      #expect(try await terminal.shows("Along the river."))
      #expect(!home.exists("b/2026/11/.2026-11-21-walk-elsewhere.md.swp"))

      let path = home.homePath + "/b/" + walk
      let added = try await home.diary("add", "--to", path, "By a command.", in: "b")
      #expect(added.status == 1 && added.errors.contains("is open in an editor"), "\(added)")
      #expect(added.errors.contains("By a command."))
      let renamed = try await home.diary("rename", walk, "River", in: "b")
      #expect(renamed.status == 1 && renamed.errors.contains("is open in an editor"), "\(renamed)")
      try home.write(text + "\nAnd back.\n", to: "a/" + walk)
      try await devices.sync("a")
      let waits = try await devices.sync("b", status: 1)
      #expect(
        waits.errors.contains("Not updated yet: \(walk) is open in an editor"), "\(waits.errors)")
      let restored = try await home.diary("restore", walk, "--at", "1", in: "b")
      #expect(restored.errors.contains("is open in an editor"), "\(restored)")
      #expect(try home.read("b/" + walk) == text)

      try await terminal.enter(":q")
      #expect(try await terminal.shows("$"))
    } catch {
      await terminal.close()
      throw error
    }
    await terminal.close()
    // The shell shows its prompt before the editor has exited.
    let isBack = try await Sandbox.holds {
      try await home.diary("save", in: "b")
      return try home.read("b/" + walk).contains("And back.")
    }
    #expect(isBack)
    let added = try await home.diary("add", "--to", home.homePath + "/b/" + walk, "Later.", in: "b")
    #expect(added.status == 0, "\(added)")
  }
}
