import Foundation
import TestSupport
import Testing

/// Which host gets the journal, when there are several or when one is named otherwise than it is.
extension SealedSetupTests {
  /// Runs a command on another device of the same person, which has the key but not the settings.
  private func onDevice(_ name: String, _ arguments: String...) async throws
    -> Sandbox.ProgramResult
  {
    let config = "\(home.homePath)/\(name)-config"
    try FileManager.default.createDirectory(
      atPath: config + "/diary", withIntermediateDirectories: true)
    try await home.run("cp", ["-a", "-T", keys, config + "/diary/keys"])
    return try await home.run(
      "env", ["XDG_CONFIG_HOME=" + config, Sandbox.programs + "/diary"] + arguments, in: name)
  }

  private func holdsPlainText(_ host: String) async throws -> Bool {
    let refs = try await home.git("for-each-ref", "--format=%(refname)", in: host)
    for ref in refs.split(separator: "\n") {
      let found = try await home.run("git", ["grep", "-q", "lapwing", String(ref)], in: host)
      if found.status == 0 { return true }
    }
    return false
  }

  @Test func `each device has its own name for the sealed remote, and never goes back to another`()
    async throws
  {
    try await home.git("init", "-q", "--bare", "plain.git", in: "")
    #expect(try await home.diary("init", "a", "--remote", "plain.git").status == 0)
    try await home.git("clone", "-q", "-o", "nas", "plain.git", "b", in: "")
    #expect(try await home.diary("init", ".", "--yes", in: "b").status == 0)
    #expect(try await initSealed("a").status == 0)
    #expect(try await home.git("config", "diary.sealedRemote", in: "a") == "sealed\n")
    try await home.git("init", "-q", "--bare", "third.git", in: "")
    let host = "\(home.homePath)/host.git"
    let joined = try await onDevice("b", "init", ".", "--remote", host, "--sealed", "--yes")
    #expect(joined.status == 0, "\(joined)")
    try await home.diary("new", "b", "-m", "A lapwing.", in: "b")
    let sync = try await onDevice("b", "sync")
    #expect(sync.status == 0 && sync.errors.contains("In sync with \"origin\""), "\(sync)")
    #expect(try await !holdsPlainText("plain.git"))
    #expect(try await home.diary("sync", in: "a").status == 0)
    #expect(try await home.diary("list", in: "a").output.contains("b"))

    // The next key, on devices where the hosts have other names.
    try await home.git("clone", "-q", "diary::" + host, "c", in: "")
    #expect(try await home.diary("init", ".", "--yes", in: "c").status == 0)
    let before = try await home.git("rev-parse", "sealed", in: "host.git")
    let third = home.homePath + "/third.git"
    for device in ["a", "c", "b"] {
      let moved = try await home.diary(
        "init", ".", "--remote", third, "--sealed", "--yes", in: device)
      #expect(moved.status == 0, "\(moved)")
    }
    for device in ["a", "c", "b"] {
      try await home.diary("new", "late " + device, "-m", "A lapwing.", in: device)
      #expect(try await home.diary("sync", in: device).status == 0)
    }
    #expect(try await home.git("rev-parse", "sealed", in: "host.git") == before)
    #expect(try await !holdsPlainText("plain.git"))
    #expect(try await home.diary("clone", "--sealed", third, "d").status == 0)
    let list = try await home.diary("list", in: "d").output
    for device in ["a", "b", "c"] { #expect(list.contains("late " + device), "\(list)") }
  }

  @Test func `a setting that arrives through the sealed remote does not lead away from it`()
    async throws
  {
    #expect(try await initSealed("a").status == 0)
    try await home.git("init", "-q", "--bare", "plain.git", in: "")
    let host = "\(home.homePath)/host.git"
    try await home.git("clone", "-q", "diary::" + host, "b", in: "")
    for device in ["a", "b"] {
      try await home.git("remote", "add", "backup", "../plain.git", in: device)
    }
    let sealed = try await home.git("config", "diary.sealedRemote", in: "a").dropLast()
    #expect(try await home.diary("config", "sync.remote", "backup", in: "a").status == 0)
    let sent = try await home.run(
      "sh", ["-c", "DIARY_SYNC__REMOTE=\(sealed) \(Sandbox.programs)/diary sync"], in: "a")
    #expect(sent.status == 0, "\(sent)")
    // A git that was killed has left a lock.
    try home.write("", to: "b/.git/config.lock")
    let stopped = try await home.diary("sync", in: "b")
    #expect(stopped.status == 1 && stopped.errors.contains("remove this file: "), "\(stopped)")
    try await home.run("rm", ["b/.git/config.lock"])
    try await home.diary("new", "plover", "-m", "A lapwing.", in: "b")
    for _ in 0..<2 {
      let sync = try await home.diary("sync", in: "b")
      #expect(sync.status == 0 && sync.errors.contains("In sync with \"origin\""), "\(sync)")
    }
    #expect(try await home.git("for-each-ref", in: "plain.git") == "")
    // What this device chooses, it gets.
    #expect(try await home.diary("config", "sync.remote", "origin", in: "b").status == 0)
    let plain = try await home.diary("config", "sync.remote", "backup", in: "b")
    #expect(plain.status == 0 && plain.errors.contains("no longer sealed"), "\(plain)")
    let chosen = try await home.diary("sync", in: "b")
    #expect(chosen.errors.contains("In sync with \"backup\""), "\(chosen)")
  }

  @Test func `after a first push that failed, a sync goes to the sealed remote`() async throws {
    try await home.git("init", "-q", "--bare", "plain.git", in: "")
    // A repository of the user's own, with a commit that Diary did not make.
    try home.write("x\n", to: "a/a.md")
    let own = """
      git init -q && git add . && git commit -qm mine && git remote add origin ../plain.git &&
      git push -q -u origin HEAD:main
      """
    try #require(try await home.run("sh", ["-c", own], in: "a").status == 0)
    #expect(try await home.diary("init", ".", "--yes", in: "a").status == 0)
    let refused = try await initSealed("a")
    let push = "git -C \(home.homePath)/a push sealed main"
    #expect(refused.status == 1 && refused.errors.contains("`\(push)`"), "\(refused)")
    try home.write("A lapwing.\n", to: "a/plover.md")
    #expect(try await home.diary("sync", in: "a").errors.contains(push))
    #expect(try await home.run("sh", ["-c", push]).status == 0)
    for _ in 0..<2 {
      let sync = try await home.diary("sync", in: "a")
      #expect(sync.status == 0 && sync.errors.contains("In sync with \"sealed\""), "\(sync)")
    }
    #expect(try await !holdsPlainText("plain.git"))

    // The host refuses once.
    #expect(try await home.diary("init", "b", "--remote", "plain-b.git").status == 1)
    try await home.git("init", "-q", "--bare", "plain-b.git", in: "")
    #expect(try await home.diary("sync", in: "b").status == 0)
    try await home.git("init", "-q", "--bare", "full.git", in: "")
    try home.write("#!/bin/sh\nexit 1\n", to: "full.git/hooks/pre-receive")
    try await home.run("chmod", ["755", "full.git/hooks/pre-receive"])
    let failed = try await home.diary("init", "b", "--remote", "full.git", "--sealed", "--yes")
    #expect(failed.status == 1, "\(failed)")
    try await home.run("rm", ["full.git/hooks/pre-receive"])
    try await home.diary("new", "b", "-m", "A lapwing.", in: "b")
    let sync = try await home.diary("sync", in: "b")
    #expect(sync.status == 0 && sync.errors.contains("In sync with \"sealed\""), "\(sync)")
    #expect(try await !holdsPlainText("plain-b.git"))
    // A push address that is the host of a sealed remote, where the branch is in sync already.
    try await home.git("remote", "set-url", "--add", "origin", "../full.git", in: "b")
    let both = try await home.run(
      "sh", ["-c", "DIARY_SYNC__REMOTE=origin \(Sandbox.programs)/diary sync"], in: "b")
    #expect(both.status == 1 && both.errors.contains("the host has a sealed remote"), "\(both)")
    #expect(
      try await home.git("for-each-ref", "--format=%(refname)", in: "full.git")
        == "refs/heads/sealed\n")
  }

