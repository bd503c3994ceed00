import Foundation
import TestSupport
import Testing

/// Editors that are killed, save often, or leave many files next to the entry.
extension EditorTests {
  @Test func `a killed vim leaves a swap file, and recovered text is saved`() async throws {
    try home.write("set swapfile updatecount=1 nocompatible\n", to: ".vimrc")
    home.set("DIARY_AUTOSAVE__SITTING", "1m")
    try await withWatcher { (watcher: BackgroundProcess, terminal: Terminal) async throws -> Void in
      try await terminal.enter("sh -c 'echo $$ > ../vim; exec vim 2026-walk.md'")
      #expect(try await terminal.shows("[New]"))
      try await terminal.type("oLine 1 of vim.")
      try await terminal.press("Escape")
      try await terminal.enter(":w")
      #expect(try await isSaved("Line 1 of vim."))
      #expect(!watcher.output.contains("added the "), "vim has it open: \(watcher.output)")
      try await terminal.type("oLine 2 of vim.")
      try await terminal.press("Escape")
      #expect(
        await Sandbox.holds { swap.range(of: Data("Line 2 of vim.".utf8)) != nil })
      let vim = try #require(Int32(try home.read("vim").dropLast()))
      #expect(kill(vim, SIGKILL) == 0)
      #expect(try await terminal.shows("Killed"))
      #expect(home.exists("j/.2026-walk.md.swp"))
      #expect(try await !saves().contains("Line 2"))
      try await recover(terminal)
      #expect(try await isSaved("Line 2 of vim."))
      try FileManager.default.removeItem(atPath: home.homePath + "/j/.2026-walk.md.swp")
      let isStamped = try await Sandbox.holds {
        try home.read("j/2026-walk.md").hasPrefix("---\ndate: ")
      }
      #expect(isStamped, "\(watcher.output)")
    }
    let text = try home.read("j/2026-walk.md")
    #expect(text.hasSuffix("---\n\nLine 1 of vim.\nLine 2 of vim.\n"), "\(text)")
    #expect(text.components(separatedBy: "date:").count == 2, "\(text)")
    #expect(try await home.git("show", "HEAD:2026-walk.md", in: "j") == text)
    try await expectOnlyTheEntry(commits: 2)
  }

  /// The content of vim's swap file.
  private var swap: Data {
    FileManager.default.contents(atPath: home.homePath + "/j/.2026-walk.md.swp") ?? Data()
  }

  /// Uses a new terminal, because a killed vim leaves the old one without echo.
  private func recover(_ terminal: Terminal) async throws {
    try await terminal.press("C-j")
    try await terminal.type("stty sane")
    try await terminal.press("C-j")
    try await terminal.enter("clear; vim -r 2026-walk.md")
    #expect(try await terminal.shows("Recovery completed"))
    try await terminal.press("Enter")
    #expect(try await terminal.shows("Line 2 of vim."))
    try await terminal.enter(":w")
    #expect(try await terminal.shows("written"))
    try await expectNoWarning(terminal)
    try await terminal.enter(":q")
  }

  @Test func `vim saves two hundred times in a row`() async throws {
    try home.write("set backup writebackup swapfile nocompatible\n", to: ".vimrc")
    try home.write(
      "for turn in range(1, 200)\n  call setline(1, 'Turn ' . turn . ' of vim.')\n  write\nendfor\n",
      to: "loop.vim")
    home.set("DIARY_AUTOSAVE__SITTING", "1m")
    try await withWatcher { (watcher: BackgroundProcess, terminal: Terminal) async throws -> Void in
      try await terminal.enter("vim 2026-walk.md")
      #expect(try await terminal.shows("[New]"))
      try await terminal.enter(":silent source ../loop.vim")
      #expect(try await isSaved("+Turn 200 of vim."), "\(watcher.output)")
      try await expectNoWarning(terminal)
      try await terminal.enter(":q")
      #expect(await watcher.prints("added the date to 2026-walk.md"), "\(watcher.output)")
    }
    #expect(try home.read("j/2026-walk.md").hasSuffix("Turn 200 of vim.\n"))
    try await expectOnlyTheEntry(commits: 2)
  }

  @Test func `emacs auto-saves every twenty keys and keeps a backup`() async throws {
    try home.write("---\ndate: 2026-01-02\n---\n\nBegun before.\n", to: "j/2026-walk.md")
    try await home.diary("save", in: "j")
    home.set("DIARY_AUTOSAVE__SITTING", "1m")
    try await withWatcher { (watcher: BackgroundProcess, terminal: Terminal) async throws -> Void in
      // By default, Emacs makes no backups in a repository or below /tmp.
      let wishes = "vc-make-backup-files t backup-enable-predicate 'stringp auto-save-interval 20"
      try await terminal.enter("emacs -nw -q --eval \"(setq \(wishes))\" 2026-walk.md")
      #expect(try await terminal.shows("Begun before."))
      try await terminal.press("M->")
      for number in 1...3 {
        try await terminal.type("Line \(number) of emacs, long enough.")
        #expect(await Sandbox.holds { home.exists("j/#2026-walk.md#") })
        // The file exists for longer than the settle time.
        try await Task.sleep(for: .milliseconds(500))
        #expect(try await !saves().contains("Line \(number) of emacs"))
        try await terminal.press("Enter", "C-x", "C-s")
        #expect(try await isSaved("Line \(number) of emacs"))
        #expect(try home.read("j/2026-walk.md~").hasSuffix("Begun before.\n"))
        try await expectNoWarning(terminal)
      }
      // The last text is not saved, so it is only in Emacs' auto-save file.
      try await terminal.type("Line 4 of emacs, taken back.")
      #expect(await Sandbox.holds { home.exists("j/#2026-walk.md#") })
      try await Task.sleep(for: .milliseconds(500))
    }
    try await expectOnlyTheEntry(commits: 3)
    #expect(try await !saves().contains("Line 4"))
  }

  @Test(arguments: ["vim", "nano", "emacs -nw -q"])
  func `an editor's warning about an external change is recognized`(
    _ editor: String
  ) async throws {
    try home.write("Begun.\n", to: "j/2026-walk.md")
    try await withTerminal { terminal in
      try await terminal.enter(editor + " 2026-walk.md")
      #expect(try await terminal.shows("Begun."))
      try await expectNoWarning(terminal)
      try home.write("Written by another.\n", to: "j/2026-walk.md")
      // nano compares times in whole seconds.
      try await home.run("touch", ["-d", "1 minute", "2026-walk.md"], in: "j")
      // Emacs asks at the first key; further keys would answer the question.
      try await terminal.type("i")
      switch editor {
      case "vim":
        try await terminal.press("Escape")
        try await terminal.enter(":w")
      case "nano": try await terminal.press("C-s")
      default: break
      }
      let isWarned = try await Sandbox.holds {
        Self.isWarning(try await terminal.screen())
      }
      let screen = try await terminal.screen()
      #expect(isWarned, "\(screen)")
    }
  }
}
