import Foundation
import TestSupport
import Testing

/// Where the folders of a locked journal, and its repository, may be.
extension LockTests {
  /// Nothing else keeps programs from writing plain text there after a restart of the machine.
  @Test func `the folder below the shown one is closed while the journal is unlocked, too`()
    async throws
  {
    try await withJournal {
      try await home.run("fusermount3", ["-u", "j"])
      #expect(try names() == [] && mode() == 0o500)
      let both = try await home.run(
        "sh",
        [
          "-c",
          "for n in 1 2; do \"$0\" unlock --journal j & p=\"$p $!\"; done; for i in $p; do wait $i || exit 9; done",
          Sandbox.programs + "/diary",
        ])
      #expect(both.status == 0, "\(both)")
      #expect(try await home.diary("list", "--journal", "j").output.contains("Rain"))
      try await lock()
    }
  }

  @Test func `a repository whose files were just linked can be read`() async throws {
    try await withJournal {
      // gocryptfs 2.3 tells a size that is too large for a second.
      let script =
        "n=0; find . -type f -path '*/??/*' | while read f; do ln $f x$((n=n+1)); done; ln ../HEAD x"
      try #require(try await home.run("sh", ["-ec", script], in: "j/.git/objects").status == 0)
      let history = try await home.diary("history", "1", "--journal", "j")
      #expect(history.status == 0 && history.output.contains("Rain"), "\(history)")
    }
  }

