import Foundation
import TestSupport
import Testing

/// Names of all kinds, with the commands that move files and with the watcher.
extension HostileTests {
  private static let text = #"printf '# A title\n\nkingfisher\n'"#

  @Test func `an entry with any name can be renamed, deleted and restored`() async throws {
    try await script(Self.eachName + "do \(Self.text) > \"./$name.md\"; done")
    try await expectNoHarm([["save"]])
    let before = try await names()
    // Each command is followed by the one that reverts it, to the same bytes.
    let turns = try await runInJournal(
      Self.eachName + #"""
        do
          file="./$name.md" ref="./$name.md"
          # What is no UTF-8 cannot be said as a path, but by its day.
          case "$name" in 2026-01-02*) ref=2026-01-02;; esac
          for command in "delete --yes" "rename"; do
            set -- $command -- "$ref"; [ "$command" = rename ] && set -- "$@" 'Plain title'
            timeout 20 diary "$@" < /dev/null > ../said 2>&1 || {
              printf 'not done: %s: ' "$*"; cat ../said; continue; }
            [ -e "$file" ] && printf 'still there after %s\n' "$*"
            [ "$command" = rename ] && set -- undo --yes || set -- restore -- "$ref"
            timeout 20 diary "$@" < /dev/null > ../said 2>&1 || {
              printf 'not done: %s: ' "$*"; cat ../said; }
            printf '# A title\n\nkingfisher\n' | cmp -s - "$file" ||
              printf 'not back after %s: %s\n' "$*" "$(ls -ba)"
          done
        done
        """#)
    #expect(turns == "")
    #expect(try await names() == before)
    try await expectHealthy()
  }

  @Test func `any title gives a file name inside the journal`() async throws {
    let titles = [
      "../../outside/secret", "/etc/diary", "..", ".", ".git/hooks/post-commit", "-rf", "--help",
      "new\nline", "\u{1B}[31mred\u{7}", "a\u{202E}b", "*", "$(touch harm)", "CON", " ", "#", "---",
      String(repeating: "long ", count: 80), String(repeating: "한", count: 200), "a\u{0}b",
      ".hidden", "a/b\\c", "@{-1}", "HEAD.lock",
    ]
    for title in titles {
      let result = try await diary(["rename", "--", "1", title.replacing("\u{0}", with: "")])
      #expect([0, 1, 64].contains(result.status), "\(title): \(result)")
      let new = try await diary([
        "new", "-m", "kingfisher", "--", title.replacing("\u{0}", with: ""),
      ])
      #expect([0, 1, 64].contains(new.status), "\(title): \(new)")
      try await expectNoHarm([["list"]])
    }
    #expect(home.files(in: "outside") == ["secret.md"])
    #expect(Set(home.files(in: "")).isDisjoint(with: ["harm", "j/harm", "secret.md"]))
    // Each name is valid for all other programs.
    for name in home.files(in: "j") where name != "INDEX.md" {
      let last = name.split(separator: "/").last ?? ""
      #expect(last.hasSuffix(".md") && !last.hasPrefix("-") && !last.hasPrefix("."), "\(name)")
      #expect(last.utf8.count < 120 && !last.contains { "\\*$\"'\n\u{7}\u{1B}".contains($0) })
    }
    try await expectHealthy()
  }

  @Test func `the watcher follows creation, change, move and removal of any name`() async throws {
    home.setAutosave(settle: "100ms", sitting: "1s")
    home.set("DIARY_STAMP", "new")
    try await home.withWatcher(mustEnd: false) { watcher in
      let steps = [
        ("\(Self.text) > \"./$name.md\"", 22), ("echo More. >> \"./$name.md\"", 22),
        ("mkdir -p \"./$name\"; mv \"./$name.md\" \"./$name/$name.md\"", 22),
        ("rm \"./$name/$name.md\"", 1),
      ]
      for (step, count) in steps {
        try await script(Self.eachName + "do \(step); done")
        let isDone = try await Sandbox.holds {
          let left = try await home.git(
            "--no-optional-locks", "status", "--porcelain", "-uall", in: "j")
          return left.isEmpty
        }
        let status = try await home.run("git", ["status", "--porcelain"], in: "j")
        #expect(isDone, "\(step): \(status.output) \(watcher.output)")
        let tree = try await home.git("ls-tree", "-r", "-z", "--name-only", "HEAD", in: "j")
        let entries = tree.split(separator: "\0").count { $0.hasSuffix(".md") }
        #expect(entries == count, "\(step): \(tree) \(watcher.output)")
      }
      #expect(!watcher.output.contains("diary:"), "\(watcher.output)")
    }
    #expect(!home.exists("j/harm"))
    try await expectHealthy()
  }

  @Test func `the watcher's log shows names without control sequences`() async throws {
    home.set("DIARY_AUTOSAVE__SETTLE", "100ms")
    let line = "sh -c 'echo $$ > ../pid; exec \(Sandbox.programs)/diary watch -v'"
    try await BackgroundProcess.run(home, "script", ["-qefc", line, "/dev/null"], in: "j") {
      (log: BackgroundProcess) async throws -> Void in
      #expect(await log.prints("watching"), "\(log.output)")
      for name in ["a\u{1B}]0;t\u{7}", "b\u{202E}", "c\u{9B}", "d\r\n12:00:00  committed"] {
        try home.write("kingfisher\n", to: "j/\(name).md")
        #expect(await log.prints("saved \(name.prefix(1))"), "\(log.output)")
      }
      let watcher = try #require(Int32(try home.read("pid").dropLast()))
      #expect(kill(watcher, SIGINT) == 0)
      #expect(await log.prints("ended"), "\(log.output)")
      for sign in ["\u{1B}", "\u{7}", "\u{202E}", "\u{9B}", "\n12:00"] {
        #expect(!log.output.contains(sign), "\(log.output)")
      }
    }
  }

  private func runInJournal(_ text: String) async throws -> String {
    let made = try await home.run("sh", ["-c", text], in: "j")
    return made.output + made.errors
  }

  /// All names in the journal's folder on disk.
  private func names() async throws -> String {
    try await runInJournal("find . -name .git -prune -o -type f -print0 | sort -z | od -c")
  }

  private func expectHealthy() async throws {
    try await expectNoHarm([["save"], ["index", "--verify"]])
    let fsck = try await home.run("git", ["fsck", "--strict", "--full", "--no-dangling"], in: "j")
    #expect(fsck.status == 0 && fsck.errors == "", "\(fsck)")
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
  }
}
