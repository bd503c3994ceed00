import Foundation
import TestSupport
import Testing

/// The user's own `git commit` while its hook runs: Diary does not change the branch.
@Suite(.serialized) struct CommitHookTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "200ms", sitting: "500ms")
    try await home.diary("init", "j")
    try home.write("mine\n", to: "j/.mine")
    try await home.git("add", "-f", ".mine", in: "j")
    try await home.git("config", "alias.ci", "commit", in: "j")
  }

  private func hook(_ name: String, _ lines: String) async throws {
    try home.write("#!/bin/sh\n" + lines + "\n", to: "j/.git/hooks/" + name)
    try await home.run("chmod", ["755", home.homePath + "/j/.git/hooks/" + name])
  }

  @Test(arguments: ["commit", "ci"], ["pre-commit", "commit-msg"])
  func `a sitting is committed after the hook`(_ command: String, _ name: String) async throws {
    try await hook(name, "touch \"$HOME/begun\"; while [ ! -e \"$HOME/go\" ]; do sleep 0.1; done")
    let home = home
    try await BackgroundProcess.run(home, Sandbox.programs + "/diary", ["watch"], in: "j") {
      (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      async let commit = home.run("git", [command, "-m", "by hand"], in: "j")
      #expect(await Sandbox.holds { home.exists("begun") })
      try home.write("Typed meanwhile.\n", to: "j/a.md")
      #expect(
        await watcher.prints("commits are on hold (commit in progress)"), "\(watcher.output)")
      try home.write("", to: "go")
      let result = try await commit
      #expect(result.status == 0, "\(result.errors)")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
    }
    #expect(try await home.git("log", "--format=%s", "-2", in: "j").contains("by hand"))
    #expect(try await home.git("show", "HEAD:a.md", in: "j").contains("Typed meanwhile.\n"))
    #expect(try await home.git("show", "HEAD:.mine", in: "j") == "mine\n")
  }

  @Test(arguments: ["commit", "ci"])
  func `a command in a hook saves now and commits later`(_ command: String) async throws {
    try home.write("One.\n", to: "j/a.md")
    try await home.diary("save", in: "j")
    try await hook(
      "pre-commit",
      "'\(Sandbox.programs)/diary' add --to \"$HOME/j/a.md\" 'By the hook.' 2> \"$HOME/said\"")
    let result = try await home.run("git", [command, "-m", "by hand"], in: "j")
    let said = try home.read("said")
    #expect(result.status == 0, "\(result.errors) \(said)")
    #expect(try home.read("j/a.md").contains("By the hook."))
    #expect(said.contains("commit in progress"), "\(said)")
    #expect(try await home.git("show", "HEAD:a.md", in: "j") == "One.\n")
    #expect(try await home.git("log", "-1", "--format=%s", in: "j") == "by hand\n")
    try await home.diary("save", in: "j")
    #expect(try await home.git("show", "HEAD:a.md", in: "j").contains("By the hook."))
  }

  @Test func `a running git pager does not defer a commit`() async throws {
    home.set("GIT_PAGER", "sh -c 'sleep 30'")
    let home = home
    try await BackgroundProcess.run(home, "git", ["-p", "log"], in: "j") {
      (_: BackgroundProcess) async throws -> Void in
      try home.write("Words.\n", to: "j/a.md")
      let saved = try await home.diary("save", in: "j")
      #expect(saved.status == 0 && !saved.errors.contains("on hold"), "\(saved)")
    }
    #expect(try await home.git("show", "HEAD:a.md", in: "j") == "Words.\n")
  }
}