  @Test func `a host on which somebody added a file is a sealed one`() async throws {
    #expect(try await initSealed("a").status == 0)
    let before = try await home.git("rev-parse", "sealed", in: "host.git").dropLast()
    let add = """
      git clone -q -b sealed host.git x && cd x && git commit -q --allow-empty -m trigger
      echo hi >README.md && git add . && git commit -q -m readme && git push -q
      """
    try #require(try await home.run("sh", ["-ec", add]).status == 0)
    // An empty commit is none of the sealed remote's, either.
    let command = "git update-ref refs/heads/sealed \(before)"
    let sealed = try await home.diary("clone", "--sealed", "host.git", "b")
    #expect(sealed.status == 1 && sealed.errors.contains(command), "\(sealed)")
    let plain = try await home.diary("clone", "host.git", "c")
    #expect(plain.status == 1 && plain.errors.contains("the host has a sealed remote"), "\(plain)")
    #expect(!home.exists("b") && !home.exists("c"))
    let stopped = try await home.diary("sync", in: "a")
    #expect(stopped.errors.contains(command), "\(stopped)")
    try await home.git("reset", "-q", "--hard", "HEAD~1", in: "x")
    try await home.git("push", "-q", "-f", in: "x")
    let empty = try await home.diary("sync", in: "a")
    #expect(empty.errors.contains(command), "\(empty)")
    let parts = command.split(separator: " ").dropFirst().map(String.init)
    try await home.run("git", parts, in: "host.git")
    #expect(try await home.diary("sync", in: "a").status == 0)
    // The branch has got another name.
    try await home.git("branch", "-m", "sealed", "main", in: "host.git")
    let renamed = try await home.diary("clone", "--sealed", "host.git", "b")
    #expect(renamed.status == 1 && renamed.errors.contains("call it `sealed` again"), "\(renamed)")
  }