  @Test func `a link to the folder, and a folder of encrypted files that is away`() async throws {
    try await withJournal {
      try FileManager.default.createSymbolicLink(
        atPath: home.homePath + "/link", withDestinationPath: "j")
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", ["watch", "--journal", "link"]
      ) { watcher in
        #expect(await watcher.prints("watching"))
        let done = try await home.diary("lock", "--journal", "link")
        #expect(done.status == 0, "\(done)")
      }
      for words in [["list"], ["init", "--yes"]] {
        let done = try await home.run(
          Sandbox.programs + "/diary", words + ["--journal", "link"])
        #expect(done.status == 3, "\(words): \(done)")
      }
      try await home.run("mv", ["j.locked", "away"])
      try await home.run("ln", ["-s", "disk/away", "j.locked"])
      for words in [["list"], ["init", "--yes"]] {
        let done = try await home.run(Sandbox.programs + "/diary", words + ["--journal", "j"])
        #expect(done.status == 3, "\(words): \(done)")
      }
      #expect(try names() == [])
      try await home.run("rm", ["j.locked"])
      try await home.run("mv", ["away", "j.locked"])
      #expect(try await home.diary("unlock", "--journal", "link").status == 0)
      #expect(try await home.diary("list", "--journal", "j").output.contains("Rain"))
      try await lock()
    }
  }

  @Test func `a journal whose encrypted files are away does not look like an empty folder`()
    async throws
  {
    try await withJournal {
      try await lock()
      // As on a disk that is not mounted: at first the encrypted files alone, then both folders.
      try await home.run("mkdir", ["disk"])
      try await home.run("mv", ["j.locked", "disk"])
      let away = "the encrypted files of the journal in \(home.homePath)/j are away"
      for step in ["mkdir j.locked", "rmdir j.locked", "rmdir j"] {
        try #require(try await home.run("sh", ["-c", step]).status == 0)
        for words in [
          ["list"], ["new", "x", "-m", "y"], ["watch"], ["sync"], ["save", "--deletions"], ["lock"],
          ["unlock"], ["init", "--yes"], ["init", "--encrypted"], ["encrypt"], ["today: Rain."],
        ] {
          let done = try await home.run(
            Sandbox.programs + "/diary", words + ["--journal", "j"])
          #expect(done.status == 3 && done.errors.contains(away), "\(step) \(words): \(done)")
          #expect(done.errors.contains(home.homePath + "/j.locked/gocryptfs.conf\n"), "\(done)")
        }
        if home.exists("j") {
          let inside = try await home.run(Sandbox.programs + "/diary", ["list"], in: "j")
          #expect(inside.status == 3 && inside.errors.contains(away), "\(inside)")
          #expect(try names() == [])
        }
      }
      #expect(!home.exists("j") && !home.exists("j.locked"))
      try await home.run("mv", ["disk/j.locked", "."])
      try await unlock()
      #expect(try await home.diary("list", "--journal", "j").output.contains("Rain"))
      // The way out.
      try await lock()
      try await home.run("sh", ["-c", "chmod 700 j; rm -r j.locked"])
      #expect(try await home.diary("init", "j").status == 3)
      try await home.run("rm", [".local/state/diary/encrypted-folders"])
      #expect(try await home.diary("init", "j").status == 0)
    }
  }

  @Test func `leave forgets that a folder was encrypted`() async throws {
    try await withJournal {
      let known = try home.read(".local/state/diary/encrypted-folders")
      #expect(known == home.homePath + "/j\n")
      let left = try await home.diary("leave", "--yes", "--journal", "j")
      #expect(left.status == 0, "\(left)")
      #expect(try home.read(".local/state/diary/encrypted-folders") == "")
      // Its files stay encrypted.
      let named = "`diary --journal \(home.homePath)/j"
      #expect(
        left.errors.contains("\(named) lock` and \(named) unlock` still work"), "\(left)")
      for _ in 0..<2 {
        try await lock()
        try await unlock()
      }
      try await lock()
    }
  }

  @Test func `encrypted files on a read-only disk can be read, and locked again`() async throws {
    try await withJournal {
      try await lock()
      let words = ["--bind", "-o", "ro", "j.locked"]
      let isMounted = try await home.withMount("mount", words, at: "disk/j.locked") {
        let unlocked = try await home.diary("unlock", "--journal", "disk/j")
        #expect(unlocked.status == 0 && unlocked.errors == "", "\(unlocked)")
        #expect(try await home.diary("list", "--journal", "disk/j").output.contains("Rain"))
        let locked = try await home.diary("lock", "--journal", "disk/j")
        #expect(locked.status == 0, "\(locked)")
      }
      if !isMounted { try Test.cancel("no disk may be mounted here") }
    }
  }

  @Test func `a new journal is never made inside of a locked one, nor among encrypted files`()
    async throws
  {
    try await withJournal {
      try await lock()
      try await home.run("rmdir", ["j"])
      for words in [
        ["init", "j/work"], ["init", "--encrypted", "j/work"], ["clone", home.homePath, "j/a/b"],
      ] {
        let done = try await home.run(Sandbox.programs + "/diary", words)
        #expect(done.status == 3 && done.errors.contains("j is locked"), "\(words): \(done)")
      }
      #expect(!home.exists("j"))
      let among = try await home.diary("init", "--encrypted", "j.locked/x")
      #expect(
        among.status == 1 && among.errors.contains("is among the encrypted files"), "\(among)")
      #expect(!home.exists("j.locked/x") && !home.exists("j.locked/x.locked"))
      // By another name, too. A copy of the settings alone makes no encrypted folder.
      try await home.run("sh", ["-c", "mkdir j.locked/sub; ln -s j.locked/sub link"])
      let linked = try await home.diary("init", "link")
      #expect(linked.status == 1 && linked.errors.contains("among the encrypted"), "\(linked)")
      try await home.run("sh", ["-c", "rmdir j.locked/sub; cp j.locked/gocryptfs.conf ."])
      #expect(try await home.diary("init", "spare").status == 0)
      try await unlock()
      #expect(try await home.diary("init", "--separate", "j/work").status == 0)
      let inside = try await home.diary("init", "--encrypted", "j/inner")
      #expect(
        inside.status == 1 && inside.errors.contains("is encrypted already: \(home.homePath)/j\n"),
        "\(inside)")
      #expect(!home.exists("j/inner") && !home.exists("j/inner.locked"))
    }
  }

  @Test func `lock names what is in the folder in plain`() async throws {
    try await withJournal {
      try await lock()
      // As a shell of root does that stood in the locked folder during `unlock`.
      try await home.run("sh", ["-c", "chmod u+w j && echo secret >j/note.md"])
      for _ in 0..<2 {
        let done = try await home.diary("lock", "--journal", "j")
        #expect(
          done.status == 1 && done.errors.contains("other files in it, which are not encrypted")
            && done.errors.contains("  \(home.homePath)/j/note.md\n"), "\(done)")
      }
      try await home.run("rm", ["j/note.md"])
      // A repository there makes it no journal, and no command leads to a plain one.
      try await home.git("init", "-q", in: "j")
      for words in [["lock"], ["list"], ["unlock"], ["new", "-m", "secret"]] {
        let done = try await home.run(
          Sandbox.programs + "/diary", words + ["--journal", "j"])
        #expect(
          done.status == 1 && done.errors.contains("\(home.homePath)/j/.git\n"), "\(words): \(done)"
        )
      }
      #expect(try await home.diary("init", "j", "--yes").status == 1)
      #expect(!home.exists("j/.diary"))
      try await home.run("rm", ["-r", "j/.git"])
      let inside = try await home.run(Sandbox.programs + "/diary", ["unlock"], in: "j")
      #expect(inside.status == 0 && inside.errors.contains("`cd .` leads"), "\(inside)")
    }
  }

  @Test func `after an unlock that was killed, the way on is told`() async throws {
    try await withJournal {
      for _ in 0..<4 {
        try await lock()
        // gocryptfs is killed with it, or shows the files for a moment, or not at all.
        let kill = """
          diary unlock --journal j </dev/null & unlock=$!
          until pgrep -f "gocryptfs.* $HOME/j$"; do kill -0 $unlock || break; done
          kill -9 $unlock; exec diary unlock --journal j
          """
        let done = try await home.run("sh", ["-c", kill])
        #expect(done.status == 0 || done.status == 3, "\(done)")
        if done.status == 3 { #expect(done.errors.contains("not cleanly"), "\(done)") }
        try await lock()
        try await unlock()
      }
      try await lock()
    }
  }

  @Test func `folders that are renamed while the journal is unlocked`() async throws {
    try await withJournal {
      try await lock()
      try await home.run("sh", ["-c", "mkdir in; mv j.locked in; rmdir j"])
      let unlocked = try await home.diary("unlock", "--journal", "in/j")
      #expect(unlocked.status == 0, "\(unlocked)")
      try await home.run("mv", ["in", "on"])
      // gocryptfs does not find its files any more, so there is nothing that a save could wait for.
      for (folder, words) in [
        ("on/j", "locked, but not cleanly"), ("in/j", "another name: \(home.homePath)/on/j"),
      ] {
        for command in [["list"], ["status"], ["unlock"], ["init", "--yes"], ["save"]] {
          let done = try await home.run(
            Sandbox.programs + "/diary", command + ["--journal", folder])
          #expect(done.status == 3 && done.errors.contains(words), "\(command): \(done)")
        }
      }
      // The commands of the hint.
      let hint = try await home.diary("list", "--journal", "in/j").errors.split(separator: "`")
        .filter { $0.hasPrefix("diary ") }
      #expect(hint.count == 2 && hint.allSatisfy { $0.hasSuffix("/on/j") }, "\(hint)")
      for command in hint {
        #expect(try await home.run("sh", ["-c", String(command)]).status == 0)
      }
      #expect(try await home.diary("list", "--journal", "on/j").output.contains("Rain"))
      // Only where it is not mounted, the folder itself can be renamed.
      let rename = "umount -l on/j && mv on/j on/k"
      let elsewhere = try await home.run("unshare", ["-m", "sh", "-c", rename])
      try #require(elsewhere.status == 0, "\(elsewhere)")
      let list = try await home.diary("list", "--journal", "on/j")
      #expect(list.status == 3 && list.errors.contains("name: \(home.homePath)/on/k"), "\(list)")
      #expect(try await home.diary("unlock", "--journal", "on/j").status == 3)
      let done = try await home.diary("lock", "--journal", "on/j")
      #expect(done.output == "Locked: \(home.homePath)/on/j\n", "\(done)")
      let names = try FileManager.default.contentsOfDirectory(atPath: home.homePath + "/on/k")
      #expect(names == [])
      #expect(try await home.diary("unlock", "--journal", "on/j").status == 0)
      #expect(try await home.diary("list", "--journal", "on/j").output.contains("Rain"))
      #expect(try await home.diary("lock", "--journal", "on/j").status == 0)
    }
  }

  @Test func `another encrypted folder that is shown there does not become the journal's`()
    async throws
  {
    let isMounted = try await home.withEncryptedFolder(at: "vault", of: "enc") {
      let refused = try await home.diary("init", "--encrypted", "vault")
      #expect(
        refused.status == 1 && refused.errors.contains("shows an encrypted folder already"),
        "\(refused)")
      #expect(!home.exists("vault.locked"))
      #expect(try await home.diary("init", "vault").status == 0)
    }
    if !isMounted { try Test.cancel("gocryptfs: NOT RUN (no FUSE may be mounted here)") }
  }

  @Test func `status tells that a program syncs the encrypted files`() async throws {
    try await withJournal {
      let before = try await home.diary("status", "--json", "--journal", "j")
      #expect(before.output.contains("\"encrypted_files_synced_by\":null"), "\(before)")
      try await home.run("mkdir", [".stfolder", "Dropbox"])
      let status = try await home.diary("status", "--journal", "j")
      #expect(status.errors.contains("Syncthing syncs the encrypted files"), "\(status)")
      let json = try await home.diary("status", "--json", "--journal", "j")
      #expect(json.output.contains("\"encrypted_files_synced_by\":\"Syncthing\""), "\(json)")
      try await home.run("rmdir", [".stfolder"])
      try await lock()
      try await home.run("sh", ["-c", "mv j.locked Dropbox; ln -s Dropbox/j.locked ."])
      try await unlock()
      let linked = try await home.diary("status", "--journal", "j")
      #expect(linked.errors.contains("Dropbox syncs the encrypted files"), "\(linked)")
      try await lock()
    }
  }

  @Test func `after an init that was killed, unlock tells how to show the key`() async throws {
    try await withJournal {
      let path = home.environment["PATH"] ?? ""
      let real = try await home.run("sh", ["-c", "command -v gocryptfs"]).output.dropLast()
      for (folder, step) in [("k", ":"), ("l", "\(real) \"$@\"")] {
        _ = try home.script(
          "gocryptfs",
          """
          # gocryptfs starts itself, too.
          [ $(cat /proc/$PPID/comm) = diary ] && [ "$1" != -init ] || exec \(real) "$@"
          \(step)
          kill -9 $PPID

          """)
        home.set("PATH", home.homePath + "/bin:" + path)
        let killed = try await home.diary("init", "--encrypted", folder)
        home.set("PATH", path)
        #expect(killed.status == 137 && !home.exists(folder + "/.diary"), "\(killed)")
        let done = try await home.diary("unlock", "--journal", folder)
        let settings = "\(home.homePath)/\(folder).locked/gocryptfs.conf"
        let command = "`gocryptfs-xray -dumpmasterkey \(settings)`"
        #expect(done.status == 0 && done.errors.contains(command), "\(done)")
        // The same command goes on, too.
        let made = try await home.run(
          Sandbox.programs + "/diary",
          ["init"] + (step == ":" ? [folder] : ["--encrypted", folder]))
        #expect(made.status == 0, "\(made)")
        let again = try await home.diary("unlock", "--journal", folder)
        #expect(again.status == 0 && again.errors == "", "\(again)")
        #expect(try await home.diary("lock", "--journal", folder).status == 0)
      }
    }
  }

  @Test func `a repository outside of the folder is refused`() async throws {
    try await withJournal {
      try await home.git("init", "-q", "outer", in: ".")
      let joined = try await home.diary("init", "--encrypted", "--join", "outer/sub")
      #expect(joined.status == 64 && !home.exists("outer/sub.locked"), "\(joined)")
      // One of its own is made without a question.
      let own = try await home.diary("init", "--encrypted", "outer/own")
      #expect(own.status == 0 && home.exists("outer/own/.git"), "\(own)")
      #expect(try await home.diary("lock", "--journal", "outer/own").status == 0)
      try await home.git("commit", "-q", "--allow-empty", "-m", "one", in: "outer")
      try await home.run("mkdir", ["tree.locked"])
      try await home.run("gocryptfs", ["-init", "-q", "tree.locked"], input: "the word\n")
      #expect(try await home.diary("unlock", "--journal", "tree").status == 0)
      try await home.diary("init", "base")
      try await home.git("worktree", "add", "-q", home.homePath + "/tree", "-b", "side", in: "base")
      let new = try await home.diary("new", "Secret", "-m", "Words.", "--journal", "tree")
      #expect(new.status == 1 && new.errors.contains("its git repository is elsewhere"), "\(new)")
      try await home.run("fusermount3", ["-u", "tree"])
      try await lock()
    }
  }

  @Test func `a password of any bytes is the one that gocryptfs gets`() async throws {
    try await withJournal {
      let command = #"printf '\377\376abc\n'"#
      let made = try await home.diary("init", "--encrypted", "--password-command", command, "k")
      #expect(made.status == 0, "\(made)")
      #expect(try await home.diary("lock", "--journal", "k").status == 0)
      let other = try await home.diary(
        "unlock", "--journal", "k", "--password-command", #"printf '\374\375abc\n'"#)
      #expect(other.status == 3, "\(other)")
      let alone = try await home.run(
        "sh", ["-c", "\(command) | gocryptfs-xray -dumpmasterkey k.locked/gocryptfs.conf"])
      #expect(alone.status == 0, "\(alone)")
      try await lock()
    }
  }
}
