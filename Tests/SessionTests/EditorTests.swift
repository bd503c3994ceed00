import Foundation
import TestSupport
import Testing

/// Real editors in a real terminal beside the watcher: one sitting is one commit, every save can be
/// had back, the stamp comes when the editor has let go, and the editor never notices Diary.
@Suite(.serialized) struct EditorTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.set("DIARY_AUTOSAVE__SETTLE", "200ms")
    home.set("DIARY_AUTOSAVE__SITTING", "4s")
    try await home.diary("init", "j")
  }

  @Test func `vim with swap and backup`() async throws {
    try home.write("set backup writebackup swapfile nocompatible\n", to: ".vimrc")
    try await sitting("vim") { (terminal: Terminal) async throws -> Void in
      try await terminal.enter("vim 2026-walk.md")
      #expect(try await terminal.shows("[New]"))
      for number in 1...3 {
        try await terminal.type("oLine \(number) of vim.")
        try await terminal.press("Escape")
        try await terminal.enter(":w")
        #expect(try await keeps("Line \(number) of vim."))
      }
      try await noWarning(terminal)
      try await terminal.enter(":q")
    }
  }

  @Test func `nano`() async throws {
    try home.write("set locking\nset backup\n", to: ".nanorc")
    try await sitting("nano") { (terminal: Terminal) async throws -> Void in
      try await terminal.enter("nano 2026-walk.md")
      #expect(try await terminal.shows("GNU nano"))
      for number in 1...3 {
        try await terminal.type("Line \(number) of nano.")
        try await terminal.press("Enter", "C-s")
        // A new buffer asks for its name the first time on some versions.
        #expect(try await keeps("Line \(number) of nano."))
      }
      try await noWarning(terminal)
      try await terminal.press("C-x")
    }
  }

  @Test func `emacs`() async throws {
    try await sitting("emacs") { (terminal: Terminal) async throws -> Void in
      try await terminal.enter("emacs -nw -q 2026-walk.md")
      #expect(try await terminal.shows("(New file)", within: 30))
      for number in 1...3 {
        try await terminal.type("Line \(number) of emacs.")
        try await terminal.press("Enter", "C-x", "C-s")
        #expect(try await keeps("Line \(number) of emacs."))
      }
      try await noWarning(terminal)
      try await terminal.press("C-x", "C-c")
    }
  }

  /// One sitting: the watcher runs, `body` writes `2026-walk.md` in three saves and quits.
  private func sitting(
    _ editor: String, _ body: @escaping @Sendable (Terminal) async throws -> Void
  ) async throws {
    let home = home
    try await Background.running(home, Sandbox.programs + "/diary", ["watch", "-v"], in: "j") {
      (watcher: Background) async throws -> Void in
      #expect(await watcher.prints("watching"))
      let terminal = try await Terminal(home, in: "j")
      do { try await body(terminal) } catch {
        await terminal.close()
        throw error
      }
      #expect(await watcher.prints("stamped 2026-walk.md"), "\(watcher.output)")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
      await terminal.close()
      watcher.signal(SIGINT)
      #expect(await watcher.prints("ended"), "\(watcher.output)")
    }
    let text = try home.read("j/2026-walk.md")
    #expect(text.hasPrefix("---\ndate: "), "no stamp: \(text)")
    for number in 1...3 { #expect(text.contains("Line \(number) of \(editor).")) }
    // One commit for the sitting, beside the journal's first.
    #expect(try await home.git("rev-list", "--count", "HEAD", in: "j") == "2\n")
    let taken = try await home.git("log", "--all", "--name-only", "--format=", in: "j")
    let names = Set(taken.split(separator: "\n").map(String.init))
    #expect(names == ["2026-walk.md", ".diary/config.yml"], "\(names)")
    for number in 1...3 { #expect(try await keeps("Line \(number) of \(editor).")) }
    let left = try await home.git("status", "--porcelain", in: "j").split(separator: "\n")
    // An editor's own backup may stay beside the entry; nothing of the entry is uncommitted.
    #expect(left.allSatisfy { $0.hasSuffix("~") }, "\(left)")
    try await home.git("fsck", "--strict", "--full", in: "j")
  }

  /// Whether some save holds the line as its newest, soon.
  private func keeps(_ line: String) async throws -> Bool {
    try await Sandbox.holds(within: 30) {
      try await home.git(
        "log", "-p", "-m", "--first-parent", "--format=", "--glob=refs/diary/saves", in: "j"
      ).contains(line)
    }
  }

  private func noWarning(_ terminal: Terminal) async throws {
    let screen = try await terminal.screen().lowercased()
    for word in ["changed since", "changed on disk", "w12", "w11", "was modified by"] {
      #expect(!screen.contains(word), "\(screen)")
    }
  }
}
