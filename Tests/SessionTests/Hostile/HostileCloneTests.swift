import Foundation
import Glibc
import TestSupport
import Testing

/// A journal cloned from an attacker, from the first fetch to a sync: no file outside its folder is
/// read or written, no program is run, and no connection is made.
@Suite(.serialized) struct HostileCloneTests {
  let home: Sandbox
  /// A listening port that accepts nothing, so that each connection attempt can be detected.
  let port: SilentPort

  init() async throws {
    home = try Sandbox()
    port = try SilentPort()
    home.set("DIARY_STAMP", "new")
    home.set("EDITOR", "true")
    for (name, text) in [
      ("secret.md", "# Outside\n\nkingfisher magpie\n"), ("plain.md", "Outside: magpie {title}\n"),
      ("templates/plain.md", "Outside: magpie {title}\n"),
      ("config.yml", "time_zone: Mars/Magpie\ntitles: [magpie]\n"), ("list.md", "magpie\n"),
    ] {
      try home.write(text, to: "outside/" + name)
    }
  }

  /// One manipulation of the cloned repository.
  struct Trap: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// A shell script, run in the journal before it is cloned. `$out` is a folder outside, `$harm`
    /// a file that a program would create, `$port` a listening port.
    var make: String
    /// The error of `diary clone`, if it refuses the clone.
    var refusal: String?
    /// Whether the texts target the terminal, so that they are also shown on one.
    var isTerminalAttack: Bool { testDescription.contains("steer") }

    init(_ name: String, _ make: String, refusal: String? = nil) {
      (testDescription, self.make, self.refusal) = (name, make, refusal)
    }
  }

  @Test(arguments: Trap.all) func `a hostile clone does no harm`(_ trap: Trap) async throws {
    try await makeRemote(trap)
    let before = outsideFiles()
    let clone = try await run(["clone", "evil.git", "copy"], in: "")
    if let refusal = trap.refusal {
      #expect(clone.status == 1 && clone.errors.contains(refusal), "\(clone)")
    } else {
      #expect(clone.status == 0, "\(clone)")
      #expect(clone.output.contains("Journal: "), "\(clone)")
    }
    if home.exists("copy/.git") { try await useCopy(of: trap) }
    #expect(outsideFiles() == before)
    #expect(!home.exists("harm") && !home.exists("copy/harm"))
    #expect(!port.wasCalled)
    // The pushed commits contain no link and no new text from outside the folder.
    let sent = try await home.git("log", "-p", "--all", "--format=", in: "evil.git")
    #expect(!sent.contains("magpie"), "\(sent)")
  }

  @Test func `a silent port detects a connection`() async throws {
    #expect(!port.wasCalled)
    let script = "exec 3<> /dev/tcp/127.0.0.1/\(port.number)"
    #expect(try await home.run("bash", ["-c", script]).status == 0)
    #expect(port.wasCalled)
  }

  /// Runs the commands that read and write, in a pipe and on a terminal.
  private func useCopy(of trap: Trap) async throws {
    let commands: [[String]] = [
      ["list"], ["search", "kingfisher"], ["search", "magpie"], ["show", "1"], ["tags"],
      ["status"], ["history", "1"], ["check"], ["share", "1"], ["save"],
      ["new", "Mine", "-m", "Written here."], ["new", "Other", "-m", "x", "--template", "out"],
      ["add", "--to", "Real", "More."], ["check", "--fix"], ["rename", "Real", "True"],
      ["list", "--deleted"], ["edit", "1"], ["weather"], ["sync"], ["list"],
    ]
    for command in commands {
      let result = try await run(command, in: "copy")
      // The user can still read and save.
      if trap.refusal == nil, ["list", "status", "check", "save"].contains(command[0]) {
        // A check that finds something exits with 1.
        #expect(result.status <= (command[0] == "check" ? 1 : 0), "\(command): \(result)")
      }
    }
    let shown = ["list", "show 1", "status", "check", "save", "search kingfisher", "tags", "sync"]
    for command in trap.isTerminalAttack ? shown : [] {
      let line = "timeout 60 \(Sandbox.programs)/diary \(command)"
      let screen = try await home.run("script", ["-qec", line, "/dev/null"], in: "copy").output
      for sign in ["\u{1B}]0;", "\u{7}", "\u{202E}", "\u{9B}"] {
        #expect(!screen.contains(sign), "\(command): \(screen)")
      }
      #expect(!screen.isEmpty)
    }
    let state = try await home.run("git", ["fsck", "--full", "--no-dangling"], in: "copy")
    #expect(state.status == 0, "\(state)")
  }

  /// Runs a command and expects a normal exit code in time, and no text from outside the folder.
  private func run(_ command: [String], in folder: String) async throws -> Sandbox.ProgramResult {
    let result = try await home.run(
      "timeout", ["60", Sandbox.programs + "/diary"] + command, in: folder)
    #expect([0, 1, 2, 64].contains(result.status), "\(command): \(result)")
    #expect(
      result.status == 0 || !result.errors.isEmpty || command[0] == "search",
      "\(command): \(result)")
    let all = result.output + result.errors
    #expect(!all.contains("Outside") && !all.contains("Mars/Magpie"), "\(command): \(result)")
    #expect(!all.contains("kingfisher magpie"), "\(command): \(result)")
    return result
  }

  private func makeRemote(_ trap: Trap) async throws {
    let lines = """
      set -e; out=\(home.homePath)/outside harm=\(home.homePath)/harm port=\(port.number)
      git init -q evil; cd evil; mkdir -p .diary/templates
      printf 'time_zone: Asia/Seoul\\n' > .diary/config.yml
      printf -- '---\\ntitle: Real\\ndate: 2026-01-01\\ntags: [a]\\n---\\n\\nkingfisher\\n' > real.md
      \(trap.make)
      git add -Af; git commit -qm 'Begun by another'; cd ..; git clone -q --bare evil evil.git
      """
    let made = try await home.run("sh", ["-c", lines])
    #expect(made.status == 0, "\(made.errors)")
  }

  private func outsideFiles() -> [String: Data] {
    var texts: [String: Data] = [:]
    for name in home.files(in: "outside") {
      texts[name] = FileManager.default.contents(atPath: home.homePath + "/outside/" + name)
    }
    return texts
  }
}

