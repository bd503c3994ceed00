import Foundation
import TestSupport
import Testing

/// The completions in three real shells: the line after a Tab, and the result of running it.
@Suite(.serialized) struct CompletionTests {
  static let shells = ["bash", "zsh", "fish"]
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.set("LC_ALL", "C.UTF-8")
    home.set("PAGER", "cat")
    try await home.diary("init", "diary")
    for (title, tag, text) in [
      ("Walk by the river", "family", "Rain."), ("강가를 걸었다", "가족", "안개."),
      ("Lunch: soup & 'n \"bread\" $(touch pwned) `x`", "family/kids", "Onions."),
    ] {
      let words = ["new", title, "-m", text, "--tag", tag, "--date", "2026-11-20"]
      #expect(try await home.run("diary", words).status == 0)
    }
    try await home.diary("new", "Old", "-m", "Long ago.", "--date", "2019-05-06")
    try home.write("x", to: "photo one.jpg")
    try FileManager.default.createDirectory(
      atPath: home.homePath + "/elsewhere", withIntermediateDirectories: false)
    let folder = Project.root.path + "/packaging/completions"
    try home.write(". '\(folder)/diary.bash'\nPS1='ready>'\n", to: "bash.rc")
    try home.write(
      "fpath=('\(folder)' $fpath); autoload -Uz compinit; compinit -u -D\nPS1='ready>'\n",
      to: ".zshrc")
    try home.write(
      "function fish_prompt; echo -n 'ready>'; end; set -g fish_greeting\n"
        + "source '\(folder)/diary.fish'\n", to: ".config/fish/config.fish")
  }

  /// Runs `body` in a terminal with the shell.
  private func withShell(_ shell: String, _ body: (Terminal) async throws -> Void) async throws {
    let terminal = try await Terminal(home, in: "", columns: 160)
    try await terminal.enter(shell == "bash" ? "exec bash --rcfile ~/bash.rc -i" : "exec " + shell)
    #expect(try await terminal.shows("ready>"))
    do { try await body(terminal) } catch {
      await terminal.close()
      throw error
    }
    await terminal.close()
  }

  /// Types text, presses Tab, waits until the line shows `end`, then runs the line.
  private func expect(
    _ typed: String, _ end: String, _ output: String?, in terminal: Terminal, _ shell: String
  ) async throws {
    try await terminal.type(typed)
    #expect(try await terminal.shows(typed, within: 20), "\(shell): \(typed)")
    try await terminal.press("Tab")
    let isShown = try await terminal.shows(end, within: 20)
    let screen = try await terminal.screen()
    #expect(isShown, "\(shell): \(typed)\n\(screen)")
    if let output {
      try await terminal.press("Enter")
      let isDone = try await terminal.shows(output, within: 20)
      let screen = try await terminal.screen()
      #expect(isDone, "\(shell): \(typed)\n\(screen)")
    }
    // No interrupt, because the shell might receive it only while the next line is typed.
    try await terminal.press("C-u", "C-l")
    #expect(try await Sandbox.holds { try await !terminal.screen().contains(typed) })
  }

  @Test(arguments: shells)
  func `a title is completed with quotes and selects its entry`(_ shell: String) async throws {
    try await withShell(shell) { terminal in
      try await expect("diary show wal", "river", "Rain.", in: terminal, shell)
      try await expect("diary show 강", "걸었다", "안개.", in: terminal, shell)
      try await expect("diary show Lun", "pwned", "Onions.", in: terminal, shell)
      try await expect("diary show 'Walk b", "river", "Rain.", in: terminal, shell)
      try await expect("diary show \"Lunch: s", "pwned", "Onions.", in: terminal, shell)
      try await expect("diary show 2019", "2019-05-06", "Long ago.", in: terminal, shell)
    }
    #expect(!home.exists("pwned"))
  }

  @Test(arguments: shells)
  func `commands, options, values, files and folders are completed`(_ shell: String) async throws {
    try home.write("journals: {work: ~/diary}\n", to: ".config/diary/config.yml")
    try await withShell(shell) { terminal in
      try await expect("diary onth", "diary onthisday", nil, in: terminal, shell)
      try await expect("diary list --rev", "--reverse", nil, in: terminal, shell)
      try await expect("diary list --tag 가", "가족", "강가를", in: terminal, shell)
      try await expect("diary list --tag=가", "가족", "강가를", in: terminal, shell)
      try await expect("diary share 1 --format ht", "html", nil, in: terminal, shell)
      try await expect("diary -j wo", "work", nil, in: terminal, shell)
      try await expect("diary new --template morn", "morning-pages", nil, in: terminal, shell)
      try await expect("diary config unit", "units", nil, in: terminal, shell)
      try await expect("diary config units imp", "imperial", nil, in: terminal, shell)
      try await expect("diary import phot", "one.jpg", nil, in: terminal, shell)
      try await expect("diary --journal else", "elsewhere/", nil, in: terminal, shell)
      try await expect("diary weather fi", "fill", nil, in: terminal, shell)
    }
  }
}