  @Test func `a sealed remote that has got another name is missing, until a setting names one`()
    async throws
  {
    try await home.git("init", "-q", "--bare", "plain.git", in: "")
    #expect(try await home.diary("init", "a", "--remote", "plain.git").status == 0)
    #expect(try await initSealed("a").status == 0)
    try await home.git("remote", "rename", "sealed", "other", in: "a")
    try await home.diary("new", "plover", "-m", "A lapwing.", in: "a")
    let lost = try await home.diary("sync", in: "a")
    #expect(
      lost.status == 1 && lost.errors.contains("git has no sealed remote \"sealed\""), "\(lost)")
    let status = try await home.diary("status", in: "a")
    #expect(status.output.contains("git has no sealed remote \"sealed\""), "\(status)")
    #expect(status.output.contains("sealed\n"), "\(status)")
    #expect(try await !holdsPlainText("plain.git"))
    // Nor does a new remote take its place by itself.
    try await home.git("remote", "rename", "origin", "old", in: "a")
    let new = try await home.diary("init", ".", "--remote", "../plain.git", in: "a")
    #expect(new.status == 1 && new.errors.contains("the sealed remote \"sealed\""), "\(new)")
    #expect(try await home.git("remote", in: "a") == "old\nother\n")
    try await home.git("remote", "rename", "old", "origin", in: "a")
    try await home.git("config", "diary.sealedRemote", "other", in: "a")
    let sync = try await home.diary("sync", in: "a")
    #expect(sync.status == 0 && sync.errors.contains("In sync with \"other\""), "\(sync)")
    try await home.diary("config", "sync.remote", "origin", in: "a")
    let plain = try await home.diary("sync", in: "a")
    #expect(plain.status == 0 && plain.errors.contains("In sync with \"origin\""), "\(plain)")
    #expect(try !home.read("a/.git/config").contains("[diary]"))
    // Chosen again, it is remembered again.
    try await home.diary("config", "sync.remote", "other", in: "a")
    #expect(try await home.git("config", "diary.sealedRemote", in: "a") == "other\n")
    try await home.diary("config", "sync.remote", "origin", in: "a")
    try await home.diary("config", "--unset", "sync.remote", in: "a")
    try await home.git("remote", "rename", "origin", "plain", in: "a")
    try await home.git("remote", "rename", "other", "origin", in: "a")
    #expect(try await home.diary("sync", "--accept-rewritten", in: "a").status == 0)
    #expect(try await home.git("config", "diary.sealedRemote", in: "a") == "origin\n")
    try await home.git("remote", "rename", "origin", "other", in: "a")
    try await home.git("remote", "rename", "plain", "origin", in: "a")

