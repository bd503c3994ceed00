import Foundation
import TestSupport
import Testing

@testable import WebPage

/// The limits of one connection, tested at the byte level.
@Suite struct RequestLimiterTests {
  private func options(_ change: (inout RequestLimits) -> Void) -> PageOptions {
    var options = PageOptions()
    change(&options.limits)
    return options
  }

  @Test func `a request head that is too large is refused with the right status`() async throws {
    try await ServedJournal.serve { site in
      let host = "Host: \(site.host)"
      let long = String(repeating: "a", count: 8_300)
      let line = try await site.send(head: "GET /\(long) HTTP/1.1", fields: [host])
      #expect(line.status == 414)
      let query = try await site.send(head: "GET /?q=\(long) HTTP/1.1", fields: [host])
      #expect(query.status == 414)
      let field = try await site.send(head: "GET / HTTP/1.1", fields: [host, "X: \(long)"])
      #expect(field.status == 431)
      let half = String(repeating: "a", count: 6_000)
      let all = try await site.send(
        head: "GET / HTTP/1.1", fields: [host] + (0..<3).map { "X\($0): \(half)" })
      #expect(all.status == 431)
      let many = try await site.send(
        head: "GET / HTTP/1.1", fields: [host] + (0..<64).map { "X\($0): a" })
      #expect(many.status == 431)
      let enough = try await site.send(
        head: "GET / HTTP/1.1", fields: [host] + (0..<60).map { "X\($0): a" })
      #expect(enough.status == 401)
      #expect(
        [line, field, all, many].allSatisfy { $0.body.isEmpty && $0["connection"] == "close" })
    }
  }

  /// The kernel tells whose the socket of an address and a port is: it must be asked about the right one.
  @Test func `a connection from another address with the port of one's own is refused`()
    async throws
  {
    try await ServedJournal.serve { site in
      let request = "GET /open HTTP/1.1\r\nHost: \(site.host)\r\n\r\n"
      let own = try RawConnection(site.port)
      await own.send(request)
      #expect(await own.response()?.status == 200)
      let other = try RawConnection(site.port, from: ("127.0.0.2", own.ownPort))
      await other.send(request)
      #expect(await other.response()?.status == 403)
    }
  }

  @Test func `a huge header field is refused at once`() async throws {
    try await ServedJournal.serve { site in
      let head = "GET / HTTP/1.1\r\nHost: \(site.host)\r\nX: "
      let huge = Array(head.utf8) + [UInt8](repeating: 0x61, count: 32 << 20)
      let connection = try RawConnection(site.port)
      async let sent = connection.send(huge)
      #expect(await connection.response()?.status == 431)
      #expect(try await site.send("GET", "/open").status == 200)
      #expect(await sent < huge.count)
    }
  }

  @Test(arguments: [
    ("GET http://127.0.0.1/ HTTP/1.1", 400), ("GET http://evil.com/ HTTP/1.1", 400),
    ("GET * HTTP/1.1", 400), ("OPTIONS * HTTP/1.1", 405), ("OPTIONS / HTTP/1.1", 405),
    ("TRACE / HTTP/1.1", 405), ("CONNECT 127.0.0.1:1 HTTP/1.1", 405), ("PATCH / HTTP/1.1", 405),
    ("SEARCH / HTTP/1.1", 405), ("HOP / HTTP/1.1", 400), ("get / HTTP/1.1", 400),
    ("GET / HTTP/3.0", 400), ("GET  HTTP/1.1", 400), ("\0GET / HTTP/1.1", 400),
  ])
  func `a bad request line is refused`(_ line: String, _ status: Int) async throws {
    try await ServedJournal.serve { site in
      let answer = try await site.send(head: line, fields: site.ownFields)
      #expect(answer.status == status)
      #expect(answer.body.isEmpty)
      #expect(!answer.fields.contains { $0.name.hasPrefix("access-control-") })
    }
  }

  @Test func `protocol upgrades and ambiguous lengths are refused`() async throws {
    try await ServedJournal.serve { site in
      let upgrades = ["websocket", "h2c", "TLS/1.0"]
      for upgrade in upgrades {
        let answer = try await site.send(
          "GET", "/events", fields: ["Connection: Upgrade", "Upgrade: \(upgrade)"])
        #expect(answer.status == 400)
      }
      let both = try await site.send(
        head: "PUT /api/entries/a.md HTTP/1.1",
        fields: site.ownFields + ["Content-Length: 3", "Transfer-Encoding: chunked"],
        body: Array("0\r\n\r\n".utf8))
      #expect(both.status == 400)
      let two = try await site.send(
        head: "PUT /api/entries/a.md HTTP/1.1",
        fields: site.ownFields + ["Content-Length: 3", "Content-Length: 4"], body: Array("abc".utf8)
      )
      #expect(two.status == 400)
    }
  }

  @Test func `pipelined requests are answered in order`() async throws {
    try await ServedJournal.serve { site in
      let asset = site.server.assets.address(of: "open.js")
      let fields = site.ownFields.joined(separator: "\r\n") + "\r\n\r\n"
      let connection = try RawConnection(site.port)
      await connection.send(
        ["/nowhere", asset, "/open", "/nowhere"].map { "GET \($0) HTTP/1.1\r\n" + fields }.joined())
      var statuses: [Int] = []
      for _ in 0..<4 { statuses.append(await connection.response()?.status ?? 0) }
      #expect(statuses == [404, 200, 200, 404])
      // An invalid request after valid ones does not affect their responses.
      await connection.send("GET \(asset) HTTP/1.1\r\n" + fields + "NONSENSE\r\n\r\n")
      #expect(await connection.response()?.status == 200)
      #expect(await connection.response()?.status == 400)
      #expect(await connection.receiveAll().isEmpty)
    }
  }

  @Test func `HEAD has the headers of GET without the body`() async throws {
    try await ServedJournal.serve { site in
      for target in ["/open", site.server.assets.address(of: "open.js"), "/nowhere", "/f/a.md"] {
        let get = try await site.send("GET", target)
        let connection = try RawConnection(site.port)
        let fields = site.ownFields.joined(separator: "\r\n") + "\r\n\r\n"
        await connection.send("HEAD \(target) HTTP/1.1\r\n" + fields)
        let head = try #require(await connection.response(toHead: true))
        #expect(head.status == get.status)
        #expect(head["content-length"] == "\(get.body.count)")
        #expect(head["content-type"] == get["content-type"])
        // No body bytes precede the next response.
        await connection.send("GET \(target) HTTP/1.1\r\n" + fields)
        #expect(await connection.response()?.body == get.body)
      }
    }
  }

  @Test func `a client that has shut down its sending side is answered and closed`() async throws {
    try await ServedJournal.serve { site in
      let connection = try RawConnection(site.port)
      let fields = site.ownFields.joined(separator: "\r\n") + "\r\n\r\n"
      await connection.send("GET /open HTTP/1.1\r\n" + fields)
      connection.shutDownSending()
      #expect(await connection.response()?.status == 200)
      #expect(await connection.receiveAll().isEmpty)
      let silent = try RawConnection(site.port)
      silent.shutDownSending()
      #expect(await silent.receiveAll().isEmpty)
    }
  }

  @Test func `an HTTP 1.0 client is answered, and the connection closes`() async throws {
    try await ServedJournal.serve { site in
      let connection = try RawConnection(site.port)
      await connection.send("GET /open HTTP/1.0\r\nHost: \(site.host)\r\n\r\n")
      let all = String(decoding: await connection.receiveAll(), as: UTF8.self)
      #expect(all.hasPrefix("HTTP/1.1 200 "))
      #expect(all.hasSuffix("</html>"))
    }
  }

  @Test func `a head or body that arrives too slowly times out`() async throws {
    try await ServedJournal.serve(options: options { $0.headTimeout = 3 }) { site in
      let head = try RawConnection(site.port)
      await head.send("GET / HTTP/1.1\r\nHost: \(site.host)\r\n")
      let body = try RawConnection(site.port)
      let fields = site.ownFields + ["Content-Type: application/json", "Content-Length: 100000"]
      await body.send("POST /open HTTP/1.1\r\n" + fields.joined(separator: "\r\n") + "\r\n\r\n{")
      let silent = try RawConnection(site.port)
      let clock = ContinuousClock()
      let start = clock.now
      #expect(await head.response()?.status == 408)
      #expect(await body.response()?.status == 408)
      #expect(await silent.receiveAll().isEmpty)
      #expect(clock.now - start < .seconds(25))
    }
  }

  @Test func `a body above the minimum rate does not time out`() async throws {
    try await ServedJournal.serve(
      options: options {
        $0.headTimeout = 1
        $0.minBodyRate = 3
      }
    ) { site in
      let code = String(site.server.newLink().drop { $0 != "#" }.dropFirst())
      let body = #"{"code":"\#(code)"}"#
      let connection = try RawConnection(site.port)
      let fields =
        site.ownFields + [
          "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
        ]
      await connection.send(
        "POST /open HTTP/1.1\r\n" + fields.joined(separator: "\r\n") + "\r\n\r\n")
      for part in stride(from: 0, to: body.utf8.count, by: 15) {
        await connection.send(Array(Array(body.utf8)[part...].prefix(15)))
        try await Task.sleep(for: .milliseconds(600))
      }
      #expect(await connection.response()?.status == 204)
    }
  }

  @Test func `a body that is too large is refused before it is complete`() async throws {
    try await ServedJournal.serve { site in
      let fields = site.ownFields + ["Content-Type: application/json"]
      let said = try await site.send(
        head: "POST /open HTTP/1.1", fields: fields + ["Content-Length: 26000000"])
      #expect(said.status == 413)
      let text = try await site.send(
        head: "POST /open HTTP/1.1", fields: fields + ["Content-Length: \(4 << 20 + 1)"],
        body: [UInt8](repeating: 0x20, count: 4 << 20 + 1))
      #expect(text.status == 413)
      let connection = try RawConnection(site.port)
      await connection.send(
        "POST /open HTTP/1.1\r\n"
          + (fields + ["Transfer-Encoding: chunked"]).joined(separator: "\r\n")
          + "\r\n\r\n")
      let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 0x10000) + [13, 10]
      async let answer = connection.response()
      for _ in 0..<1_000 where await connection.send(chunk) < chunk.count { break }
      #expect(await answer?.status == 413)
    }
  }

  @Test func `a client that holds all connections does not block others`() async throws {
    try await ServedJournal.serve(options: options { $0.connections = 8 }) { site in
      var held: [RawConnection] = []
      for _ in 0..<50 {
        let connection = try RawConnection(site.port)
        await connection.send("GET / HTTP/1.1\r\n")
        held.append(connection)
      }
      #expect(try await site.send("GET", "/open").status == 200)
      // The oldest connection was closed.
      #expect(await held[0].receiveAll().isEmpty)

      // Connections that have presented a session are kept.
      var own: [RawConnection] = []
      let fields = site.ownFields.joined(separator: "\r\n") + "\r\n\r\n"
      for _ in 0..<8 {
        let connection = try RawConnection(site.port)
        await connection.send("GET /open HTTP/1.1\r\n" + fields)
        #expect(await connection.response()?.status == 200)
        own.append(connection)
      }
      let refused = try RawConnection(site.port)
      #expect(await refused.response()?.status == 503)
      await own[0].send("GET /open HTTP/1.1\r\n" + fields)
      #expect(await own[0].response()?.status == 200)
    }
  }

  @Test func `a client that does not read is disconnected`() async throws {
    let big = String(repeating: "a", count: 20 << 20)
    let options = options { $0.writeTimeout = 2 }
    try await ServedJournal.serve(["big.txt": big], options: options) { site in
      let connection = try RawConnection(site.port)
      let fields = site.ownFields.joined(separator: "\r\n") + "\r\n\r\n"
      await connection.send("GET /f/big.txt HTTP/1.1\r\n" + fields)
      // Only a read would show the client that it was disconnected.
      try await Task.sleep(for: .seconds(5))
      #expect(await connection.receiveAll().count < big.utf8.count)
      #expect(try await site.send("GET", "/open").status == 200)
    }
  }
}
