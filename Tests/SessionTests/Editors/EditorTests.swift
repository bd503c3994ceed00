import Foundation
import TestSupport
import Testing

/// Real editors in a real terminal with a watcher. One sitting is one commit, every save can be
/// restored, the stamp is written after the editor closes, and the editor never notices Diary.
@Suite(.serialized) struct EditorTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "200ms", sitting: "4s")
    try await home.diary("init", "j")
  }

  @Test func `vim with swap and backup`() async throws {
    try home.write("set backup writebackup swapfile nocompatible\n", to: ".vimrc")
    try await expectOneSitting("vim") { (terminal: Terminal) async throws -> Void in
      try await terminal.enter("vim 2026-walk.md")
      #expect(try await terminal.shows("[New]"))
      for number in 1...3 {
        try await terminal.type("oLine \(number) of vim.")
        try await terminal.press("Escape")
        try await terminal.enter(":w")
        #expect(try await isSaved("Line \(number) of vim."))
      }
      try await expectNoWarning(terminal)
      try await terminal.enter(":q")
    }
  }

  @Test func `nano`() async throws {
    try home.write("set locking\nset backup\n", to: ".nanorc")
    try await expectOneSitting("nano") { (terminal: Terminal) async throws -> Void in
      try await terminal.enter("nano 2026-walk.md")
      #expect(try await terminal.shows("GNU nano"))
      for number in 1...3 {
        try await terminal.type("Line \(number) of nano.")
        try await terminal.press("Enter", "C-s")
        // Some versions ask for a name at the first save of a new buffer.
        #expect(try await isSaved("Line \(number) of nano."))
      }
      try await expectNoWarning(terminal)
      try await terminal.press("C-x")
    }
  }

  @Test func `emacs`() async throws {
    try await expectOneSitting("emacs") { (terminal: Terminal) async throws -> Void in
      try await terminal.enter("emacs -nw -q 2026-walk.md")
      #expect(try await terminal.shows("(New file)"))
      for number in 1...3 {
        try await terminal.type("Line \(number) of emacs.")
        try await terminal.press("Enter", "C-x", "C-s")
        #expect(try await isSaved("Line \(number) of emacs."))
      }
      try await expectNoWarning(terminal)
      try await terminal.press("C-x", "C-c")
    }
  }

  /// Runs one sitting with a watcher: `body` saves `2026-walk.md` three times and quits.
  private func expectOneSitting(
    _ editor: String, _ body: @escaping @Sendable (Terminal) async throws -> Void
  ) async throws {
    try await withWatcher { (watcher: BackgroundProcess, terminal: Terminal) async throws -> Void in
      try await body(terminal)
      #expect(await watcher.prints("added the date to 2026-walk.md"), "\(watcher.output)")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
    }
    let text = try home.read("j/2026-walk.md")
    #expect(text.hasPrefix("---\ndate: "), "no stamp: \(text)")
    for number in 1...3 { #expect(text.contains("Line \(number) of \(editor).")) }
    // The initial commit and one commit for the sitting.
    try await expectOnlyTheEntry(commits: 2)
    for number in 1...3 { #expect(try await isSaved("Line \(number) of \(editor).")) }
  }

  /// Runs `body` with a terminal in the journal and a watcher, which must end normally.
  func withWatcher(
    _ body: @escaping @Sendable (BackgroundProcess, Terminal) async throws -> Void
  ) async throws {
    try await home.withWatcher { watcher in
      try await withTerminal { try await body(watcher, $0) }
    }
  }

  /// Runs `body` with a terminal in the journal, and always closes it.
  func withTerminal(_ body: @Sendable (Terminal) async throws -> Void) async throws {
    let terminal = try await Terminal(home, in: "j")
    do { try await body(terminal) } catch {
      await terminal.close()
      throw error
    }
    await terminal.close()
  }

  /// Expects that only `2026-walk.md` is in commits and saves, and that it is fully committed.
  func expectOnlyTheEntry(commits: Int) async throws {
    #expect(try await home.git("rev-list", "--count", "HEAD", in: "j") == "\(commits)\n")
    let taken = try await home.git("log", "--all", "-m", "--name-only", "--format=", in: "j")
    let names = Set(taken.split(separator: "\n").map(String.init))
    #expect(names == ["2026-walk.md", ".diary/config.yml"], "\(names)")
    let left = try await home.git("status", "--porcelain", in: "j").split(separator: "\n")
    // An editor's own copies and lock may remain; the entry itself must be committed.
    let isTheEditors = left.allSatisfy {
      $0.hasSuffix("~") || $0.hasSuffix("#") || $0.hasPrefix("?? .#")
    }
    #expect(isTheEditors, "\(left)")
    try await home.git("fsck", "--strict", "--full", in: "j")
  }

  /// Whether a save contains the line before the timeout.
  func isSaved(_ line: String) async throws -> Bool {
    try await Sandbox.holds { try await saves().contains(line) }
  }

  /// All texts in the saves.
  func saves() async throws -> String {
    try await home.git(
      "log", "-p", "-m", "--first-parent", "--format=", "--glob=refs/diary/saves", in: "j")
  }

  func expectNoWarning(_ terminal: Terminal) async throws {
    let screen = try await terminal.screen()
    #expect(!Self.isWarning(screen), "\(screen)")
  }

  /// Whether an editor warns that its file was changed or is locked by another program.
  static func isWarning(_ screen: String) -> Bool {
    let words = [
      // vim
      "changed since", "w11", "w12", "w13", "w16", "e325",
      // nano
      "file on disk has changed", "was modified since", "is being edited by",
      // Emacs, which also uses vim's phrases
      "changed on disk", "locked by",
    ]
    let screen = screen.lowercased()
    return words.contains { screen.contains($0) }
  }
}