    // A shared setting that another device has made.
    try await home.git("clone", "-q", "-o", "nas", "plain.git", "b", in: "")
    try await home.git("remote", "add", "seal", "diary::\(home.homePath)/host.git", in: "b")
    try await home.diary("init", ".", "--yes", in: "b")
    try await home.diary("config", "sync.remote", "sealed", in: "b")
    let other = try await home.diary("sync", in: "b")
    #expect(other.status == 1 && other.errors.contains("git has no remote \"sealed\""), "\(other)")
  }

  @Test func `a host that is sealed never gets the journal in plain`() async throws {
    #expect(try await initSealed("a").status == 0)
    let before = try await home.git("for-each-ref", in: "host.git")
    for folder in ["c", "new"] {
      if folder == "c" {
        try FileManager.default.createDirectory(
          atPath: home.homePath + "/c", withIntermediateDirectories: false)
      }
      let clone = try await home.diary("clone", "host.git", folder)
      #expect(
        clone.status == 1 && clone.errors.contains("the host has a sealed remote"), "\(clone)")
      #expect(clone.errors.contains("hint: `diary clone --sealed host.git"), "\(clone)")
      #expect(home.files(in: folder) == [] && home.exists(folder) == (folder == "c"))
    }
    // As git alone clones it.
    try await home.git("clone", "-q", "-b", "sealed", "host.git", "d", in: "")
    try await home.diary("init", ".", "--yes", in: "d")
    try await home.diary("new", "plover", "-m", "A lapwing.", in: "d")
    let sync = try await home.diary("sync", in: "d")
    #expect(sync.status == 1 && sync.errors.contains("to it in plain"), "\(sync)")
    #expect(try await home.git("for-each-ref", in: "host.git") == before)

    // On another host, a branch of that name is the user's.
    try await home.git("init", "-q", "--bare", "notes.git", in: "")
    try await home.git("init", "-q", "-b", "sealed", "notes", in: "")
    try home.write("x", to: "notes/refs.age")
    try home.write("y", to: "notes/letters")
    try await home.run(
      "sh", ["-c", "git add . && git commit -qm x && git push -q ../notes.git sealed:sealed"],
      in: "notes")
    let notes = try await home.diary("clone", "notes.git", "g")
    #expect(notes.status == 1 && notes.errors.contains("is not a journal"), "\(notes)")
    #expect(try home.read("g/letters") == "y")
    let seal = try await home.diary("init", "h", "--remote", "notes.git", "--sealed", "--yes")
    #expect(seal.status == 1 && seal.errors.contains("that is not sealed"), "\(seal)")
    let beside = try await home.diary("init", "h", "--remote", "notes.git")
    #expect(beside.status == 0, "\(beside)")

    // Beside other branches, too.
    try await home.git("branch", "other", "sealed", in: "host.git")
    try await home.diary("init", "e")
    let plain = try await home.diary("init", "e", "--remote", "host.git")
    #expect(plain.status == 1 && plain.errors.contains("in plain"), "\(plain)")
    #expect(try await hostRefs() == "refs/heads/other\nrefs/heads/sealed\n")
    let clone = try await home.diary("clone", "--sealed", "host.git", "f")
    #expect(clone.status == 0, "\(clone)")
    // Other files on the branch that is checked out are cloned.
    try await home.git("push", "-q", "../host.git", "sealed:main", in: "notes")
    let notes2 = try await home.diary("clone", "host.git", "k")
    #expect(notes2.status == 1 && notes2.errors.contains("is not a journal"), "\(notes2)")
    #expect(try home.read("k/letters") == "y")
  }

  @Test func `after something else was pushed to the host, the way back is told`() async throws {
    #expect(try await initSealed("a").status == 0)
    #expect(try await home.diary("clone", "--sealed", "host.git", "b").status == 0)
    try await home.diary("new", "plover", "-m", "A lapwing.", in: "b")
    #expect(try await home.diary("sync", in: "b").status == 0)
    // The newest state, which the first device has not seen.
    let tip = try await home.git("rev-parse", "sealed", in: "host.git").dropLast()
    try await home.git("clone", "-q", "-b", "sealed", "host.git", "d", in: "")
    try home.write("x", to: "d/x")
    try await home.run("sh", ["-c", "git add x && git commit -qm x && git push -q"], in: "d")
    let sync = try await home.diary("sync", in: "a")
    #expect(sync.errors.contains("`git update-ref refs/heads/sealed \(tip)`"), "\(sync)")
    try await home.git("update-ref", "refs/heads/sealed", String(tip), in: "host.git")
    #expect(try await home.diary("sync", in: "a").status == 0)
  }

  @Test func `a clone stays with its sealed remote, also a branch of it that is called sealed`()
    async throws
  {
    #expect(try await initSealed("a").status == 0)
    #expect(try await home.diary("clone", "--sealed", "host.git", "b").status == 0)
    try await home.git("init", "-q", "--bare", "usb.git", in: "")
    try await home.diary("new", "plover", "-m", "A lapwing.", in: "b")
    try await home.git("branch", "sealed", in: "b")
    try await home.git("push", "-q", "origin", "sealed", in: "b")
    try await home.git("switch", "-q", "-c", "second", in: "b")
    let second = try await home.diary("sync", in: "b")
    #expect(second.status == 0 && second.errors.contains("In sync with \"origin\""), "\(second)")
    try await home.git("remote", "add", "usb", "../usb.git", in: "b")
    try await home.git("remote", "remove", "origin", in: "b")
    let lost = try await home.diary("sync", in: "b")
    #expect(
      lost.status == 1 && lost.errors.contains("git has no sealed remote \"origin\""), "\(lost)")
    #expect(try await home.diary("leave", "--yes", in: "b").status == 0)
    #expect(try await home.diary("init", ".", "--yes", in: "b").status == 0)
    #expect(try await home.diary("sync", in: "b").status == 1)
    #expect(try await home.git("for-each-ref", in: "usb.git") == "")
  }

  @Test func `a host that was emptied is filled again by a sync, with the same key`() async throws {
    #expect(try await initSealed("a").status == 0)
    let name = try #require(keyNames().first)
    try await home.run("mv", ["\(keys)/\(name)", "\(keys)/mine.txt"])
    try await home.git("init", "-q", "--bare", "third.git", in: "")
    #expect(
      try await home.diary("init", "c", "--remote", "third.git", "--sealed", "--yes").status == 0)
    try await home.run("sh", ["-c", "rm -rf host.git; git init -q --bare host.git"])
    #expect(try await home.diary("sync", in: "a").status == 1)
    let filled = try await home.diary("sync", "--accept-rewritten", in: "a")
    #expect(filled.status == 0, "\(filled)")
    #expect(try await home.diary("sync", in: "a").status == 0)
    for key in keyNames() where key != "mine.txt" {
      try FileManager.default.removeItem(atPath: "\(keys)/\(key)")
    }
    #expect(try await home.diary("clone", "--sealed", "host.git", "d").status == 0)
  }

  @Test func `the key that init shows is the one that seals a host that was emptied`() async throws
  {
    #expect(try await initSealed("a").status == 0)
    let name = try #require(keyNames().first)
    // As on another device, where `key add` has stored it.
    try await home.run("mv", ["\(keys)/\(name)", "\(keys)/key.txt"])
    try await home.run("sh", ["-c", "rm -rf host.git; git init -q --bare host.git"])
    let lost = try await initSealed("a")
    #expect(lost.errors.contains("\(keys)/key.txt") && keyNames() == ["key.txt"], "\(lost)")
    #expect(try await home.diary("sync", "--accept-rewritten", in: "a").status == 0)
    #expect(try await home.diary("key", in: "a").output.contains("\(keys)/key.txt"))
    let opened = "git cat-file blob sealed:refs.age | age -d -i '\(keys)/key.txt'"
    #expect(try await home.run("sh", ["-c", opened], in: "host.git").status == 0)
  }

  @Test func `all addresses of a remote get what they lack`() async throws {
    #expect(try await initSealed("a").status == 0)
    try await home.git("init", "-q", "--bare", "stick.git", in: "")
    let second = "diary::\(home.homePath)/stick.git"
    try await home.git("remote", "set-url", "--add", "origin", second, in: "a")
    try await home.run("mv", ["stick.git", "away"])
    try await home.diary("new", "plover", "-m", "A lapwing.", in: "a")
    let first = try await home.diary("sync", in: "a")
    #expect(first.status == 1, "\(first)")
    try await home.run("mv", ["away", "stick.git"])
    #expect(try await home.diary("sync", in: "a").status == 0)
    let heads = ["host.git", "stick.git"].map { "diary::\(home.homePath)/\($0)" }
    for address in heads {
      let list = try await home.git("ls-remote", address, "main", in: "a")
      #expect(
        try await list.hasPrefix(home.git("rev-parse", "main", in: "a").dropLast()), "\(list)")
    }
    // git fetches from the first.
    #expect(try await home.diary("status", in: "a").output.contains("host.git"))
  }

  @Test func `a sealed branch that has got another name is not called plain by sync alone`()
    async throws
  {
    #expect(try await initSealed("a").status == 0)
    try await home.git("branch", "-m", "sealed", "other", in: "host.git")
    let done = try await home.diary("sync", in: "a")
    #expect(done.status == 1 && done.errors.contains("call it `sealed` again"), "\(done)")
  }

  @Test func `no setting or name leads from a sealed remote to a plain one by itself`() async throws
  {
    try await home.git("init", "-q", "--bare", "plain.git", in: "")
    // The plain remote has got another name before: the sealed one gets its name.
    #expect(try await home.diary("init", "a", "--remote", "plain.git").status == 0)
    try await home.git("remote", "rename", "origin", "backup", in: "a")
    let sealed = try await initSealed("a")
    #expect(sealed.status == 0 && sealed.errors.contains("In sync with \"origin\""), "\(sealed)")
    let before = try await home.git("for-each-ref", in: "plain.git")
    func syncs(_ remote: String?) async throws {
      try await home.diary("new", "plover", "-m", "A lapwing.", in: "a")
      let sync = try await home.diary("sync", in: "a")
      #expect(sync.status == (remote == nil ? 1 : 0), "\(sync)")
      #expect(
        sync.errors.contains(remote.map { "In sync with \"\($0)\"" } ?? "git has no"), "\(sync)")
      #expect(try await home.git("for-each-ref", in: "plain.git") == before)
    }
    try await syncs("origin")
    try await home.diary("config", "sync.remote", "origin", in: "a")
    try await home.diary("config", "--unset", "sync.remote", in: "a")
    #expect(try await home.git("config", "diary.sealedRemote", in: "a") == "origin\n")
    try await home.git("push", "-q", "-u", "backup", "main", in: "a")
    let pushed = try await home.git("for-each-ref", in: "plain.git")
    try await home.git("remote", "rename", "origin", "vault", in: "a")
    for setting in [nil, "", "a b", "origin", "other"] {
      home.set("DIARY_SYNC__REMOTE", setting)
      let sync = try await home.diary("sync", in: "a")
      #expect(
        sync.status == 1 && sync.errors.contains("git has no"), "\(setting ?? "none"): \(sync)")
    }
    home.set("DIARY_SYNC__REMOTE", nil)
    // A plain one of that name is another one.
    try await home.git("remote", "rename", "backup", "origin", in: "a")
    #expect(try await home.diary("sync", "--accept-rewritten", in: "a").status == 1)
    #expect(try await home.git("for-each-ref", in: "plain.git") == pushed)
    try await home.git("remote", "rename", "origin", "backup", in: "a")
    // A name that git does not know changes nothing, nor does a personal setting for all journals.
    try await home.diary("config", "sync.remote", "nowhere", in: "a")
    try await home.diary("config", "--personal", "sync.remote", "backup", in: "a")
    #expect(try await home.diary("sync", in: "a").status == 1)
    try await home.git("config", "diary.sealedRemote", "vault", in: "a")
    let sync = try await home.diary("sync", in: "a")
    #expect(sync.status == 0 && sync.errors.contains("In sync with \"vault\""), "\(sync)")
    #expect(try await home.git("for-each-ref", in: "plain.git") == pushed)
  }

  @Test func `an address for pushes is looked at, too, and a host that does not answer`()
    async throws
  {
    #expect(try await initSealed("a").status == 0)
    try await home.git("init", "-q", "--bare", "plain.git", in: "")
    #expect(try await home.diary("init", "e", "--remote", "plain.git").status == 0)
    try await home.diary("new", "plover", "-m", "A lapwing.", in: "e")
    try await home.git("init", "-q", "--bare", "empty.git", in: "")
    let empty = home.homePath + "/empty.git"
    let host = home.homePath + "/host.git"
    for change in [
      "git remote set-url --push origin \(host)", "git remote set-url --add origin \(host)",
      "git config url.\(host).pushInsteadOf \(empty)",
    ] {
      try await home.git("remote", "set-url", "origin", empty, in: "e")
      try await home.run("sh", ["-c", change], in: "e")
      let sync = try await home.diary("sync", "--accept-rewritten", in: "e")
      #expect(sync.status == 1 && sync.errors.contains("to it in plain"), "\(change): \(sync)")
      #expect(try await hostRefs() == "refs/heads/sealed\n")
      try await home.run(
        "sh",
        [
          "-c",
          "git config --unset-all remote.origin.pushurl; git config --remove-section url.\(host); "
            + "git config --replace-all remote.origin.url \(home.homePath)/plain.git",
        ], in: "e")
    }
    #expect(try await home.diary("sync", "--accept-rewritten", in: "e").status == 0)

    // The one connection fails that asks for the branches of a host before the first push.
    try await home.git("remote", "set-url", "origin", "host:host.git", in: "e")
    let script = try home.script(
      "way",
      """
      echo x >>~/calls
      case "$*" in *upload-pack*) [ $(wc -l <~/calls) = 2 ] && exit 1 ;; esac
      cd && exec sh -c "${*#host }"

      """)
    home.set("GIT_SSH_COMMAND", script)
    home.set("GIT_SSH_VARIANT", "simple")
    let sync = try await home.diary("sync", "--accept-rewritten", in: "e")
    #expect(sync.status == 1, "\(sync)")
    #expect(try await hostRefs() == "refs/heads/sealed\n")
  }

  @Test
  func `a plain remote stays the journal's beside a sealed one that is named for one command`()
    async throws
  {
    #expect(try await initSealed("a").status == 0)
    try await home.git("init", "-q", "--bare", "plain.git", in: "")
    #expect(try await home.diary("init", "e", "--remote", "plain.git").status == 0)
    try await home.git("init", "-q", "--bare", "backup.git", in: "")
    try await home.git(
      "remote", "add", "backup", "diary::\(home.homePath)/backup.git", in: "e")
    home.set("DIARY_SYNC__REMOTE", "backup")
    #expect(try await home.diary("sync", in: "e").status == 0)
    home.set("DIARY_SYNC__REMOTE", nil)
    let sync = try await home.diary("sync", in: "e")
    #expect(sync.status == 0 && sync.errors.contains("In sync with \"origin\""), "\(sync)")
    // Under another name, which the branch has.
    try await home.git("remote", "rename", "origin", "github", in: "e")
    let other = try await home.diary("sync", in: "e")
    #expect(other.status == 0 && other.errors.contains("In sync with \"github\""), "\(other)")
  }

  @Test func `a plain host is reached as git reaches it, and one that is away keeps nothing back`()
    async throws
  {
    for name in ["plain.git", "far/away/h.git"] {
      try await home.git("init", "-q", "--bare", name, in: "")
    }
    let folder = home.homePath
    #expect(try await home.diary("init", "e", "--remote", "plain.git").status == 0)
    // git replaces the beginning once.
    try await home.git(
      "config", "url.\(folder)/far/away/.insteadOf", "\(folder)/far/", in: "e")
    try await home.git("remote", "set-url", "origin", "\(folder)/far/h.git", in: "e")
    let first = try await home.diary("sync", "--accept-rewritten", in: "e")
    #expect(first.status == 0, "\(first)")

    try await home.git("remote", "set-url", "origin", "\(folder)/plain.git", in: "e")
    for host in ["plain.git", "stick.git"] {
      try await home.git(
        "remote", "set-url", "--add", "--push", "origin", "\(folder)/\(host)", in: "e")
    }
    try await home.git("switch", "-q", "-c", "second", in: "e")
    try await home.diary("new", "plover", "-m", "A lapwing.", in: "e")
    #expect(try await home.diary("sync", in: "e").status == 1)
    #expect(try await holdsPlainText("plain.git"))

    // Where git is not on the path of the server.
    try await home.git("init", "-q", "--bare", "nas.git", in: "")
    try await home.git("remote", "add", "nas", "nas:nas.git", in: "e")
    for program in ["upload-pack", "receive-pack"] {
      let path = try await home.run("sh", ["-c", "command -v git-\(program)"]).output.dropLast()
      try await home.git(
        "config", "remote.nas." + program.replacing("-", with: ""), String(path), in: "e")
    }
    home.set(
      "GIT_SSH_COMMAND", try home.script("way", "cd; PATH=/nowhere exec /bin/sh -c \"${*#nas }\"\n")
    )
    home.set("GIT_SSH_VARIANT", "simple")
    try await home.diary("config", "sync.remote", "nas", in: "e")
    let nas = try await home.diary("sync", in: "e")
    #expect(nas.status == 0, "\(nas)")
    #expect(try await holdsPlainText("nas.git"))
  }

  @Test func `a watcher with older settings does not choose the sealed remote again`() async throws
  {
    #expect(try await initSealed("a").status == 0)
    try await home.git("init", "-q", "--bare", "plain.git", in: "")
    try await home.git("remote", "add", "backup", "../plain.git", in: "a")
    home.setAutosave(settle: "200ms", sitting: "300ms")
    home.set("DIARY_SYNC__PUSH_AFTER", "0s")
    try await BackgroundProcess.run(
      home, Sandbox.programs + "/diary", ["watch", "--sync"], in: "a"
    ) { watcher in
      #expect(await watcher.prints("watching"))
      try await home.diary("config", "sync.remote", "backup", in: "a")
      try home.write("---\ndate: 2026-01-02 10:00\nweather: none\n---\nWords.\n", to: "a/late.md")
      let isPushed = await Sandbox.holds {
        watcher.output.split(separator: "\n").last?.contains("pushed") == true
          && watcher.output.contains("late.md")
      }
      #expect(isPushed, "\(watcher.output)")
    }
    let key = try await home.run("git", ["config", "diary.sealedRemote"], in: "a")
    #expect(key.status == 1, "\(key)")
  }
}