extension HostileCloneTests.Trap {
  static let all = [
    Self(
      "the list is kept in git, and a link",
      "ln -s ../outside/list.md INDEX.md; echo 'index: {commit: true}' >> .diary/config.yml"),
    Self(
      "the list is kept in git, and a folder",
      "mkdir INDEX.md; cp real.md INDEX.md/e.md; echo 'index: {commit: true}' >> .diary/config.yml"),
    Self("nothing amiss", ":"),
    Self(".diary is a link", "rm -r .diary; ln -s $out .diary"),
    Self(".diary is a link that leads up", "rm -r .diary; ln -s ../outside .diary"),
    Self(".diary is a file", "rm -r .diary; echo x > .diary", refusal: "is not a journal"),
    Self("the settings are a link", "ln -sf $out/config.yml .diary/config.yml"),
    Self(
      "the templates are a link", "rm -r .diary/templates; ln -s $out/templates .diary/templates"),
    Self(
      "each template is a link",
      "for name in plain out; do ln -s ../../../outside/plain.md .diary/templates/$name.md; done"),
    Self(
      "settings that would run and send",
      """
      cat > .diary/config.yml <<END
      editor: touch $harm
      pager: touch $harm
      hooks: {after_save: [touch, $harm], post_commit: touch $harm}
      place: {name: Seoul, latitude: 37.57, longitude: 126.98}
      weather: {provider: command, command: [touch, $harm], url: "http://127.0.0.1:$port/"}
      openweather_key: abcdef
      stamp: all
      journal: $out
      autosave: {files: all}
      sync: {remote: "http://127.0.0.1:$port/evil.git", adopted: true}
      END
      """),
    Self(
      "a remote that is a program",
      "echo \"sync: {remote: \\\"ext::touch $harm\\\"}\" >> .diary/config.yml"),
    Self(
      "paths that lead out",
      """
      cat > .diary/config.yml <<END
      layout: ../outside/{slug}.md
      template: ../../../outside/plain
      index: {file: ../outside/list.md, commit: true}
      entries: {include: ["../outside/**", "/**"]}
      END
      """),
    Self(
      "new entries go where a link is",
      "ln -s ../outside trap; echo 'layout: \"trap/{slug}.md\"' >> .diary/config.yml"),
    Self("the list is a link", "ln -s ../outside/list.md INDEX.md"),
    Self("the list is a folder", "mkdir INDEX.md; cp real.md INDEX.md/e.md"),
    Self(
      "entries are links", "ln -s $out/secret.md a.md; ln -s ../outside b; ln -s b/secret.md c.md"),
    Self(
      "titles that steer",
      #"""
      printf -- '---\ntitle: "\\e]0;t\\a\\u202Ex"\ntags: ["\\e[31m", "\\x9b"]\n---\n\nkingfisher\n' > t.md
      printf '# A \033]0;t\007 \342\200\256 \302\233 title #\342\200\256tag\n\nkingfisher\n' > u.md
      cp u.md "$(printf 'a\033]0;t\007\342\200\256.md')"
      git -c core.quotePath=off commit -q --allow-empty -m "$(printf 'x \033]0;t\007 \342\200\256')"
      """#),
    Self(
      "attributes that name programs",
      """
      printf '*.md filter=evil diff=evil merge=evil\\n*.png filter=lfs\\n' > .gitattributes
      printf '[filter \"evil\"]\\n\\tsmudge = touch %s\\n\\tclean = touch %s\\n' $harm $harm > .gitconfig
      cp .gitconfig .lfsconfig; mkdir -p hooks
      printf '#!/bin/sh\\ntouch %s\\n' $harm > hooks/post-checkout; chmod +x hooks/post-checkout
      """),
    Self(
      "a submodule",
      """
      git add -A; git commit -qm first; git clone -q . sub; git add sub 2> /dev/null
      printf '[submodule \"s\"]\\n\\tpath = sub\\n\\turl = ext::touch %s\\n' $harm > .gitmodules
      """),
  ]
}

/// A port of 127.0.0.1 that listens and accepts no connection.
final class SilentPort: Sendable {
  let number: UInt16
  private let listener: Int32

  init() throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else { throw ProgramFailed(message: "no port") }
    number = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(listener) }

  /// Whether a connection has been attempted.
  var wasCalled: Bool {
    var asked = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    return poll(&asked, 1, 0) > 0
  }
}
