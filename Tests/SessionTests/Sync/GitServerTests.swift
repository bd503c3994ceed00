import Foundation
import GitServers
import TestSupport
import Testing

/// The test servers for sync, checked with plain git.
@Suite(.serialized) struct GitServerTests {
  let home: Sandbox

  init() throws {
    home = try Sandbox()
    home.set("GIT_TERMINAL_PROMPT", "0")
  }

  /// Creates a repository `work` with one commit of an incompressible file.
  func work(bytes: Int = 2000) async throws {
    try await home.git("init", "-q", "work", in: "")
    try await commit("one", bytes: bytes)
  }

  func commit(_ name: String, bytes: Int = 2000) async throws {
    var random = SeededGenerator()
    let letters = (0..<bytes).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
    try home.write(name + String(decoding: letters, as: UTF8.self), to: "work/\(name).md")
    try await home.git("add", "-A", in: "work")
    try await home.git("commit", "-q", "-m", name, in: "work")
  }

  func push(_ url: String, _ options: String...) async throws -> Sandbox.ProgramResult {
    try await home.run("git", ["push", "-q"] + options + [url, "main"], in: "work")
  }

  /// Pushes, clones, pushes more, and fetches it.
  func roundTrip(_ url: String) async throws {
    try await work()
    let pushed = try await push(url)
    #expect(pushed.status == 0, "\(pushed)")
    try await home.git("clone", "-q", url, "copy", in: "")
    #expect(try home.read("copy/one.md") == home.read("work/one.md"))
    try await commit("two")
    #expect(try await push(url).status == 0)
    try await home.git("fetch", "-q", in: "copy")
    let heads = try await home.git("log", "--format=%s", "origin/main", in: "copy")
    #expect(heads == "two\none\n")
  }

  @Test(arguments: [SSHServer.Key.ed25519, .rsa])
  func `over ssh git needs only a host alias`(_ key: SSHServer.Key) async throws {
    let server = try await SSHServer.start(home, key: key)
    defer { server.stop() }
    let bare = try await BareRepository(home, "bare.git")
    try await roundTrip(server.url(bare))
    #expect(server.log.contains("ssh2: \(key.rawValue.uppercased()) SHA256"), "\(server.log)")
  }

  @Test func `ssh rejects a client without the key and accepts an agent with it`() async throws {
    let server = try await SSHServer.start(home)
    defer { server.stop() }
    let bare = try await BareRepository(home, "bare.git")
    let url = server.url(bare, by: SSHServer.keylessAlias)
    try await work()
    let refused = try await push(url)
    #expect(refused.status == 128)
    #expect(refused.errors.contains("Permission denied (publickey)"), "\(refused)")
    let pushed = try await server.withAgent(home) { try await push(url) }
    #expect(pushed.status == 0, "\(pushed) \(server.log)")
    #expect(try await push(url).status == 128)
  }

  @Test func `a jump host forwards the connection`() async throws {
    let server = try await SSHServer.start(home)
    defer { server.stop() }
    let bare = try await BareRepository(home, "bare.git")
    try await work()
    let pushed = try await push(server.url(bare, by: SSHServer.jumpAlias))
    #expect(pushed.status == 0, "\(pushed) \(server.log)")
    #expect(server.log.components(separatedBy: "Accepted publickey").count == 3)
  }

  @Test func `a second home can also log in`() async throws {
    let server = try await SSHServer.start(home)
    defer { server.stop() }
    let bare = try await BareRepository(home, "bare.git")
    try await work()
    #expect(try await push(server.url(bare)).status == 0)
    let other = try Sandbox()
    try server.equip(other)
    try await other.git("clone", "-q", server.url(bare), "copy", in: "")
    #expect(try other.read("copy/one.md") == home.read("work/one.md"))
  }

  @Test func `an unknown host key is not trusted`() async throws {
    let server = try await SSHServer.start(home)
    defer { server.stop() }
    let bare = try await BareRepository(home, "bare.git")
    try await work()
    try home.write("", to: ".ssh/known_hosts")
    home.set("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
    let refused = try await push(server.url(bare))
    #expect(refused.errors.contains("Host key verification failed"), "\(refused)")
    try home.write(server.knownHosts(), to: ".ssh/known_hosts")
    #expect(try await push(server.url(bare)).status == 0)
  }

  @Test func `stopping a server during a push leaves no process running`() async throws {
    let server = try await SSHServer.start(home)
    defer { server.stop() }
    let bare = try await BareRepository(home, "bare.git")
    try await work()
    let hook = "bare.git/hooks/pre-receive"
    try home.write("#!/bin/sh\necho $$ >'\(home.homePath)/pid'\nsleep 60\n", to: hook)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: home.homePath + "/" + hook)
    async let pushing = push(server.url(bare))
    #expect(await Sandbox.holds { (try? home.read("pid").hasSuffix("\n")) == true })
    server.stop()
    #expect(try await pushing.status != 0)
    let process = try home.read("pid").trimmingCharacters(in: .newlines)
    #expect(await Sandbox.holds { !home.isRunning(process) })
    let refused = try await push(server.url(bare))
    #expect(refused.errors.contains("Connection refused"), "\(refused)")
    try server.open()
    try bare.refusePushes(nil)
    let pushed = try await push(server.url(bare))
    #expect(pushed.status == 0, "\(pushed)")
    #expect(await Sandbox.holds { server.connections == 0 })
  }

  @Test func `a cut connection fails a fetch over ssh, the next one works`()
    async throws
  {
    let server = try await SSHServer.start(home)
    defer { server.stop() }
    let line = try FaultyProxy(to: server.port)
    try server.equip(home, through: line)
    let bare = try await BareRepository(home, "bare.git")
    try await work(bytes: 200_000)
    #expect(try await push(server.url(bare)).status == 0)
    let before = line.forwarded
    #expect(before.up > 150_000)
    try line.setBehaviour(.cutting(.down, after: 50_000, once: true))
    let cut = try await home.run("git", ["clone", "-q", server.url(bare), "copy"])
    #expect(cut.status == 128 && !home.exists("copy"), "\(cut)")
    #expect(line.forwarded.down - before.down == 50_000)
    try await home.git("clone", "-q", server.url(bare), "copy", in: "")
    #expect(await Sandbox.holds { server.connections == 0 }, "\(server.log)")
  }

  @Test func `a repository rejects pushes on request`() async throws {
    let bare = try await BareRepository(home, "bare.git", branch: "trunk", forwardOnly: true)
    #expect(try home.read("bare.git/HEAD") == "ref: refs/heads/trunk\n")
    try await work()
    try bare.refusePushes("The journal's keeper\nsays 'no'.")
    let refused = try await push(bare.path)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("remote: The journal's keeper"), "\(refused)")
    #expect(refused.errors.contains("remote: says 'no'."), "\(refused)")
    try bare.refusePushes(nil)
    #expect(try await push(bare.path).status == 0)
    try await home.git("commit", "-q", "--amend", "-m", "other", in: "work")
    let rewritten = try await push(bare.path, "--force")
    #expect(rewritten.errors.contains("non-fast-forward"), "\(rewritten)")
  }
}

extension Sandbox {
  /// Whether a process exists and is not a zombie.
  fileprivate func isRunning(_ process: String) -> Bool {
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return text.map { !$0.contains(") Z ") } ?? false
  }
}
