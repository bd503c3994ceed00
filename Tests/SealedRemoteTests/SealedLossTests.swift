import Foundation
import SealedRemote
import TestSupport
import Testing

/// What a sealed remote does when something is lost or set up otherwise, here or on the host.
@Suite struct SealedLossTests {
  let world: SealedWorld

  init() async throws { world = try await SealedWorld() }

  private func privateRefs(_ device: String, at tip: String) async throws -> [Substring] {
    try await world.home.git(
      "for-each-ref", "--format=%(refname)", "--points-at", tip, in: device
    ).split(separator: "\n")
  }

  @Test func `objects on which a later bundle builds are taken again`() async throws {
    try await world.device("a")
    try await world.commit("a", "one", "first")
    try await world.home.run(
      "sh", ["-c", "git checkout -q --orphan other; git rm -qf one"], in: "a")
    let lines = (0..<4000).map { "line \($0) \($0 * 7919 % 10_007)\n" }
    try await world.commit("a", "big", lines.joined())
    try await world.home.git("push", "--quiet", "origin", "main", "other", in: "a")
    try await world.clone("b")
    try await world.home.git("checkout", "-q", "-B", "main", "origin/main", in: "b")
    for ref in try await privateRefs("b", at: "origin/other") {
      try await world.home.git("update-ref", "-d", String(ref), in: "b")
    }
    try await world.home.git("reflog", "expire", "--all", "--expire=now", in: "b")
    try await world.home.git("gc", "--quiet", "--prune=now", in: "b")
    try await world.commit("a", "big", lines.joined() + "more\n")
    try await world.home.git("push", "--quiet", "origin", "other", in: "a")
    try await world.home.git("fetch", "--quiet", in: "b")
    #expect(try await world.tip("b", "origin/other") == world.tip("a", "HEAD"))
  }

  @Test(arguments: [
    "", String(repeating: "\0", count: 41), String(repeating: "1", count: 40) + "\n",
  ])
  func `a private ref that a power cut broke is made anew`(_ content: String) async throws {
    try await world.pair()
    try await world.commit("a", "two", "x")
    try await world.home.git("push", "--quiet", in: "a")
    let files = world.home.files(in: "b/.git/refs/diary/sealed")
    try world.home.write(content, to: "b/.git/refs/diary/sealed/" + #require(files.first))
    try await world.home.git("pull", "--quiet", in: "b")
    #expect(try await world.tip("b", "HEAD") == world.tip("a", "HEAD"))
    try await world.home.git("fsck", in: "b")
    try await world.commit("b", "three", "y")
    try await world.home.git("push", "--quiet", in: "b")
  }

  @Test func `settings of git with which it would push nothing do not count`() async throws {
    try await world.pair()
    try await world.home.git("config", "--global", "push.recurseSubmodules", "only", in: "")
    try await world.home.git("config", "--global", "push.followTags", "true", in: "")
    try await world.home.git("tag", "-a", "-m", "x", "v1", in: "a")
    try await world.commit("a", "two", "x")
    try await world.home.git("push", "--quiet", "--recurse-submodules=no", in: "a")
    #expect(try await world.remoteRefs()["refs/heads/main"] == world.tip("a", "HEAD"))
    try await world.home.git("pull", "--quiet", in: "b")
    #expect(
      try await world.home.git("for-each-ref", "--format=%(refname)", in: "host")
        == "refs/heads/sealed\n")
  }

  @Test func `only a file of attributes that names LFS is refused`() async throws {
    try await world.device("a")
    try await world.commit("a", ".gitattributes/x", "* filter=lfs")
    try await world.commit("a", "sub/.gitattributes", "# no filter=lfs here\n*.md text\n")
    try await world.home.git("push", "--quiet", "origin", "main", in: "a")
    try await world.commit("a", "sub/.gitattributes", "# x\n*.jpg filter=lfs\n")
    let push = try await world.git("a", "push", "origin", "main")
    #expect(push.status != 0 && push.errors.contains("git LFS would send"), "\(push)")
  }

