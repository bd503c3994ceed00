import Foundation
import GitServers
import TestSupport
import Testing

/// Sync with real servers on loopback, set up as a user would.
@Suite(.serialized) struct SyncServerTests {
  let home: Sandbox
  let devices: TwoDevices

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
  }

  /// Syncs a journal between two devices over `url`, in both directions.
  func roundTrip(_ url: String) async throws {
    let made = try await home.diary("init", "a", "--remote", url)
    #expect(made.status == 0, "\(made.errors)")
    try await home.diary("new", "From a", "-m", "Words.", in: "a")
    try await devices.sync("a")
    let cloned = try await home.diary("clone", url, "b")
    #expect(cloned.status == 0, "\(cloned.errors)")
    try await home.diary("new", "From b", "-m", "Words.", in: "b")
    try await devices.sync("b")
    try await devices.sync("a")
    #expect(home.files(in: "a") == home.files(in: "b"))
    #expect(home.files(in: "a").count == 3)
  }

  @Test func `over ssh with the user's own host alias`() async throws {
    let server = try await SSHServer.start(home)
    defer { server.stop() }
    try await roundTrip(server.url(try await BareRepository(home, "bare.git")))
  }

  @Test func `over ssh, through a jump host and with an agent`() async throws {
    let server = try await SSHServer.start(home)
    defer { server.stop() }
    let bare = try await BareRepository(home, "bare.git")
    try await home.diary("init", "a", "--remote", server.url(bare, by: SSHServer.jumpAlias))
    try await home.diary("new", "Far", "-m", "Words.", in: "a")
    try await devices.sync("a")
    let refused = try await home.diary(
      "clone", server.url(bare, by: SSHServer.keylessAlias), "b")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("refused the login"), "\(refused.errors)")
    #expect(refused.errors.contains("hint: run `ssh -T"), "\(refused.errors)")
    try await server.withAgent(home) {
      let cloned = try await home.diary(
        "clone", server.url(bare, by: SSHServer.keylessAlias), "b")
      #expect(cloned.status == 0, "\(cloned.errors)")
    }
    #expect(home.files(in: "b").count == 2)
  }

  @Test func `over http with a password from the credential helper`() async throws {
    let web = try await GitWebServer.start(
      home, login: .init(name: "writer", password: "opensesame"))
    let bare = try await BareRepository(home, "bare.git")
    let refused = try await home.diary("init", "x", "--remote", web.url(bare))
    #expect(refused.status == 1)
    #expect(refused.errors.contains("refused the login"), "\(refused.errors)")
    #expect(
      refused.errors.contains("hint: run `git -C \(home.homePath)/x ls-remote origin`"),
      "\(refused.errors)")
    let helper = try home.script(
      "helper", "test \"$1\" = get && printf 'username=writer\\npassword=opensesame\\n'\n")
    try await home.git("config", "--global", "credential.helper", helper, in: "")
    try await roundTrip(web.url(bare))
    await web.stop()
  }

  @Test func `over a URL that the user's insteadOf setting rewrites`() async throws {
    let bare = try await BareRepository(home, "bare.git")
    try await home.git(
      "config", "--global", "url.\(home.homePath)/.insteadOf", "my:", in: "")
    _ = bare
    try await roundTrip("my:bare.git")
  }

  @Test func `an unresponsive server causes a timeout`() async throws {
    let web = try await GitWebServer.start(home)
    let bare = try await BareRepository(home, "bare.git")
    try await home.diary("init", "a", "--remote", web.url(bare))
    web.behaviour = .hanging
    home.set("DIARY_SYNC__TIMEOUT", "2s")
    let clock = ContinuousClock()
    let start = clock.now
    let result = try await devices.sync("a", status: 1)
    #expect(clock.now - start < .seconds(15))
    #expect(result.errors.contains("did not answer within 2 s"), "\(result.errors)")
    // No program that git has started goes on waiting.
    let address = web.url(bare)
    #expect(
      try await Sandbox.holds(within: 10) {
        try await home.run("pgrep", ["-f", "git.*remote-http.*\(address)"]).status == 1
      })
    await web.stop()
  }

  @Test func `another address that does not answer is named, also in the watcher's log`()
    async throws
  {
    let web = try await GitWebServer.start(home)
    let bare = try await BareRepository(home, "bare.git")
    try await home.diary("init", "a", "--remote", "bare.git")
    let first = try await home.git("remote", "get-url", "origin", in: "a").dropLast()
    for address in [String(first), web.url(bare)] {
      try await home.git("remote", "set-url", "--add", "--push", "origin", address, in: "a")
    }
    web.behaviour = .hanging
    home.set("DIARY_SYNC__TIMEOUT", "2s")
    let result = try await devices.sync("a")
    #expect(result.errors.contains("another address of the remote may lack commits"), "\(result)")
    #expect(result.errors.contains("did not answer within 2 s"), "\(result)")
    try await BackgroundProcess.run(
      home, Sandbox.programs + "/diary", ["watch", "--sync"], in: "a"
    ) { watcher in
      #expect(await watcher.prints("another address of the remote"), "\(watcher.output)")
    }
    await web.stop()
  }

  @Test func `a connection cut during push and fetch loses nothing`() async throws {
    let web = try await GitWebServer.start(home)
    let bare = try await BareRepository(home, "bare.git")
    let line = try FaultyProxy(to: web.port)
    let url = web.url(bare, through: line)
    try await home.diary("init", "a", "--remote", url)
    try await home.diary("clone", web.url(bare), "b")
    try home.write(incompressibleText(60_000), to: "a/2026-11-21.md")
    for way in [FaultyProxy.Direction.up, .down] {
      try line.setBehaviour(.cutting(way, after: 300))
      let cut = try await devices.sync("a", status: 1)
      #expect(cut.errors.contains("nothing is lost"), "\(cut.errors)")
      try await home.git("fsck", "--strict", "--full", in: "a")
      try await home.git("fsck", "--strict", "--full", in: "bare.git")
    }
    try line.setBehaviour(.passing)
    try await devices.sync("a")
    try home.write(incompressibleText(50_000), to: "b/2026-11-20.md")
    try await devices.sync("b")
    try line.setBehaviour(.cutting(.down, after: 20_000))
    try await devices.sync("a", status: 1)
    try await home.git("fsck", "--strict", "--full", in: "a")
    try line.setBehaviour(.passing)
    try await devices.sync("a")
    try await devices.sync("b")
    #expect(try devices.text(of: "a") == devices.text(of: "b"))
    line.close()
    await web.stop()
  }

  @Test func `syncing one edit transfers little more than a plain push`() async throws {
    let web = try await GitWebServer.start(home)
    let bare = try await BareRepository(home, "bare.git")
    let line = try FaultyProxy(to: web.port)
    let url = web.url(bare, through: line)
    try await home.diary("init", "a", "--remote", web.url(bare))
    for number in 1...40 {
      try home.write(
        incompressibleText(1_000), to: "a/2026/11/2026-11-\(number % 28 + 1)-\(number).md")
    }
    try await devices.sync("a")
    try await home.git("clone", "-q", web.url(bare), "plain", in: "")
    for folder in ["a", "plain"] {
      try await home.git("remote", "set-url", "origin", url, in: folder)
    }
    let name = "2026/11/2026-11-9-8.md"
    let carried = { (work: () async throws -> Void) async throws -> Int in
      let before = line.forwarded
      try await work()
      return line.forwarded.up + line.forwarded.down - before.up - before.down
    }
    try home.write(home.read("plain/" + name) + incompressibleText(200), to: "plain/" + name)
    try await home.git("commit", "-qam", "edit", in: "plain")
    let push = try await carried { try await home.git("push", "-q", in: "plain") }
    try await devices.sync("a")
    try home.write(home.read("a/" + name) + incompressibleText(200), to: "a/" + name)
    let sync = try await carried { try await devices.sync("a") }
    print("one edit: \(push) bytes by git push, \(sync) by diary sync")
    // A sync also fetches, which is one more request and response.
    #expect(sync < 2 * push, "\(sync) bytes beside \(push)")
    line.close()
    await web.stop()
  }

  @Test func `two devices that push at the same time both succeed`() async throws {
    try await devices.setUp()
    for round in 1...3 {
      try await home.diary("new", "A \(round)", "-m", "Words.", in: "a")
      try await home.diary("new", "B \(round)", "-m", "Words.", in: "b")
      async let one = devices.sync("a")
      async let other = devices.sync("b")
      _ = try await (one, other)
    }
    try await devices.syncAll("a", "b")
    #expect(home.files(in: "a").count == 7)
  }

  /// Text that hardly compresses.
  private func incompressibleText(_ bytes: Int) -> String {
    var random = SeededGenerator()
    let letters = (0..<bytes).map { _ in UInt8.random(in: 0x21...0x7E, using: &random) }
    return String(decoding: letters, as: UTF8.self) + "\n"
  }
}
