import Foundation
import TestSupport
import Testing

@Suite struct SealedPushTests {
  @Test func `a push and a clone carry the history, and the host holds no word of it`() async throws
  {
    let world = try await SealedWorld()
    try await world.device("a")
    try await world.commit("a", "plover.md", "Lapwings at Rainworth")
    try await world.home.git("push", "--quiet", "origin", "main", in: "a")
    try await world.clone("b")
    #expect(try world.home.read("b/plover.md") == "Lapwings at Rainworth")
    #expect(
      try await world.git("b", "status", "--short", "--branch").output == "## main...origin/main\n")
    try await world.commit("b", "two", "Quenby")
    try await world.home.git("push", "--quiet", in: "b")
    try await world.home.git("pull", "--quiet", "origin", "main", in: "a")
    #expect(try await world.tip("a", "HEAD") == world.tip("b", "HEAD"))

    let objects = try await world.git(
      "host", "cat-file", "--batch-all-objects", "--batch", "--buffer")
    let name = try await world.tip("a", "HEAD")
    for word in ["plover", "Lapwings", "Quenby", "Test Writer", "main", name] {
      #expect(!objects.output.contains(word), "\(word)")
    }
    let log = try await world.git("host", "log", "--format=%an %ae %s %ai", "sealed").output
    let lines = Set(log.split(separator: "\n"))
    #expect(lines.count <= 2 && lines.allSatisfy { $0.hasSuffix("00:00:00 +0000") }, "\(log)")
    #expect(try await world.git("a", "fsck", "--strict").status == 0)
    #expect(
      try FileManager.default.attributesOfItem(
        atPath: "\(world.home.homePath)/a/.git/diary/sealed")[
          .posixPermissions] as? Int == 0o700)
  }

  // MARK: Races

  @Test func `a push between git's list and its push is not overwritten`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    let other = try await world.commit("b", "two", "of b")
    try await world.commit("a", "two", "of a")
    try world.hook("pre-push", in: "a/.git", "other -C b push --quiet")
    let push = try await world.git("a", "push", "--porcelain", "origin", "main")
    #expect(push.status == 1 && push.output.contains("(fetch first)"), "\(push)")
    #expect(try await world.remoteRefs()["refs/heads/main"] == other)
  }

  @Test func `a push between the building of a commit and its sending is not overwritten`()
    async throws
  {
    let world = try await SealedWorld()
    try await world.pair()
    let other = try await world.commit("b", "two", "of b")
    try await world.commit("a", "two", "of a")
    try world.hook("pre-receive", in: "host", "rm host/hooks/pre-receive; other -C b push --quiet")
    let push = try await world.git("a", "push", "--porcelain", "origin", "main")
    #expect(push.status == 1 && push.output.contains("(fetch first)"), "\(push)")
    #expect(try await world.remoteRefs()["refs/heads/main"] == other)
    #expect(!world.home.exists("host/hooks/pre-receive"))
  }

  @Test func `a push that loses both races to pushes of other branches arrives`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    try await world.commit("b", "two", "of b")
    let mine = try await world.commit("a", "two", "of a")
    try world.hook("pre-push", in: "a/.git", "other -C b push --quiet origin HEAD:refs/heads/early")
    try world.hook(
      "pre-receive", in: "host",
      "[ -f first ] || { touch first; exit 0; }; rm host/hooks/pre-receive; other -C b push --quiet origin HEAD:refs/heads/late"
    )
    let push = try await world.git("a", "push", "--porcelain", "origin", "main")
    #expect(push.status == 0, "\(push)")
    let refs = try await world.remoteRefs()
    #expect(refs["refs/heads/main"] == mine && refs["refs/heads/early"] == refs["refs/heads/late"])
    try await world.clone("c")
    #expect(try await world.git("c", "fsck").status == 0)
    #expect(try await world.tip("c", "origin/late") == world.tip("b", "HEAD"))
  }

  @Test func `a push that loses five times ends with git's own words`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    try await world.commit("a", "two", "of a")
    try world.hook(
      "pre-receive", in: "host",
      """
      [ -f busy ] && exit 0
      touch busy; echo >>tries
      other -C b push --quiet origin HEAD:refs/heads/$(wc -l <tries)
      rm busy
      """)
    let push = try await world.git("a", "push", "--porcelain", "origin", "main")
    #expect(push.status == 1 && push.output.contains("(fetch first)"), "\(push)")
    #expect(try world.home.read("tries").count == 5)
  }

  @Test func `a forced push does not drop what was pushed since git listed the refs`() async throws
  {
    let world = try await SealedWorld()
    try await world.pair()
    try await world.commit("a", "two", "of a")
    try await world.home.git("push", "--quiet", in: "a")
    let other = try await world.commit("b", "three", "of b")
    try world.hook(
      "pre-receive", in: "host",
      "rm host/hooks/pre-receive; other -C b pull --quiet --rebase && other -C b push --quiet")
    let push = try await world.git("a", "push", "--porcelain", "--force", "origin", "HEAD~:main")
    #expect(push.status == 1 && push.output.contains("(fetch first)"), "\(push)")
    let refs = try await world.remoteRefs()
    #expect(try await refs["refs/heads/main"] == world.tip("b", "HEAD"))
    #expect(
      try await world.tip("b", "HEAD") != other && !world.home.exists("host/hooks/pre-receive"))
  }

  // MARK: Names

  @Test func `composed and decomposed names are two branches`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    let names = [
      "한글".precomposedStringWithCanonicalMapping, "한글".decomposedStringWithCanonicalMapping,
    ]
    var commits: [String] = []
    for name in names {
      commits.append(try await world.commit("a", "two", "of \(commits.count)"))
      try await world.home.git("push", "--quiet", "origin", "HEAD:refs/heads/\(name)", in: "a")
    }
    let lines = try await world.home.git("ls-remote", "--heads", world.address, in: "").utf8
    for (name, commit) in zip(names, commits) {
      let line = Array("\(commit)\trefs/heads/\(name)\n".utf8)
      #expect(lines.split(separator: 10).contains { Array($0) == line.dropLast() }, "\(lines)")
    }
    try await world.home.git("push", "--quiet", "origin", ":refs/heads/\(names[0])", in: "a")
    let left = try await world.git("", "ls-remote", "--heads", world.address).output
    #expect(left.split(separator: "\n").count == 2 && left.contains(commits[1]), "\(left)")
  }

  @Test func `a lease is kept for a branch of any name`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    let first = try await world.tip("a", "HEAD")
    let second = try await world.commit("a", "two", "x")
    try await world.home.git("push", "--quiet", "origin", "HEAD:refs/heads/가을", in: "a")
    let stale = try await world.git(
      "a", "push", "--force-with-lease=가을:\(first)", "origin", "+\(first):refs/heads/가을")
    #expect(stale.status == 1, "\(stale)")
    try await world.home.git(
      "push", "--quiet", "--force-with-lease=가을:\(second)", "origin", "\(first):refs/heads/가을",
      in: "a")
    #expect(try await world.remoteRefs()["refs/heads/가을"] == first)
  }

  @Test func `a file name that ends in CR is pushed`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    try await world.commit("a", "Icon\r", "x")
    try await world.commit("a", "two", "x")
    try await world.home.git("push", "--quiet", in: "a")
    try await world.home.git("pull", "--quiet", in: "b")
    #expect(try world.home.read("b/Icon\r") == "x" && world.home.exists("b/two"))
  }

  @Test func `git's messages are understood in any language`() async throws {
    let world = try await SealedWorld()
    try await world.device("a")
    try await world.commit("a", "one", "x")
    let push = try await world.home.run(
      "env", ["LANGUAGE=de", "LANG=C.UTF-8", "git", "push", "origin", "main"], in: "a")
    #expect(push.status == 0, "\(push)")
  }

  // MARK: What git may ask

  @Test func `force, leases, deletions and tags are obeyed, and the carrier still only grows`()
    async throws
  {
    let world = try await SealedWorld()
    try await world.pair()
    let first = try await world.tip("a", "HEAD")
    let second = try await world.commit("a", "two", "x")
    try await world.home.git("push", "--quiet", in: "a")
    let count = try await world.bundles().count
    let carrier = try await world.tip("host", "sealed")

    #expect(try await world.git("a", "push", "origin", "\(first):main").status == 1)
    try await world.home.git("push", "--force", "origin", "\(first):main", in: "a")
    #expect(try await world.remoteRefs()["refs/heads/main"] == first)
    #expect(try await world.bundles().count == count, "a branch that goes back needs no bundle")
    try await world.commit("b", "two", "of b")
    #expect(
      try await world.git("b", "push", "--force-with-lease=main:\(second)", "origin", "main").status
        == 1)
    try await world.home.git(
      "push", "--force-with-lease=main:\(first)", "origin", "\(second):main", in: "a")

    try await world.home.git("tag", "--annotate", "--message", "x", "v1", in: "a")
    try await world.home.git("push", "--quiet", "origin", "v1", in: "a")
    try await world.home.git("tag", "v1", in: "b")
    let again = try await world.git("b", "push", "--porcelain", "origin", "v1")
    #expect(again.status == 1 && again.output.contains("already exists"), "\(again)")
    let unknown = try world.converse("b", ["push refs/tags/v1:refs/tags/v1", "", ""])
    #expect(unknown == "error refs/tags/v1 already exists\n\n")
    try await world.home.git("push", "--quiet", "origin", ":v1", in: "a")
    #expect(
      try await world.remoteRefs() == ["refs/heads/main": second, "HEAD": second])
    #expect(
      try await world.git("host", "merge-base", "--is-ancestor", carrier, "sealed").status == 0)
    try await world.clone("c")
    #expect(try await world.tip("c", "HEAD") == second)
  }

  @Test func `an atomic push changes all refs or none, and a dry one none`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    try await world.commit("b", "two", "of b")
    try await world.home.git("push", "--quiet", in: "b")
    try await world.commit("a", "two", "of a")
    let before = try await world.remoteRefs()
    let answers = try world.converse(
      "a", ["option atomic true", "push HEAD:refs/heads/main", "push HEAD:refs/heads/new", "", ""])
    #expect(
      answers
        == "ok\nerror refs/heads/main fetch first\nerror refs/heads/new atomic push failed\n\n")
    #expect(try await world.git("a", "push", "--atomic", "origin", "main", "main:new").status == 1)
    #expect(try await world.git("a", "push", "--dry-run", "origin", "main:new").status == 0)
    #expect(try await world.remoteRefs() == before)
    try await world.home.git("push", "--atomic", "origin", "main:new", "main:newer", in: "a")
    #expect(try await world.remoteRefs().count == before.count + 2)
  }

  @Test func `a mirror brings the branches, and no ref of Diary's`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    try await world.home.git("update-ref", "refs/diary/saves/x", "HEAD", in: "a")
    try await world.home.git("branch", "other", in: "a")
    _ = try await world.git("a", "push", "--mirror", "origin")
    let refs = try await world.remoteRefs()
    #expect(refs["refs/heads/other"] != nil && refs["HEAD"] != nil, "\(refs)")
    #expect(!refs.keys.contains { $0.hasPrefix("refs/diary") })
  }

  @Test func `a branch beside a branch of its folder is refused`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    let push = try await world.git("a", "push", "--porcelain", "origin", "main:refs/heads/main/x")
    #expect(push.status == 1 && push.output.contains("the remote has refs/heads/main"), "\(push)")
  }

  // MARK: What may not be pushed

  @Test func `a shallow and a partial clone are refused`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    try await world.commit("a", "two", "x")
    try await world.home.git(
      "clone", "--quiet", "--depth=1", "file://\(world.home.homePath)/a", "s", in: "")
    try await world.home.git("config", "uploadpack.allowFilter", "true", in: "a")
    try await world.home.git(
      "clone", "--quiet", "--filter=blob:none", "file://\(world.home.homePath)/a", "p", in: "")
    for (name, reason) in [("s", "shallow repository"), ("p", "partial clone")] {
      let push = try await world.git(
        name, "push", "--porcelain", world.address, "HEAD:refs/heads/new")
      #expect(push.status == 1 && push.output.contains("(\(reason))"), "\(push)")
    }
    #expect(try await world.remoteRefs()["refs/heads/new"] == nil)
  }

  @Test func `nothing is sent if an object is missing or damaged here`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    let before = try await world.tip("host", "sealed")
    for isDamaged in [false, true] {
      try await world.commit("a", "two", "lost \(isDamaged)")
      let blob = try await world.tip("a", "HEAD:two")
      let file = "\(world.home.homePath)/a/.git/objects/\(blob.prefix(2))/\(blob.dropFirst(2))"
      try FileManager.default.removeItem(atPath: file)
      if isDamaged {
        let other = try await world.tip("a", "HEAD:one")
        try FileManager.default.copyItem(
          atPath: "\(world.home.homePath)/a/.git/objects/\(other.prefix(2))/\(other.dropFirst(2))",
          toPath: file)
      }
      let push = try await world.git("a", "push", "origin", "main")
      #expect(push.status != 0, "\(push)")
      #expect(try await world.tip("host", "sealed") == before)
      try await world.home.git("reset", "--quiet", "--hard", "HEAD~", in: "a")
    }
  }

  @Test func `a replaced object is sent as it is`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    try await world.commit("a", "two", "real")
    try await world.home.git("replace", "HEAD:two", "HEAD:one", in: "a")
    try await world.home.git("push", "--quiet", "origin", "main", in: "a")
    try await world.home.git("pull", "--quiet", in: "b")
    #expect(try world.home.read("b/two") == "real")
    #expect(try await world.git("b", "fsck").status == 0)
  }

  @Test func `a repository of SHA-256 and files of LFS are refused with a sentence`() async throws {
    let world = try await SealedWorld()
    try await world.home.git("init", "--quiet", "--object-format=sha256", "new", in: "")
    let list = try await world.git("new", "ls-remote", world.address)
    #expect(list.status != 0 && list.errors.contains("SHA-1 only"), "\(list)")
    try await world.device("a")
    try await world.commit("a", "photos/.gitattributes", "*.jpg filter=lfs diff=lfs -text\n")
    let push = try await world.git("a", "push", "--porcelain", "origin", "main")
    #expect(push.status == 1 && push.output.contains("git LFS"), "\(push)")
    #expect(try await world.git("host", "rev-parse", "--verify", "sealed").status != 0)
  }

  @Test func `a host with a plain repository is refused`() async throws {
    let world = try await SealedWorld()
    try await world.device("a")
    try await world.commit("a", "one", "x")
    try await world.home.git("push", "--quiet", "../host", "main", in: "a")
    let push = try await world.git("a", "push", "origin", "main")
    #expect(push.status != 0 && push.errors.contains("a repository that is not sealed"), "\(push)")
  }

  // MARK: Around it

  @Test func `ls-remote works outside of a repository and leaves nothing`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    world.home.set("TMPDIR", world.home.homePath + "/tmp")
    try world.home.write("", to: "tmp/x")
    #expect(try await world.remoteRefs().count == 2)
    #expect(world.home.files(in: "tmp") == ["x"])
  }

  @Test func `progress is shown if git wants it`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    for isShown in [true, false] {
      try await world.commit("a", "two", "x\(isShown)")
      let option = isShown ? "--progress" : "--no-progress"
      let push = try await world.git("a", "push", option, "origin", "main")
      #expect(
        push.errors.contains("Encrypting objects: 3\nSending them: 4 kB\n") == isShown, "\(push)")
      let fetch = try await world.git("b", "fetch", option)
      #expect(fetch.errors.contains("Decrypting: 4 kB\n") == isShown, "\(fetch)")
    }
  }

  @Test func `an address in an address is refused`() async throws {
    let world = try await SealedWorld()
    for address in ["diary::" + world.address, "diary::-x"] {
      let list = try await world.git("", "ls-remote", "--", address)
      #expect(
        list.status != 0 && list.errors.contains("is not an address of a sealed remote"), "\(list)")
    }
    try await world.home.git("config", "--global", "url.diary::/x.insteadOf", "again:", in: "")
    let list = try await world.git("", "ls-remote", "diary::again:host")
    #expect(list.status != 0 && list.errors.contains("not allowed"), "\(list)")
  }

  @Test func `a push to a folder asks the host to flush, and the key is in no argument`()
    async throws
  {
    let world = try await SealedWorld()
    try await world.pair()
    try await world.commit("a", "two", "x")
    let trace = world.home.homePath + "/trace"
    let push = try await world.home.run(
      "strace",
      [
        "-f", "-qq", "-s", "4000", "-v", "-e", "trace=execve", "-o", trace, "git", "push",
        "--quiet",
      ],
      in: "a")
    #expect(push.status == 0, "\(push)")
    let calls = try world.home.read("trace")
    #expect(
      calls.contains("--receive-pack=git -c core.fsync=all -c core.fsyncMethod=fsync receive-pack"))
    let key = try world.home.read(".config/diary/keys/key.txt")
    for word in key.split(whereSeparator: \.isWhitespace) where word.lowercased().hasPrefix("age") {
      #expect(!calls.contains(word))
    }
    #expect(calls.contains("\"age\""))
  }

  @Test func `settings of the repository for the way to the host reach the inner git`() async throws
  {
    let world = try await SealedWorld()
    try await world.pair()
    let script = try world.home.script("way", "echo \"$@\" >>\(world.home.homePath)/ways; exit 1\n")
    try await world.home.git("config", "core.sshCommand", script, in: "a")
    let list = try await world.git("a", "ls-remote", "diary::me@example.org:diary")
    #expect(list.status != 0 && list.errors.contains("Could not read from remote"), "\(list)")
    #expect(try world.home.read("ways").contains("me@example.org"))
  }
}
