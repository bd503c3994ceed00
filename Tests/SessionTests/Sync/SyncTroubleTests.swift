import Foundation
import GitServers
import TestSupport
import Testing

/// The messages and the behaviour of `diary sync` when it fails. No text is lost.
@Suite(.serialized) struct SyncTroubleTests {
  let home: Sandbox
  let devices: TwoDevices

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
  }

  @Test func `without a remote the message says how to add one`() async throws {
    try await home.diary("init", "a")
    let result = try await devices.sync("a", status: 1)
    #expect(result.errors.contains("there is no remote to sync with"), "\(result.errors)")
    let hint = "`diary init \(home.homePath)/a --remote URL`"
    #expect(result.errors.contains(hint), "\(result.errors)")
  }

  @Test func `without git the message says so, and changes are saved`() async throws {
    try await devices.setUp()
    try home.write("Words.\n", to: "a/2026-11-21.md")
    home.set("PATH", Sandbox.programs)
    let result = try await devices.sync("a", status: 1)
    #expect(result.errors.contains("git is not installed"), "\(result.errors)")
    home.set("PATH", Sandbox.programs + ":/usr/bin:/bin")
    #expect(try await home.git("show", "HEAD:2026-11-21.md", in: "a") == "Words.\n")
  }

  @Test func `an unreachable remote gives exit code 1 and is shown by status`()
    async throws
  {
    try await devices.setUp()
    try await home.run("mv", ["remote.git", "away.git"])
    try await home.diary("new", "Offline", "-m", "Words.", in: "a")
    let result = try await devices.sync("a", status: 1)
    #expect(result.errors.contains("the remote \"origin\""), "\(result.errors)")
    let status = try await home.diary("status", in: "a")
    #expect(status.output.contains("sync problem"), "\(status.output)")
    #expect(status.output.contains("to push        1 commit"), "\(status.output)")
    try await home.run("mv", ["away.git", "remote.git"])
    try await devices.sync("a")
    let later = try await home.diary("status", in: "a")
    #expect(!later.output.contains("sync problem"), "\(later.output)")
  }

  @Test func `a force-pushed branch stops sync until the user accepts it`()
    async throws
  {
    try await devices.setUp()
    try await home.diary("new", "Seen by both", "-m", "Words.", in: "a")
    try await devices.syncAll("a", "b")
    try await home.git("clone", "-q", "remote.git", "c", in: "")
    try await home.git("reset", "-q", "--hard", "HEAD~1", in: "c")
    try home.write("Other.\n", to: "c/2026-11-01.md")
    try await home.git("add", ".", in: "c")
    try await home.git("commit", "-qm", "other", in: "c")
    try await home.git("push", "-q", "--force", in: "c")
    let head = try await home.git("rev-parse", "HEAD", in: "b")
    let stopped = try await devices.sync("b", status: 1)
    #expect(stopped.errors.contains("was rewritten"), "\(stopped.errors)")
    #expect(try await home.git("rev-parse", "HEAD", in: "b") == head)
    // It stops until the user accepts it, even after the new branch has been fetched.
    try await devices.sync("b", status: 1)
    try await devices.sync("b", "--accept-rewritten")
    #expect(home.files(in: "b").contains("2026-11-01.md"))
    #expect(home.files(in: "b").contains { $0.hasSuffix("seen-by-both.md") })
  }

  @Test func `the message of a hook that rejects a push is shown`() async throws {
    let bare = try await BareRepository(home, "remote.git")
    try await home.diary("init", "a", "--remote", bare.path)
    try bare.refusePushes("the archive is closed on Sundays")
    try await home.diary("new", "Late", "-m", "Words.", in: "a")
    let result = try await devices.sync("a", status: 1)
    #expect(result.errors.contains("the archive is closed on Sundays"), "\(result.errors)")
    try bare.refusePushes(nil)
    try await devices.sync("a")
  }

  @Test func `the user's staged text stays staged and is reported`() async throws {
    try await devices.setUp()
    try home.write("Staged.\n", to: "a/2026-11-21.md")
    try await home.git("add", "2026-11-21.md", in: "a")
    try home.write("Staged, and more.\n", to: "a/2026-11-21.md")
    let result = try await devices.sync("a", status: 1)
    #expect(result.errors.contains("Staged by you"), "\(result.errors)")
    #expect(try await home.git("show", ":2026-11-21.md", in: "a") == "Staged.\n")
  }

  @Test func `staged text that another device changed stops sync before any change`()
    async throws
  {
    try await devices.setUp()
    try home.write("One.\n", to: "a/2026-11-21.md")
    try await devices.syncAll("a", "b")
    try home.write("One, from b.\n", to: "b/2026-11-21.md")
    try await devices.sync("b")
    try home.write("One, staged on a.\n", to: "a/2026-11-21.md")
    try await home.git("add", ".", in: "a")
    try home.write("One, staged on a, and more.\n", to: "a/2026-11-21.md")
    let head = try await home.git("rev-parse", "HEAD", in: "a")
    let result = try await devices.sync("a", status: 1)
    #expect(result.errors.contains("what you have staged"), "\(result.errors)")
    #expect(try await home.git("rev-parse", "HEAD", in: "a") == head)
    #expect(try await home.git("show", ":2026-11-21.md", in: "a") == "One, staged on a.\n")
    #expect(try home.read("a/2026-11-21.md") == "One, staged on a, and more.\n")
    try await home.git("restore", "--staged", ".", in: "a")
    try await devices.syncAll("a", "b")
    let text = try home.read("b/2026-11-21.md")
    #expect(text.contains("from b") && text.contains("and more"), "\(text)")
  }

  @Test func `another project's remote is not accepted for the journal`() async throws {
    try await home.git("init", "-q", "code", in: "")
    try home.write("int main;\n", to: "code/main.c")
    try await home.git("add", ".", in: "code")
    try await home.git("commit", "-qm", "code", in: "code")
    try await home.git("clone", "-q", "--bare", "code", "remote.git", in: "")
    let result = try await home.diary("init", "a", "--remote", "remote.git")
    #expect(result.status == 1)
    #expect(result.errors.contains("is not a journal"), "\(result.errors)")
    #expect(!home.exists("a/main.c"))
  }

  @Test func `a shallow clone syncs and fetches more history only if needed`()
    async throws
  {
    try await devices.setUp()
    for title in ["One", "Two", "Three"] {
      try await home.diary("new", title, "-m", "Words.", in: "a")
    }
    try await devices.sync("a")
    try await home.git(
      "clone", "-q", "--depth", "1", "file://\(home.homePath)/remote.git", "c", in: "")
    try await home.diary("new", "Shallow", "-m", "Words.", in: "c")
    try await home.diary("new", "Deep", "-m", "Words.", in: "a")
    try await devices.sync("a")
    let result = try await home.diary("sync", in: "c")
    #expect(result.status == 0, "\(result.errors)")
    try await devices.sync("a")
    #expect(home.files(in: "a").contains { $0.hasSuffix("shallow.md") })
    #expect(home.files(in: "c").contains { $0.hasSuffix("deep.md") })
  }

  @Test func `init sets up a journal that git has cloned`() async throws {
    try await devices.setUp()
    try await home.diary("new", "One", "-m", "Words.", in: "a")
    try await devices.sync("a")
    try await home.git("clone", "-q", home.homePath + "/remote.git", "c", in: "")
    let settled = try await home.diary("init", "c")
    #expect(
      settled.status == 0 && settled.errors.contains("Set up the clone: 1 entry"), "\(settled)")
    #expect(home.exists("c/INDEX.md"))
    #expect(try await home.git("config", "merge.diary.driver", in: "c").contains("merge-file"))
    #expect(try await home.git("status", "--porcelain", in: "c") == "")
    let again = try await home.diary("init", "c")
    #expect(again.status == 1 && again.errors.contains("is already a journal"), "\(again)")
  }

  @Test func `a remote whose HEAD names a missing branch can be cloned`()
    async throws
  {
    try await home.git("init", "-q", "--bare", "--initial-branch=master", "remote.git", in: "")
    try await home.diary("init", "a", "--remote", home.homePath + "/remote.git")
    try await home.diary("new", "One", "-m", "Words.", in: "a")
    try await devices.sync("a")
    let cloned = try await home.diary("clone", home.homePath + "/remote.git", "b")
    #expect(cloned.status == 0, "\(cloned.errors)")
    #expect(home.files(in: "b") == home.files(in: "a"))
    try await home.diary("new", "Two", "-m", "Words.", in: "b")
    try await devices.sync("b")
    try await devices.sync("a")
    #expect(home.files(in: "a").contains { $0.hasSuffix("two.md") })
  }

  @Test func `a partial clone is refused and not changed`() async throws {
    try await devices.setUp()
    try await home.diary("new", "One", "-m", "Words.", in: "a")
    try await devices.sync("a")
    try await home.git("config", "uploadpack.allowFilter", "true", in: "remote.git")
    try await home.git(
      "clone", "-q", "--filter=blob:none", "file://\(home.homePath)/remote.git", "c", in: "")
    let head = try await home.git("rev-parse", "HEAD", in: "c")
    for command in ["sync", "save", "status"] {
      let refused = try await home.diary(command, in: "c")
      #expect(refused.status == 1)
      #expect(refused.errors.contains("a partial clone"), "\(command): \(refused.errors)")
    }
    #expect(try await home.git("rev-parse", "HEAD", in: "c") == head)
    #expect(try await home.git("status", "--porcelain", in: "c") == "")
    // Follow the advice of the message.
    try await home.git("fetch", "-q", "--refetch", "--no-filter", in: "c")
    try await home.git("config", "--unset", "remote.origin.promisor", in: "c")
    try await home.diary("new", "Two", "-m", "Words.", in: "c")
    try await devices.sync("c")
    try await devices.sync("a")
    #expect(home.files(in: "a").filter { $0 != "INDEX.md" } == home.files(in: "c"))
  }

  @Test func `the user's commits in their own repository are not pushed`() async throws {
    try await home.git("init", "-q", "--bare", "remote.git", in: "")
    try await home.git("init", "-q", "a", in: "")
    try home.write("Notes.\n", to: "a/2026-11-01.md")
    try await home.git("add", ".", in: "a")
    try await home.git("commit", "-qm", "mine", in: "a")
    try await home.git("remote", "add", "origin", home.homePath + "/remote.git", in: "a")
    try await home.git("push", "-q", "-u", "origin", "main", in: "a")
    try await home.diary("init", "a", "--yes")
    try await devices.sync("a")
    try home.write("int main;\n", to: "a/main.c")
    try await home.git("add", ".", in: "a")
    try await home.git("commit", "-qm", "my own code", in: "a")
    try await home.diary("new", "Diary's", "-m", "Words.", in: "a")
    let refused = try await devices.sync("a", status: 1)
    #expect(refused.errors.contains("my own code"), "\(refused.errors)")
    let there = try await home.git("log", "--format=%s", in: "remote.git")
    #expect(!there.contains("my own code"))
    try await home.git("push", "-q", in: "a")
    try await devices.sync("a")
    let watch = try await home.diary("watch", "--sync", in: "a")
    #expect(watch.status == 1 && watch.errors.contains("sync: {adopted: true}"), "\(watch.errors)")
  }

  @Test func `a password in a URL is never shown`() async throws {
    try await home.diary("init", "a")
    try await home.git(
      "remote", "add", "origin", "http://me:hushhush@127.0.0.1:1/x.git", in: "a")
    let result = try await devices.sync("a", status: 1)
    let status = try await home.diary("status", in: "a")
    let json = try await home.diary("status", "--json", in: "a")
    for text in [result.errors, status.output, json.output] {
      #expect(!text.contains("hushhush"), "\(text)")
      #expect(text.contains("me@127.0.0.1"), "\(text)")
    }
  }
}
