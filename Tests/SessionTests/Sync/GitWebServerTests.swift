import Foundation
import GitServers
import TestSupport
import Testing

extension GitServerTests {
  @Test func `over http git clones, pushes and fetches`() async throws {
    let server = try await GitWebServer.start(home)
    let bare = try await BareRepository(home, "bare.git")
    try await roundTrip(server.url(bare))
    let pushes = server.requests.filter { $0.path == "/bare.git/git-receive-pack" }
    #expect(pushes.count == 2)
    for push in pushes {
      #expect(push.status == 200)
      // The pushed data does not compress below three quarters of its size.
      #expect(push.bytesIn > 1500 && push.bytesOut > 0, "\(push)")
    }
    let first = try #require(server.requests.first)
    #expect(first.query == "service=git-receive-pack" && first.bytesIn == 0, "\(first)")
    await server.stop()
    #expect(try await push(server.url(bare)).status == 128)
  }

  @Test func `a long request is sent compressed and is decoded`() async throws {
    let server = try await GitWebServer.start(home)
    let bare = try await BareRepository(home, "bare.git")
    try await work()
    let branches =
      "for i in $(seq 40); do git branch b$i $(git commit-tree -m $i 'HEAD^{tree}') || exit; done"
    #expect(try await home.run("sh", ["-c", branches], in: "work").status == 0)
    try await home.git("push", "-q", "--all", bare.path, in: "work")
    try await home.git("clone", "-q", server.url(bare), "copy", in: "")
    let asked = try #require(server.requests.last)
    // Each `want` line is 50 bytes.
    #expect(asked.path == "/bare.git/git-upload-pack" && asked.bytesIn < 41 * 50, "\(asked)")
    await server.stop()
  }

  @Test func `a large push is sent in chunks and arrives complete`() async throws {
    let server = try await GitWebServer.start(home)
    let bare = try await BareRepository(home, "bare.git")
    try await work(bytes: 1_500_000)
    let pushed = try await push(server.url(bare))
    #expect(pushed.status == 0, "\(pushed)")
    #expect(server.requests.contains { $0.bytesIn > 1_200_000 }, "\(server.requests)")
    #expect(try await home.git("cat-file", "-s", "main:one.md", in: "bare.git") == "1500003\n")
    await server.stop()
  }

  @Test func `with a login only clients with the password are admitted`() async throws {
    let login = GitWebServer.Login(name: "writer", password: "열쇠 & key")
    let server = try await GitWebServer.start(home, login: login)
    let bare = try await BareRepository(home, "bare.git")
    try await work()
    let nobody = try await push(server.url(bare))
    #expect(nobody.status == 128 && nobody.errors.contains("could not read Username"), "\(nobody)")
    let helper = try home.script(
      "keys", "echo username=writer\necho \"password=$(cat '\(home.homePath)/password')\"\n")
    try await home.git("config", "--global", "credential.helper", helper, in: "")
    try home.write("wrong\n", to: "password")
    let wrong = try await push(server.url(bare))
    #expect(wrong.status == 128 && wrong.errors.contains("Authentication failed"), "\(wrong)")
    try home.write(login.password + "\n", to: "password")
    let right = try await push(server.url(bare))
    #expect(right.status == 0, "\(right)")
    #expect(server.requests.map(\.status).contains(401))
    #expect(server.requests.last?.user == "writer")
    await server.stop()
  }

  @Test func `a server that refuses returns its status`() async throws {
    let server = try await GitWebServer.start(home)
    let bare = try await BareRepository(home, "bare.git")
    try await work()
    for status in [403, 500] {
      server.behaviour = .refusing(status)
      let refused = try await push(server.url(bare))
      #expect(refused.status == 128 && refused.errors.contains("error: \(status)"), "\(refused)")
      #expect(server.requests.last?.status == status)
    }
    server.behaviour = .serving
    #expect(try await push(server.url(bare)).status == 0)
    await server.stop()
  }

  @Test func `a server that hangs sends nothing until the client gives up`() async throws {
    let server = try await GitWebServer.start(home)
    let bare = try await BareRepository(home, "bare.git")
    server.behaviour = .hanging
    let hung = try await home.run("timeout", ["0.5", "git", "ls-remote", server.url(bare)])
    #expect(hung.status == 124 && hung.errors.isEmpty, "\(hung)")
    #expect(server.requests.count == 1 && server.requests[0].status == nil)
    let clock = ContinuousClock()
    #expect(await clock.measure { await server.stop() } < .seconds(2))
  }

  @Test func `a cut connection fails a push over http, the next one works`()
    async throws
  {
    let server = try await GitWebServer.start(home)
    let line = try FaultyProxy(to: server.port)
    let bare = try await BareRepository(home, "bare.git")
    try await work(bytes: 200_000)
    try line.setBehaviour(.cutting(.up, after: 50_000))
    let cut = try await push(server.url(bare, through: line))
    #expect(cut.status != 0, "\(cut)")
    // curl retries a request by itself if its connection was used before.
    #expect(line.forwarded.up == 50_000 * line.connections, "\(line.forwarded)")
    #expect(try await home.git("for-each-ref", in: "bare.git").isEmpty)
    try line.setBehaviour(.passing)
    let before = line.forwarded
    let pushed = try await push(server.url(bare, through: line))
    #expect(pushed.status == 0, "\(pushed)")
    #expect(line.forwarded.up - before.up > 150_000 && line.forwarded.down > before.down)
    await server.stop()
  }

  @Test func `a stalled connection blocks git, a refused one fails at once`() async throws {
    let server = try await GitWebServer.start(home)
    let line = try FaultyProxy(to: server.port)
    let bare = try await BareRepository(home, "bare.git")
    let url = server.url(bare, through: line)
    try line.setBehaviour(.stalling(.down, after: 10))
    let stalled = try await home.run("timeout", ["0.5", "git", "ls-remote", url])
    #expect(stalled.status == 124 && line.forwarded.down == 10, "\(stalled) \(line.forwarded)")
    try line.setBehaviour(.refusing)
    let refused = try await home.run("git", ["ls-remote", url])
    #expect(refused.status == 128 && refused.errors.contains("Failed to connect"), "\(refused)")
    try line.setBehaviour(.passing)
    #expect(try await home.run("git", ["ls-remote", url]).status == 0)
    await server.stop()
  }
}
