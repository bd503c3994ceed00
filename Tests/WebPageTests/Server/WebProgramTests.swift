import DiaryKit
import Foundation
import Glibc
import TestSupport
import Testing

@testable import WebPage

/// The built programs: output, state and effects of `diary web`.
@Suite struct WebProgramTests {
  private let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.git("init", "-q", "j", in: "")
    try home.write("", to: "j/.diary/config.yml")
    try home.write("one\n", to: "j/a.md")
    try await home.git("add", "-A", in: "j")
    try await home.git("commit", "-qm", "begin", in: "j")
    // Tests that run in parallel must not share the default port.
    try writeState(port: try freePort())
  }

  private func writeState(port: Int) throws {
    try FileManager.default.createDirectory(
      atPath: home.homePath + "/j/.git/diary", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try home.write(#"{"port":\#(port),"sessions":[]}"#, to: "j/.git/diary/web.json")
  }

  private struct Link {
    let port: Int
    let code: String

    init(_ line: some StringProtocol) throws {
      let pattern = #/http://127\.0\.0\.1:(\d+)/open#([0-9a-f]{32})/#
      let match = try #require(String(line).firstMatch(of: pattern))
      port = try #require(Int(match.1))
      code = String(match.2)
    }

    /// The cookie of a browser that opens the link, or `nil` if it is refused.
    func cookie() async throws -> String? {
      let body = #"{"code":"\#(code)"}"#
      let lines = [
        "POST /open HTTP/1.1", "Host: 127.0.0.1:\(port)", "Origin: http://127.0.0.1:\(port)",
        "Content-Type: application/json", "Content-Length: \(body.utf8.count)", "", body,
      ]
      let request = Array(lines.joined(separator: "\r\n").utf8)
      let answer = try await RawConnection.response(from: port, to: request)
      return answer["set-cookie"].map { String($0.prefix { $0 != ";" }) }
    }

    func status(_ target: String, _ cookie: String) async throws -> Int {
      let lines = [
        "GET \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Cookie: \(cookie)", "", "",
      ]
      let request = Array(lines.joined(separator: "\r\n").utf8)
      return try await RawConnection.response(from: port, to: request).status
    }
  }

  /// Runs `diary web` during `body`, which gets its first link.
  private func serve(
    _ arguments: [String] = [],
    _ body: @escaping @Sendable (BackgroundProcess, Link) async throws -> Void
  ) async throws {
    let program = Sandbox.programs + "/diary"
    try await BackgroundProcess.run(home, program, ["web"] + arguments, in: "j") { web in
      #expect(await web.prints("/open#"), "\(web.output)")
      try await body(web, try Link(web.output))
    }
  }

  @Test func `a second call prints another link, and both links sign in`()
    async throws
  {
    try await serve { [home] web, first in
      let second = try await home.diary("web", "--no-open", in: "j")
      #expect(second.status == 0)
      #expect(second.output.hasSuffix("\n") && second.output.split(separator: "\n").count == 1)
      #expect(second.errors.contains("already running"))
      let link = try Link(second.output)
      #expect(link.port == first.port)
      #expect(link.code != first.code)
      let mode = try FileManager.default.attributesOfItem(
        atPath: home.homePath + "/j/.git/diary/web.socket")[.posixPermissions]
      #expect(mode as? Int == 0o600)
      for link in [first, link] {
        let cookie = try #require(await link.cookie())
        #expect(try await link.status("/nowhere", cookie) == 404)
        #expect(try await link.cookie() == nil)
      }
      web.signal(SIGINT)
      #expect(await Sandbox.holds { web.hasExited })
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `after a signal it commits, exits with 0 and keeps its sessions`(
    _ signal: Int32
  ) async throws {
    let script = try home.script(
      "serve", #"diary web --no-open >"$1" 2>"$2"; echo "ended with $?" >>"$1""#)
    let (out, err) = (home.homePath + "/out", home.homePath + "/err")
    try await BackgroundProcess.run(home, script, [out, err], in: "j") { [home] _ in
      #expect(await Sandbox.holds { (try? home.read("out"))?.contains("/open#") ?? false })
      let link = try Link(try home.read("out"))
      let cookie = try #require(await link.cookie())
      try home.write("two\n", to: "j/a.md")
      let process = try #require(try Self.serverProcess(on: link.port, in: home))
      kill(process, signal)
      #expect(await Sandbox.holds { (try? home.read("out"))?.contains("ended with") ?? false })
      #expect(try home.read("out").hasSuffix("ended with 0\n"))
      #expect(try await home.git("show", "HEAD:a.md", in: "j") == "two\n")

      try await serve { _, again in
        #expect(again.port == link.port)
        #expect(try await again.status("/nowhere", cookie) == 404)
        let forgotten = try await home.diary("web", "--forget", in: "j")
        #expect(forgotten.status == 0)
        #expect(try await again.status("/nowhere", cookie) == 401)
      }
    }
  }

  /// The `diary-web` process of this test's journal.
  private static func serverProcess(on port: Int, in home: Sandbox) throws -> Int32? {
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap {
      Int32($0)
    }
    return names.first { number in
      let line = try? String(contentsOfFile: "/proc/\(number)/cmdline", encoding: .utf8)
      return line?.contains("/diary-web\0" + home.homePath) ?? false
    }
  }

  @Test func `a port of another program is not used, and its sessions end`()
    async throws
  {
    let taken = try OccupiedPort()
    try await serve { _, link in
      #expect(link.port != taken.port)
    }
    // The previous port now belongs to another program, which may have seen the browser's cookie.
    let known = Int.max - 1
    let file =
      #"{"port":\#(taken.port),"sessions":[{"hash":"00","port":\#(taken.port),"until":\#(known)}]}"#
    try home.write(file, to: "j/.git/diary/web.json")
    try await serve { [home] web, link in
      #expect(link.port != taken.port)
      #expect(await web.prints("is in use"))
      let state = try home.read("j/.git/diary/web.json")
      #expect(!state.contains("\"hash\""))
    }
    try await BackgroundProcess.run(
      home, Sandbox.programs + "/diary", ["web", "--port", "\(taken.port)"], in: "j"
    ) { web in
      #expect(await web.prints("cannot listen on port \(taken.port)"))
      #expect(await Sandbox.holds { web.hasExited })
      #expect(!web.output.contains("/open#"))
    }
    withExtendedLifetime(taken) {}
  }

  @Test(.enabled(if: geteuid() == 0, "only root can be another user"))
  func `another user of the machine is refused, even with the cookie of a session`() async throws {
    try await ServedJournal.serve { site in
      for (words, status) in [
        ([], "200"), (["setpriv", "--reuid=65534", "--clear-groups"], "403"),
      ] {
        let asked = try await site.home.run(
          "env",
          words + [
            "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Cookie: \(site.cookie)",
            "http://\(site.host)/",
          ])
        #expect(asked.output == status, "\(words): \(asked)")
      }
    }
  }

  @Test func `only an open connection of the same user and direction is listed`() {
    let line = { (user: Int, inode: Int) in
      "   1: 0100007F:A3F2 0100007F:1346 01 00000000:00000000 00:00000000 00000000  \(user)        0 "
        + "\(inode) 1 0000000000000000 20 4 30 10 -1\n"
    }
    let table = { (user: Int, inode: Int) in
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        + line(user, inode)
    }
    func isListed(_ far: Int, _ near: Int, _ table: String) -> Bool {
      ConnectionOwner.isListed(clientPort: far, serverPort: near, user: 1_000, in: table)
    }
    #expect(isListed(0xA3F2, 0x1346, table(1_000, 77)))
    #expect(!isListed(0xA3F2, 0x1346, table(1_000, 0)))
    #expect(!isListed(0xA3F2, 0x1346, table(1_001, 77)))
    #expect(!isListed(0xA3F2, 0x1346, table(0, 77)))
    #expect(!isListed(0x1346, 0xA3F2, table(1_000, 77)))
    #expect(!isListed(0xA3F2, 0x1346, ""))
  }

  @Test func `the server listens only on loopback`() async throws {
    try await serve { [home] _, link in
      let port = String(link.port, radix: 16, uppercase: true)
      let padded = String(repeating: "0", count: 4 - port.count) + port
      // Foundation stops at the first short read, which the kernel returns within these files.
      let tables = try await home.run("cat", ["/proc/net/tcp", "/proc/net/tcp6"]).output
      var found: [Substring] = []
      for line in tables.split(separator: "\n") {
        let words = line.split(separator: " ")
        if words[3] == "0A", words[1].hasSuffix(":" + padded) { found.append(words[1]) }
      }
      #expect(found == ["0100007F:\(padded)"])
    }
  }

  /// Two network namespaces simulate two machines: the first serves, the second sends requests. A
  /// server that listens on all addresses proves that the first can be reached.
  @Test(.enabled(if: geteuid() == 0, "only root can make networks"))
  func `another machine cannot connect`() async throws {
    let port = try freePort()
    let script = """
      set -e
      trap 'kill $peer $open $web' EXIT
      ip link set lo up
      unshare -n sleep 60 & peer=$!
      until [ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done
      ip link add here type veth peer name there netns $peer
      ip address add 192.0.2.1/24 dev here
      ip link set here up
      beside() { nsenter --net=/proc/$peer/ns/net "$@"; }
      beside ip address add 192.0.2.2/24 dev there
      beside ip link set there up
      beside ip link set lo up
      python3 -m http.server --bind 0.0.0.0 \(port + 1) > served 2>&1 & open=$!
      "\(Sandbox.programs)/diary" web --no-open --port \(port) > link 2>&1 & web=$!
      for try in $(seq 200); do grep -q open link && break; sleep 0.1; done
      ask() { "$@" curl -s -o answer -m 20 -w '%{http_code}\n' --retry 9 --retry-connrefused $address || true; }
      address=http://192.0.2.1:\(port + 1)/ ask beside
      address=http://127.0.0.1:\(port)/ ask env
      for host in 192.0.2.1 127.0.0.1; do
        beside curl -s -o answer -m 20 -w '%{http_code}\n' http://$host:\(port)/ || true
      done
      """
    let run = try await home.run("unshare", ["-n", "sh", "-c", script], in: "j")
    #expect(run.output == "200\n401\n000\n000\n", "\(run)")
  }

  @Test func `a browser is started only in a terminal with a display`() async throws {
    _ = try home.script("xdg-open", #"echo "$1" >>"$HOME/opened""#)
    home.set("PATH", home.homePath + "/bin:" + (home.environment["PATH"] ?? ""))
    home.set("DISPLAY", ":77")
    try await serve { _, _ in }
    #expect(!home.exists("opened"))
    let terminal = try await Terminal(home, in: "j", columns: 120)
    try await terminal.enter("diary web --no-open")
    #expect(try await terminal.shows("/open#"))
    try await terminal.press("C-c")
    #expect(!home.exists("opened"))
    try await terminal.enter("clear; diary web")
    // The script creates the file before it writes the link.
    #expect(await Sandbox.holds { (try? home.read("opened"))?.hasSuffix("\n") ?? false })
    let link = try Link(try home.read("opened"))
    #expect(try await terminal.shows(link.code))
    #expect(try await link.cookie() != nil)
    try await terminal.press("C-c")
    await terminal.close()
  }

  @Test func `a page receives changes by an editor and the end of the server`() async throws {
    try await serve { [home] web, link in
      let cookie = try #require(await link.cookie())
      let page = try RawConnection(link.port)
      await page.send(
        "GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(link.port)\r\nCookie: \(cookie)\r\n\r\n")
      #expect(await page.response()?.status == 200)
      func receives(_ words: String) async -> Bool {
        var text = ""
        while !text.contains(words) {
          let part = await page.receive()
          if part.isEmpty { return false }
          text += String(decoding: part, as: UTF8.self)
        }
        return true
      }
      #expect(await receives("event: program"))
      // The watcher starts in parallel to the server.
      #expect(await Sandbox.holds { web.hasExited || home.exists("j/.git/diary/watch.lock") })
      try home.write("two\n", to: "j/a.md")
      #expect(await receives(#""changed":["a.md"]"#))
      web.signal(SIGTERM)
      #expect(await receives("event: bye"))
    }
  }

  @Test func `eight large uploads at once need little memory`() async throws {
    try await serve { [home] _, link in
      let cookie = try #require(await link.cookie())
      let process = try #require(try Self.serverProcess(on: link.port, in: home))
      func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return try #require(line.flatMap { Int($0.filter(\.isNumber)) })
      }
      func send(_ name: String, _ count: Int) async throws -> Int {
        let body = FilesTests.png + [UInt8](repeating: 7, count: count)
        let origin = "127.0.0.1:\(link.port)"
        let lines = [
          "POST /api/entries/a.md/files?name=\(name) HTTP/1.1", "Host: \(origin)",
          "Origin: http://\(origin)", "Cookie: \(cookie)", "Content-Type: image/png",
          "Content-Length: \(body.count)", "", "",
        ]
        let head = Array(lines.joined(separator: "\r\n").utf8)
        return try await RawConnection.response(from: link.port, to: head + body).status
      }
      // The memory that the first upload needs, regardless of its size.
      #expect(try await send("small.png", 1_000) == 201)
      let before = try peak()
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 1...8 { group.addTask { try await send("p\(number).png", 20 << 20) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses == Array(repeating: 201, count: 8))
      // In kilobytes. Collecting the uploads in memory would take at least 160 MB.
      let more = try peak() - before
      #expect(more < 32 << 10, "\(more) kB")
    }
  }

  @Test func `invalid ports are refused before the server starts`() async throws {
    for port in ["0", "65536", "-1", "x", ""] {
      let answer = try await home.diary("web", "--port", port, in: "j")
      #expect(answer.status == 64, "\(port): \(answer)")
    }
  }
}