  @Test func `HEAD names a branch that is there`() async throws {
    try await world.device("a")
    try await world.commit("a", "one", "first")
    try await world.home.git("branch", "archive", in: "a")
    try await world.home.git("push", "--quiet", "origin", "HEAD:refs/tags/v1", in: "a")
    try await world.home.git("checkout", "-q", "-b", "trunk", in: "a")
    try await world.home.git("push", "--quiet", "origin", "archive", "trunk", in: "a")
    try await world.clone("b")
    #expect(try await world.git("b", "symbolic-ref", "HEAD").output == "refs/heads/trunk\n")
    // It stays while the branch does.
    try await world.home.git("push", "--quiet", "origin", "main", in: "a")
    try await world.clone("c")
    #expect(try await world.git("c", "symbolic-ref", "HEAD").output == "refs/heads/trunk\n")
    try await world.home.git("push", "--quiet", "origin", ":trunk", in: "a")
    try await world.home.git("checkout", "-q", "main", in: "a")
    try await world.commit("a", "two", "x")
    try await world.home.git("push", "--quiet", "origin", "main", in: "a")
    try await world.clone("d")
    #expect(try await world.git("d", "symbolic-ref", "HEAD").output == "refs/heads/main\n")
  }

  @Test func `a host that logs its refs gets no name and no time`() async throws {
    try await world.home.git("config", "core.logAllRefUpdates", "true", in: "host")
    try await world.pair()
    let log = try world.home.read("host/logs/refs/heads/sealed")
    #expect(log.contains(" diary <diary@localhost> 0 +0000\t"), "\(log)")
  }

  @Test func `a full disk here is not called damage of the host`() async throws {
    try await world.pair()
    try await world.commit("a", "two", "x")
    try await world.home.git("push", "--quiet", in: "a")
    let path = world.home.environment["PATH"] ?? ""
    let age = try await world.home.run("sh", ["-c", "command -v age"]).output.dropLast()
    // The list of refs is read from memory, the bundle from a file.
    _ = try world.home.script(
      "age",
      """
      case "$(readlink /proc/self/fd/0)" in
        /memfd*) exec \(age) "$@" ;;
      esac
      echo 'age: error: write /dev/stdout: no space left on device' >&2
      exit 1

      """)
    world.home.set("PATH", world.home.homePath + "/bin:" + path)
    let full = try await world.git("b", "fetch")
    #expect(full.status != 0 && full.errors.contains("no space left on device"), "\(full)")
    #expect(!full.errors.contains("damaged"), "\(full)")
    world.home.set("PATH", path)
    try await world.home.git("fetch", "--quiet", in: "b")
  }

  @Test func `a repository whose path is not UTF-8 is refused, and nothing is made beside it`()
    async throws
  {
    let made = try await world.home.run(
      "sh",
      [
        "-c",
        """
        mkdir x && cd x && git init -q "$(printf 'n\\377')" && cd "$(printf 'n\\377')" &&
        git commit -q --allow-empty -m a && git remote add origin '\(world.address)'
        git push origin main; [ $? != 0 ] && ls .. | wc -l
        """,
      ])
    #expect(made.status == 0 && made.output == "1\n", "\(made)")
    #expect(made.errors.contains("is not in UTF-8"), "\(made)")
  }

  @Test func `a host that was emptied is filled again with the same key`() async throws {
    try await world.pair()
    try await world.makeKey("another")
    try await world.home.run("sh", ["-c", "rm -rf host; git init -q --bare host"])
    let refused = try await world.git("a", "push", "origin", "main")
    #expect(refused.status != 0 && refused.errors.contains("the host is empty"), "\(refused)")
    try await world.home.git(
      "-c", "diary.acceptRewritten=true", "push", "--quiet", "origin", "main", in: "a")
    try FileManager.default.removeItem(
      atPath: world.home.homePath + "/.config/diary/keys/another.txt")
    try await world.clone("c")
    #expect(try await world.tip("c", "HEAD") == world.tip("a", "HEAD"))
  }

  @Test func `a git that was killed on its way to the host has a reason`() async throws {
    try await world.device("a")
    let script = try world.home.script("killer", "kill -9 $PPID\n")
    world.home.set("GIT_SSH_COMMAND", script)
    let fetch = try await world.home.run("git", ["ls-remote", "diary::host.invalid:x"], in: "a")
    #expect(fetch.status != 0 && !fetch.errors.contains("git-remote-diary: \n"), "\(fetch)")
  }

