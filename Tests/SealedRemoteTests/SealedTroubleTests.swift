import Foundation
import SealedRemote
import TestSupport
import Testing

/// What a push or a fetch says when something of the user's or the host's is in its way.
@Suite struct SealedTroubleTests {
  let world: SealedWorld

  init() async throws {
    world = try await SealedWorld()
    try await world.pair()
  }

  @Test func `a branch whose name is not UTF-8 is refused, and never taken for up to date`()
    async throws
  {
    let script = "git branch \"$(printf 'caf\\351')\" && git push"
    for arguments in ["origin \"$(printf 'caf\\351')\"", "--all origin"] {
      let push = try await world.home.run("sh", ["-c", "\(script) \(arguments)"], in: "a")
      #expect(push.status != 0 && push.errors.contains("is not in UTF-8"), "\(push)")
      // The sign for what is not UTF-8 is a character like others.
      try await world.home.git("push", "--quiet", "origin", "main:refs/heads/\u{FFFD}", in: "a")
      try await world.home.git("push", "--quiet", "origin", ":refs/heads/\u{FFFD}", in: "a")
      try await world.home.run("sh", ["-c", "git branch -D \"$(printf 'caf\\351')\""], in: "a")
    }
    #expect(try await world.remoteRefs().count == 2)
  }

  @Test func `a source with a colon is pushed under its name`() async throws {
    try await world.home.git("push", "--quiet", "origin", "HEAD:one:refs/tags/blob", in: "a")
    try await world.home.git("push", "--quiet", "origin", ":/one:refs/heads/word", in: "a")
    let refs = try await world.remoteRefs()
    #expect(try await refs["refs/tags/blob"] == world.tip("a", "HEAD:one"))
    #expect(try await refs["refs/heads/word"] == world.tip("a", "HEAD"))
  }

  @Test func `a lock that a killed push left on the host is named`() async throws {
    try await world.commit("a", "two", "x")
    let lock = "host/refs/heads/sealed.lock"
    try world.home.write("", to: lock)
    let push = try await world.git("a", "push")
    #expect(push.status != 0 && push.errors.contains("the branch is locked on the host"), "\(push)")
    #expect(push.errors.contains("remove this file on the host: ") && push.errors.contains(lock))
    try FileManager.default.removeItem(atPath: world.home.homePath + "/" + lock)
    try await world.home.git("push", "--quiet", in: "a")
  }

  @Test func `a branch that the host cannot move is not said to be another device's`() async throws
  {
    try await world.commit("a", "two", "x")
    // Not even root can make a file where a folder's name is.
    let refs = world.home.homePath + "/host/refs/heads"
    try await world.home.git("pack-refs", "--all", in: "host")
    try FileManager.default.removeItem(atPath: refs)
    try world.home.write("", to: "host/refs/heads")
    let push = try await world.git("a", "push")
    #expect(push.status != 0 && !push.errors.contains("fetch first"), "\(push)")
    #expect(push.errors.contains("the host refused the push: "), "\(push)")
    try FileManager.default.removeItem(atPath: refs)
    try await world.home.git("push", "--quiet", in: "a")
  }

  @Test func `a forced push does not drop what a fetch in between has brought`() async throws {
    try await world.home.git("commit", "--quiet", "--amend", "--message", "rewritten", in: "a")
    try await world.commit("b", "two", "of b")
    try world.hook(
      "pre-push", in: "a/.git", "other -C b push --quiet; other -C a fetch --quiet origin")
    let push = try await world.git("a", "push", "--force", "origin", "main")
    #expect(push.status != 0 && push.errors.contains("fetch first"), "\(push)")
    #expect(try await world.remoteRefs()["refs/heads/main"] == world.tip("b", "HEAD"))
  }

  @Test func `a command that is cut off is not carried out`() async throws {
    let line = "push refs/heads/main:refs/heads/longna"
    for lines in [[line], ["list for-push", line]] {
      #expect(throws: SealedError.self) { try world.converse("a", lines) }
    }
    #expect(try await world.remoteRefs().count == 2)
  }

