import Foundation
import TestSupport
import Testing

/// A journal with content from an attacker: nothing of it crashes Diary, hangs it, runs a program,
/// or has an effect outside its folder.
@Suite(.serialized) struct HostileTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
    try home.write("# Real\n\nkingfisher\n", to: "j/2026-01-01-real.md")
    try home.write("# Outside\n\nkingfisher magpie\n", to: "outside/secret.md")
  }

  /// Runs each command with a timeout, so that a hang is a failure.
  func expectNoHarm(_ commands: [[String]], _ sourceLocation: SourceLocation = #_sourceLocation)
    async throws
  {
    for command in commands {
      let result = try await diary(command)
      #expect(
        // A check that finds something, and a save that leaves out an entry, exit with 1.
        [0, ["check", "save"].contains(command[0]) ? 1 : 0, 2].contains(result.status),
        "\(command): \(result)",
        sourceLocation: sourceLocation)
      #expect(
        !result.output.contains("magpie"), "\(command) read outside: \(result)",
        sourceLocation: sourceLocation)
    }
  }

  func diary(_ command: [String]) async throws -> Sandbox.ProgramResult {
    try await home.run("timeout", ["20", Sandbox.programs + "/diary"] + command, in: "j")
  }

  func script(_ text: String) async throws {
    let made = try await home.run("sh", ["-c", "set -e\n" + text], in: "j")
    #expect(made.status == 0, "\(made.errors)")
  }

  static let commands: [[String]] = [
    ["list"], ["show", "1"], ["search", "kingfisher"], ["search", "magpie"], ["status"],
    ["check"], ["share", "1"], ["save"], ["history", "1"], ["list"],
  ]

  /// The head of a shell loop over 21 names.
  static let eachName = #"""
    for name in "$(printf 'new\nline')" "$(printf '2026-01-02-\377')" é "$(printf 'e\314\201')" \
      -n --help ' lead' 'trail ' '*' '[a]' '$(touch harm)' '`touch harm`' ';touch harm;' \
      ':(glob)x' '!x' '#x' '@{-1}' HEAD "$(printf '\033[31mred\033]0;t\007')" \
      "$(printf 'a\342\200\256b')" "$(printf '%0252d' 0)"

    """#

  @Test func `names of all kinds are entries and not commands`() async throws {
    try await script(
      Self.eachName + #"do printf '# A title\n\nkingfisher\n' > "./$name.md"; done"#)
    try await expectNoHarm(Self.commands)
    #expect(try await diary(["list"]).output.split(separator: "\n").count == 22)
    let kept = try await home.git("ls-files", "-z", "*.md", in: "j")
    #expect(kept.split(separator: "\0").count == 22)
    for name in ["-n.md", "--help.md", "*.md", ":(glob)x.md"] {
      try await expectNoHarm([["show", "--", name], ["history", "--", name]])
    }
    #expect(!home.exists("j/harm"))
  }

  @Test func `links, pipes, sockets and too large files are neither read nor saved`() async throws {
    try await script(
      """
      ln -s ../outside/secret.md link.md; ln -s ../outside/secret.md link.png; ln -s ../outside out
      ln -s . loop; ln -s loop.md loop.md; ln -s /dev/zero zero.md; mkfifo pipe.md pipe.png
      truncate -s 1G big.md; mkdir folder.md
      printf '![](pipe.png) ![](link.png) ![](../outside/p.png)\\n' >> 2026-01-01-real.md
      """)
    try await expectNoHarm(Self.commands)
    let kept = try await home.git("ls-files", in: "j")
    #expect(kept == ".diary/config.yml\n2026-01-01-real.md\n")
    let save = try await diary(["save"])
    #expect(save.errors.contains("link.md cannot be read: a symbolic link is in the way"))
    #expect(save.status == 1 && save.errors.contains("big.md is larger than 50 MB"), "\(save)")
    let status = try await diary(["status", "--json"])
    #expect(
      status.output.contains(#"{"path":"big.md","reason":"is larger than 50 MB"}"#), "\(status)")
    try await BackgroundProcess.run(home, Sandbox.programs + "/diary", ["watch"], in: "j") {
      (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("watching"))
      try await script(
        "mkfifo later.md; rm 2026-01-01-real.md; ln -s ../outside/secret.md 2026-01-01-real.md")
      try home.write("Still here.\n", to: "j/2026-01-03.md")
      #expect(await watcher.prints("saved 2026-01-03.md"), "\(watcher.output)")
      watcher.signal(SIGTERM)
    }
    let blobs = try await home.run("git", ["log", "--all", "-p"], in: "j")
    #expect(!blobs.output.contains("magpie") && !blobs.output.contains("new file mode 120000"))
  }

  @Test func `shared settings run nothing and affect nothing outside`() async throws {
    let harm = home.homePath + "/harm"
    try home.write(
      """
      layout: ../../outside/{slug}.md
      template: ../../outside/secret
      index: {file: ../outside/list.md}
      editor: touch \(harm)
      hooks: {after_save: [touch, \(harm)]}
      weather: {command: [touch, \(harm)], url: "http://127.0.0.1:9/"}
      sync: {remote: "ext::touch \(harm)"}

      """, to: "j/.diary/config.yml")
    try await script(
      """
      mkdir hooks; printf '#!/bin/sh\\ntouch \(harm)\\n' > hooks/post-commit; chmod +x hooks/*
      cp hooks/post-commit hooks/pre-commit; git config core.hooksPath hooks
      """)
    let new = try await diary(["new", "Hello", "--message", "x"])
    #expect(new.status == 0)
    for key in ["layout", "template", "index.file", "editor", "hooks", "weather", "sync.remote"] {
      #expect(new.errors.contains(key), "\(key): \(new.errors)")
    }
    try await expectNoHarm(Self.commands)
    _ = try await diary(["sync"])
    #expect(!home.exists("harm") && home.files(in: "outside") == ["secret.md"])
  }

  @Test(arguments: ["mkfifo", "ln -s ../../outside/secret.md", "mkdir", "truncate -s 1G"])
  func `settings in no small regular file are reported and ignored`(_ make: String) async throws {
    try await script("rm .diary/config.yml; \(make) .diary/config.yml")
    let list = try await diary(["list"])
    #expect(list.status == 0 && list.output.contains("Real"))
    #expect(list.errors.contains(".diary/config.yml: the settings cannot be read"), "\(list)")
    try await expectNoHarm([["save"], ["search", "magpie"]])
  }

  /// A header of twelve lines once made `rename` and the weather stamp compare nine to the power of
  /// eleven values, and the same lines as settings blocked every command.
  @Test func `exponentially expanding aliases block no command`() async throws {
    var lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for level in 1...11 {
      let names = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      lines.append("a\(level): &a\(level) [\(names)]")
    }
    let text = lines.joined(separator: "\n") + "\n"
    try home.write("---\n\(text)---\n\nLaughter.\n", to: "j/2026-01-02.md")
    try await expectNoHarm(Self.commands + [["rename", "2026-01-02", "Laughs"]])
    try home.write(text, to: "j/.diary/config.yml")
    let list = try await diary(["list"])
    #expect(list.status == 0 && list.errors.contains("its aliases expand too much"), "\(list)")
  }

  @Test func `extreme dates and titles with control sequences do no harm`() async throws {
    for (day, name) in [("0001-01-01", "first"), ("9999-12-31", "last")] {
      try home.write(
        "---\ntitle: \"\\e]0;\(name)\\a\\u202E\"\ndate: \(day)T23:59:59-14:00\n---\n\nkingfisher\n",
        to: "j/\(name).md")
    }
    try await expectNoHarm(
      Self.commands + [
        ["list", "--since", "9999-12-31"], ["list", "--on", "0001"], ["list", "--json"],
        ["list", "--until", "0001-01-01"], ["show", "9999-12-31"], ["history", "9999-12-31"],
      ])
  }
}