  @Test func `words of git on its way leave the private refs as they are`() async throws {
    try await world.pair()
    let refs = ["-c", "find .git/refs/diary -type f -printf '%i %T@ %p\n' | sort"]
    let before = try await world.home.run("sh", refs, in: "b").output
    #expect(!before.isEmpty)
    try await world.commit("a", "two", "x")
    try await world.home.git("push", "--quiet", in: "a")
    world.home.set("GIT_TRACE", "1")
    try await world.home.git("fetch", "--quiet", in: "b")
    let after = try await world.home.run("sh", refs, in: "b").output
    let kept = before.split(separator: "\n").filter { after.contains($0) }
    #expect(kept.count > 0 && after != before, "\(before)\(after)")
  }

  @Test func `private refs that a rewriting of all refs has moved are not believed`() async throws {
    try await world.pair()
    try await world.commit("a", "two", "x")
    try await world.home.git("push", "--quiet", in: "a")
    // As `git filter-branch -- --all` does it.
    try await world.home.git("commit", "--quiet", "--amend", "--message", "rewritten", in: "a")
    let refs = try await world.home.git(
      "for-each-ref", "--format=%(refname)", "refs/diary/sealed", in: "a")
    for ref in refs.split(separator: "\n") {
      try await world.home.git("update-ref", String(ref), "HEAD", in: "a")
    }
    try await world.commit("a", "three", "y")
    try await world.home.git("push", "--quiet", "--force", "origin", "main", in: "a")
    try await world.clone("c")
    #expect(try await world.tip("c", "HEAD") == world.tip("a", "HEAD"))
    try await world.home.git("fetch", "--quiet", in: "b")
  }

  @Test func `two refs with one new object, and a push that may be signed`() async throws {
    try await world.device("a")
    try await world.commit("a", "one", "first")
    try await world.home.git("config", "--global", "push.gpgSign", "if-asked", in: "")
    try await world.home.git(
      "push", "--quiet", "origin", "main", "main:refs/heads/other", "main:refs/tags/v1", in: "a")
    try await world.clone("b")
    try await world.commit("a", "two", "x")
    try await world.home.git("push", "--quiet", "origin", "main", "main:refs/heads/other", in: "a")
    try await world.home.git("pull", "--quiet", in: "b")
    #expect(try await world.tip("b", "origin/other") == world.tip("a", "HEAD"))
    // HEAD does not stay on a branch that is deleted.
    try await world.home.git("push", "--quiet", "origin", ":main", in: "a")
    try await world.clone("c")
    #expect(try await world.git("c", "symbolic-ref", "HEAD").output == "refs/heads/other\n")
    let relative = try await world.git("a", "push", "origin", "HEAD:./one:refs/tags/blob")
    #expect(relative.status != 0 && relative.errors.contains("no such object"), "\(relative)")
  }

  @Test func `git is asked in English, and what it says when it succeeds is no failure`()
    async throws
  {
    try await world.pair()
    try await world.commit("a", "two", "x")
    try await world.home.git("push", "--quiet", in: "a")
    // git puts the folder of its programs before the path of a helper.
    let script = try world.home.script(
      "git",
      """
      case "$1" in index-pack) echo "$LC_ALL" >~/seen; echo 'alternates: Permission denied' >&2 ;; esac
      exec ~/core/real "$@"

      """)
    try await world.home.run(
      "sh",
      [
        "-c",
        "cp -rs \"$(git --exec-path)\" ~/core && mv ~/core/git ~/core/real && mv \(script) ~/core/git",
      ])
    world.home.set("GIT_EXEC_PATH", world.home.homePath + "/core")
    world.home.set("LC_ALL", "ko_KR.UTF-8")
    try await world.home.git("fetch", "--quiet", in: "b")
    #expect(try world.home.read("seen") == "C.UTF-8\n")
    #expect(try await world.tip("b", "origin/main") == world.tip("a", "HEAD"))
  }
}
