import Foundation
import TestSupport
import Testing

/// `encrypt`: an existing journal moves into an encrypted folder.
@Suite(.serialized) struct EncryptTests {
  let home: Sandbox

  init() throws {
    home = try Sandbox()
    home.setAutosave(settle: "200ms", sitting: "1s")
    home.set("DIARY_UNLOCK__PASSWORD_COMMAND", "echo the word")
  }

  /// Runs `body` with the plain journal `j`.
  private func withJournal(_ body: () async throws -> Void) async throws {
    guard FileManager.default.isWritableFile(atPath: "/dev/fuse") else {
      try Test.cancel("gocryptfs: NOT RUN (no /dev/fuse)")
    }
    let isMounted = try await home.withEncryptedFolder(at: "trial") {}
    guard isMounted else { try Test.cancel("gocryptfs: NOT RUN (no FUSE may be mounted here)") }
    try await home.diary("init", "j")
    try await home.diary("new", "Rain", "-m", "All day. Marrowfen.", "--journal", "j")
    let script = """
      printf 'x\\n' >"$(printf 'odd-\\377.md')"; mkdir -p empty/deep; ln -s ../old.txt empty/link
      printf '#!/bin/sh\\n' >run; chmod 755 run; touch -d '2001-02-03 04:05:06.789' run empty
      printf 'old.txt\\n' >.git/info/exclude; printf 'ignored\\n' >old.txt; ln old.txt linked.txt
      printf 'staged\\n' >staged.txt; git add staged.txt; git branch side; git tag first
      """
    try #require(try await home.run("sh", ["-ec", script], in: "j").status == 0)
    do { try await body() } catch {
      try await unmount()
      throw error
    }
    try await unmount()
  }

  private func unmount() async throws {
    for folder in ["j", "j.diary-encrypt"] {
      try await home.run("umount", ["-l", home.homePath + "/" + folder])
    }
  }

  /// Names, modes, times, links and bytes of everything in a folder; not the time of the folder in
  /// which a socket comes and goes.
  private func listing(_ folder: String) async throws -> String {
    let script = """
      find . -printf '%P %y %m %l %T@\\n' | sed -E '\\# l 777 |^[.]git/diary d #s/ [^ ]*$//' |
        LC_ALL=C sort
      find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
      """
    let done = try await home.run("sh", ["-ec", script], in: folder)
    guard done.status == 0 else { throw ProgramFailed(message: done.errors) }
    return done.output
  }

