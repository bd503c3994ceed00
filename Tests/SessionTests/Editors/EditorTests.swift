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
      #expect(try await terminal.shows("(New file)"))
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
    try await watched { (watcher: Background, terminal: Terminal) async throws -> Void in
      try await body(terminal)
      #expect(await watcher.prints("added the date to 2026-walk.md"), "\(watcher.output)")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
    }
    let text = try home.read("j/2026-walk.md")
    #expect(text.hasPrefix("---\ndate: "), "no stamp: \(text)")
    for number in 1...3 { #expect(text.contains("Line \(number) of \(editor).")) }
    // One commit for the sitting, beside the journal's first.
    try await expectOnlyTheEntry(commits: 2)
    for number in 1...3 { #expect(try await keeps("Line \(number) of \(editor).")) }
  }

  /// A terminal in the journal beside the watcher, which ends well.
  func watched(
    _ body: @escaping @Sendable (Background, Terminal) async throws -> Void
  ) async throws {
    let home = home
    try await Background.running(home, Sandbox.programs + "/diary", ["watch", "-v"], in: "j") {
      (watcher: Background) async throws -> Void in
      #expect(await watcher.prints("watching"))
      try await inTerminal { try await body(watcher, $0) }
      watcher.signal(SIGINT)
      #expect(await watcher.prints("ended"), "\(watcher.output)")
    }
  }

  /// A terminal in the journal, closed whatever comes.
  func inTerminal(_ body: @Sendable (Terminal) async throws -> Void) async throws {
    let terminal = try await Terminal(home, in: "j")
    do { try await body(terminal) } catch {
      await terminal.close()
      throw error
    }
    await terminal.close()
  }

  /// No commit and no save has another file than `2026-walk.md`, and nothing of it is left over.
  func expectOnlyTheEntry(commits: Int) async throws {
    #expect(try await home.git("rev-list", "--count", "HEAD", in: "j") == "\(commits)\n")
    let taken = try await home.git("log", "--all", "-m", "--name-only", "--format=", in: "j")
    let names = Set(taken.split(separator: "\n").map(String.init))
    #expect(names == ["2026-walk.md", ".diary/config.yml"], "\(names)")
    let left = try await home.git("status", "--porcelain", in: "j").split(separator: "\n")
    // An editor's own copies and lock may stay; nothing of the entry is uncommitted.
    let isTheEditors = left.allSatisfy {
      $0.hasSuffix("~") || $0.hasSuffix("#") || $0.hasPrefix("?? .#")
    }
    #expect(isTheEditors, "\(left)")
    try await home.git("fsck", "--strict", "--full", in: "j")
  }

  /// Whether some save holds the line as its newest, soon.
  func keeps(_ line: String) async throws -> Bool {
    try await Sandbox.holds { try await saves().contains(line) }
  }

  /// Every text that the saves can bring back.
  func saves() async throws -> String {
    try await home.git(
      "log", "-p", "-m", "--first-parent", "--format=", "--glob=refs/diary/saves", in: "j")
  }

  func noWarning(_ terminal: Terminal) async throws {
    let screen = try await terminal.screen()
    #expect(!Self.isWarning(screen), "\(screen)")
  }

  /// Whether an editor says there that somebody else has written its file, or holds it.
  static func isWarning(_ screen: String) -> Bool {
    let words = [
      // vim
      "changed since", "w11", "w12", "w13", "w16", "e325",
      // nano
      "file on disk has changed", "was modified since", "is being edited by",
      // Emacs, which also says what vim says
      "changed on disk", "locked by",
    ]
    let screen = screen.lowercased()
    return words.contains { screen.contains($0) }
  }
}