  @Test func `a helper ends with its git, and another use of the remote waits for a time`()
    async throws
  {
    try await world.commit("a", "two", "x")
    _ = try world.home.script("age", "touch ~/started; exec sleep 100\n")
    let path = world.home.environment["PATH"] ?? ""
    world.home.set("PATH", world.home.homePath + "/bin:" + path)
    let killed = try await world.home.run(
      "sh", ["-c", "git push & p=$!; until [ -e ~/started ]; do sleep 0.05; done; kill -9 $p"],
      in: "a")
    #expect(killed.status == 0, "\(killed)")
    world.home.set("PATH", path)
    // It would wait for a minute otherwise.
    let start = ContinuousClock.now
    try await world.home.git("push", "--quiet", in: "a")
    #expect(ContinuousClock.now - start < .seconds(40))
    // A use that does not end is named.
    let names = world.home.files(in: "a/.git/diary/sealed").filter { $0.hasSuffix(".lock") }
    let lock = "\(world.home.homePath)/a/.git/diary/sealed/" + (try #require(names.first))
    let descriptor = open(lock, O_RDWR)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    #expect {
      try world.converse("a", ["list", ""], lockTimeout: 0.2)
    } throws: {
      ($0 as? SealedError)?.message.contains("another program has used this sealed remote") == true
    }
  }

  @Test func `the host's own reason for a refusal is shown, and nothing of the carrier`()
    async throws
  {
    try await world.commit("a", "two", "x")
    try world.hook("pre-receive", in: "host", "echo 'quota full'; exit 1")
    let said = try await world.git("a", "push")
    #expect(said.errors.contains("the host refused the push: quota full\n"), "\(said)")
    try world.hook("pre-receive", in: "host", "echo 'behind, fetch first from upstream'; exit 1")
    let late = try await world.git("a", "push")
    #expect(late.errors.contains("refused the push: behind, fetch first from upstream"), "\(late)")
    try world.hook("pre-receive", in: "host", "exit 1")
    let silent = try await world.git("a", "push")
    #expect(silent.errors.contains("(pre-receive hook declined)"), "\(silent)")
    for push in [said, silent] {
      #expect(push.status != 0 && push.errors.contains("hint: ask its owner"), "\(push)")
      #expect(!push.errors.contains("refs/heads/sealed"), "\(push)")
    }
  }

  @Test(arguments: [300, 20]) func `a list of refs that is cut off is the host's damage`(
    _ size: Int
  ) async throws {
    let script = """
      git clone -q -b sealed host.git tw; cd tw; truncate -s \(size) refs.age
      git commit -q -a -m x; git push -q
      """
    try await world.home.git("clone", "--quiet", "--bare", "host", "host.git", in: "")
    try #require(try await world.home.run("sh", ["-ec", script]).status == 0)
    try await world.home.git("fetch", "--quiet", "../host.git", "sealed:sealed", in: "host")
    let fetch = try await world.git("b", "fetch")
    let words = "the host's file refs.age is damaged or not from your devices"
    #expect(fetch.status != 0 && fetch.errors.contains(words), "\(fetch)")
  }

  @Test func `a broken ref of this repository is not the host's damage`() async throws {
    try await world.commit("a", "two", "x")
    try await world.home.git("push", "--quiet", in: "a")
    try world.home.write(String(repeating: "12", count: 20) + "\n", to: "b/.git/refs/heads/broken")
    let fetch = try await world.git("b", "fetch")
    #expect(fetch.status != 0 && fetch.errors.contains("this repository is damaged"), "\(fetch)")
    #expect(!fetch.errors.contains("the host's file"), "\(fetch)")
  }

  @Test func `a partial clone is refused before git fetches its objects through itself`()
    async throws
  {
    let words = ["20", "git", "clone", "--quiet", "--filter=blob:none", world.address, "p"]
    let clone = try await world.home.run("timeout", words)
    #expect(clone.status != 124 && clone.status != 0, "\(clone)")
    #expect(clone.errors.contains("cannot be used in a partial clone"), "\(clone)")
  }

  @Test func `a remote named host in the user's settings is another one`() async throws {
    try await world.commit("a", "two", "x")
    try await world.home.git("config", "--global", "remote.host.url", "/nowhere", in: "")
    try await world.home.git("config", "--global", "remote.host.mirror", "true", in: "")
    try await world.home.git("push", "--quiet", in: "a")
    try await world.home.git("pull", "--quiet", in: "b")
    #expect(try await world.tip("a", "HEAD") == world.tip("b", "HEAD"))
  }

  @Test func `a helper never starts another one, even if every protocol is allowed`() async throws {
    world.home.set("GIT_ALLOW_PROTOCOL", "diary:file")
    let rewrite = "url.diary::\(world.home.homePath)/host.insteadOf=\(world.home.homePath)/host"
    let list = try await world.home.run(
      "timeout", ["20", "git", "-c", rewrite, "ls-remote", world.address])
    #expect(list.status != 0 && list.status != 124, "\(list)")
    #expect(list.errors.contains("'diary' not allowed"), "\(list)")
    // The protocols that are allowed work.
    #expect(try await world.remoteRefs().count == 2)
  }
}