  @Test func `a journal is encrypted with its watcher, and everything in it stays`() async throws {
    try await withJournal {
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", ["watch", "--journal", "j"]
      ) { watcher in
        #expect(await watcher.prints("watching"))
        #expect(await watcher.prints("committed"))
        #expect(await watcher.becomesIdle())
        let status = try await home.git("status", "--porcelain", "--ignored", in: "j")
        let done = try await home.diary("encrypt", "--journal", "j")
        #expect(done.status == 0 && done.output == "Encrypted: \(home.homePath)/j\n", "\(done)")
        #expect(done.errors.contains("rm -r \(home.homePath)/j.plain"), "\(done)")
        #expect(try await home.git("status", "--porcelain", "--ignored", in: "j") == status)
        #expect(
          try await home.git("rev-parse", "main", "side", "first", in: "j")
            == home.git("rev-parse", "main", "side", "first", in: "j.plain"))
        // The watcher, which is the same process, goes on.
        let isBack = await Sandbox.holds {
          watcher.output.split(separator: "\n").count { $0.contains("watching") } == 2
        }
        #expect(isBack, "\(watcher.output)")
        try home.write("Later.\n", to: "j/later.md")
        #expect(await watcher.prints("saved 1 file"), "\(watcher.output)")
        #expect(!watcher.output.contains("deleted"), "\(watcher.output)")
      }
      #expect(try home.read("j/empty/link") == "ignored\n")
      #expect(try await home.diary("list", "--journal", "j").output.contains("Rain"))
      #expect(try await home.diary("lock", "--journal", "j").status == 0)
      let found = try await home.run("grep", ["-rlai", "marrowfen", "j", "j.locked"])
      #expect(found.status == 1, "\(found)")
      #expect(home.files(in: "").allSatisfy { !$0.contains("diary-encrypt") })
      let again = try await home.diary("encrypt", "--journal", "j")
      #expect(again.status == 1 && again.errors.contains(".git/refs/heads/main"), "\(again)")
    }
  }

  @Test func `everything is copied with its mode, time and bytes`() async throws {
    try await withJournal {
      let before = try await listing("j")
      // The socket of a page that was killed.
      let socket = "eval $(ssh-agent -a j/.git/diary/web.socket); kill -9 $SSH_AGENT_PID"
      try #require(try await home.run("sh", ["-ec", socket]).status == 0)
      #expect(home.exists("j/.git/diary/web.socket"))
      let done = try await home.diary("encrypt", "--journal", "j")
      #expect(done.status == 0, "\(done)")
      #expect(try await listing("j") == before)
      #expect(try await listing("j.plain") == before)
      let again = try await home.diary("encrypt", "--journal", "j")
      #expect(again.status == 0, "\(again)")
      try await home.run("rm", ["-r", "j.plain"])
      let last = try await home.diary("encrypt", "--journal", "j")
      #expect(last.status == 1 && last.errors.contains("is encrypted already"), "\(last)")
    }
  }

  @Test func `what cannot be copied is refused, and nothing is changed`() async throws {
    try await withJournal {
      @Sendable func isRefused(
        _ words: String, _ make: String, _ undo: String, in folder: String = ""
      )
        async throws
      {
        try #require(try await home.run("sh", ["-ec", make]).status == 0)
        let before = try await listing("j")
        let done = try await home.run(
          Sandbox.programs + "/diary", ["encrypt", "--journal", home.homePath + "/j"], in: folder)
        #expect(done.status == 1 && done.errors.contains(words), "\(make): \(done)")
        #expect(try await listing("j") == before)
        #expect(!home.exists("j.locked/gocryptfs.conf") && !home.exists("j.diary-encrypt"))
        #expect(!home.exists("j.diary-encrypt.locked"), "\(make)")
        try #require(try await home.run("sh", ["-ec", undo]).status == 0)
      }
      try await isRefused("links lead out", "ln -s /etc/passwd j/out", "rm j/out")
      try await isRefused("links lead out", "ln -s ../../x j/empty/out", "rm j/empty/out")
      try await isRefused("pipes, sockets", "mkfifo j/pipe", "rm j/pipe")
      try await isRefused(
        "other work trees", "git -C j worktree add -q ../tree side",
        "git -C j worktree remove ../tree")
      try await isRefused(
        "`git -C \(home.homePath)/j repack -a -d`",
        "git clone -q -s j twin; mkdir -p j/.git/objects/info; "
          + "echo ~/twin/.git/objects >j/.git/objects/info/alternates",
        "rm -r j/.git/objects/info/alternates twin")
      try await isRefused("j.plain exists", "mkdir j.plain", "rmdir j.plain")
      try await isRefused("j.locked exists", "mkdir j.locked", "rmdir j.locked")
      try await isRefused("cd` out of it first", ":", ":", in: "j")
      try await BackgroundProcess.run(home, "tail", ["-f", "j/old.txt"]) { reader in
        #expect(await reader.prints("ignored"))
        try await isRefused("tail (", ":", ":")
      }
      try await home.git("init", "-q", "outer", in: "")
      try await home.git("commit", "-q", "--allow-empty", "-m", "one", in: "outer")
      try await home.diary("init", "--join", "outer/sub")
      let part = try await home.diary("encrypt", "--journal", "outer/sub")
      #expect(part.status == 1 && part.errors.contains("a part of another repository"), "\(part)")
      let none = try await home.diary("encrypt", "--journal", "nowhere")
      #expect(none.status == 1 && none.errors.contains("there is no journal"), "\(none)")
    }
  }

  @Test func `files that cannot be read are named, and the copy of a closed folder is removed`()
    async throws
  {
    try await withJournal {
      try await home.run(
        "sh", ["-c", "mkdir closed; echo x >closed/x.md; chmod 555 closed"], in: "j")
      guard geteuid() == 0 else {
        let refused = try await home.diary("encrypt", "--journal", "j")
        #expect(refused.status == 1 && refused.errors.contains("  closed\n"), "\(refused)")
        #expect(!home.exists("j.diary-encrypt.locked"))
        return
      }
      let all = try await listing("j")
      let done = try await home.diary("encrypt", "--journal", "j")
      #expect(done.status == 0, "\(done)")
      #expect(try await listing("j") == all)
    }
  }

  @Test func `a clone that only git made is encrypted, too`() async throws {
    try await withJournal {
      try await home.git("clone", "-q", "j", "k", in: "")
      let done = try await home.diary("encrypt", "--journal", "k")
      #expect(done.status == 0, "\(done)")
      #expect(try await home.diary("list", "--journal", "k").output.contains("Rain"))
      #expect(try await home.diary("lock", "--journal", "k").status == 0)
    }
  }

  @Test func `a second run is refused while the first one copies`() async throws {
    try await withJournal {
      let real = try await home.run("sh", ["-c", "command -v cp"]).output.dropLast()
      _ = try home.script(
        "cp", "touch ~/copying; while [ ! -e ~/go ]; do sleep 0.05; done; exec \(real) \"$@\"\n")
      home.set("PATH", home.homePath + "/bin:" + (home.environment["PATH"] ?? ""))
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", ["encrypt", "--journal", "j"]
      ) { first in
        #expect(await Sandbox.holds { home.exists("copying") })
        let second = try await home.diary("encrypt", "--journal", "j")
        #expect(second.status == 1, "\(second)")
        #expect(second.errors.contains("another `diary encrypt` is at work"), "\(second)")
        try home.write("", to: "go")
        #expect(await first.prints("Encrypted: "), "\(first.output)")
        #expect(await Sandbox.holds { first.hasExited })
      }
      #expect(try await home.diary("list", "--journal", "j").output.contains("Rain"))
      #expect(try await home.diary("lock", "--journal", "j").status == 0)
    }
  }

  @Test func `a kill at any step loses nothing, and the next run goes on`() async throws {
    try await withJournal {
      try await home.run("cp", ["-a", "j", "template"])
      let before = try await listing("template")
      let path = home.environment["PATH"] ?? ""
      for program in ["gocryptfs", "gocryptfs-xray", "fusermount3", "cp", "git", "sync"] {
        let real = try await home.run("sh", ["-c", "command -v \(program)"]).output.dropLast()
        _ = try home.script(
          program,
          """
          # gocryptfs starts programs, too.
          [ $(cat /proc/$PPID/comm) = diary ] || exec \(real) "$@"
          n=$(($(cat ~/count 2>/dev/null) + 1)); echo $n >~/count
          [ $n != $(cat ~/kill) ] || { kill -9 $PPID; exit; }
          exec \(real) "$@"

          """)
      }
      var steps = 0
      while true {
        steps += 1
        try await home.run("rm", ["-f", "count"])
        try home.write("\(steps)", to: "kill")
        home.set("PATH", home.homePath + "/bin:" + path)
        let killed = try await home.diary("encrypt", "--journal", "j")
        home.set("PATH", path)
        if killed.status == 0 { break }
        #expect(killed.status == 137, "\(steps): \(killed)")
        try await expectGoesOn(before, "before program \(steps)")
      }
      #expect(steps > 8, "\(steps)")
      try await reset()
      guard
        try await home.run("sh", ["-c", "command -v strace && strace -o trial true"]).status == 0
      else { return }
      for (path, isGone) in [("j", false), ("j.diary-encrypt.locked", true)] {
        let inject = ["-e", "trace=rename", "-e", "inject=rename:signal=KILL"]
        let program = [Sandbox.programs + "/diary", "encrypt", "--journal", "j"]
        let killed = try await home.run(
          "strace", ["-f", "-o", "calls", "-P", home.homePath + "/" + path] + inject + program)
        #expect(killed.status == 137, "\(killed)")
        if isGone {
          for words in [["list"], ["init", "--yes"]] {
            let done = try await home.run(Sandbox.programs + "/diary", words + ["--journal", "j"])
            #expect(done.status == 3 && done.errors.contains("`diary encrypt` goes on"), "\(done)")
          }
        }
        try await expectGoesOn(before, "before the rename of \(path)")
      }
    }
  }

  private func reset() async throws {
    try await unmount()
    try await home.run("sh", ["-c", "chmod 700 j; rm -rf j j.*; cp -a template j"])
  }

  /// Expects the whole journal in one folder at least, and in both after another run.
  private func expectGoesOn(_ before: String, _ story: String) async throws {
    var whole = false
    for folder in ["j", "j.plain"] where home.exists(folder + "/.diary") {
      if try await listing(folder) == before { whole = true }
    }
    #expect(whole, "\(story)")
    let done = try await home.diary("encrypt", "--journal", "j")
    #expect(done.status == 0, "\(story): \(done)")
    #expect(try await listing("j") == before, "\(story)")
    #expect(try await listing("j.plain") == before, "\(story)")
    #expect(try await home.diary("lock", "--journal", "j").status == 0, "\(story)")
    try await reset()
  }
}
