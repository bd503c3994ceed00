import Foundation
import TestSupport
import Testing

@testable import WebPage

/// Random requests that are almost valid, and many connections at once. `DIARY_STORM` is the number
/// of requests per test (100).
@Suite struct RequestStormTests {
  private static let count =
    ProcessInfo.processInfo.environment["DIARY_STORM"].flatMap { Int($0) } ?? 100

  private static let lines = [
    "GET / HTTP/1.1", "GET /?q=one&tag=a HTTP/1.1", "GET /e/a.md HTTP/1.1",
    "GET /r/b/c.md HTTP/1.1",
    "GET /h/a.md?at=0123 HTTP/1.1", "GET /f/a.md HTTP/1.1",
    "GET /api/entries?after=1.2.61 HTTP/1.1",
    "PUT /api/entries/a.md HTTP/1.1", "POST /api/entries HTTP/1.1", "HEAD /new HTTP/1.1",
    "DELETE /api/entries/b/c.md HTTP/1.1", "POST /api/entries/a.md/files?name=p.png HTTP/1.1",
    "GET /api/share/a.md?format=md HTTP/1.1", "POST /open HTTP/1.1", "PUT /api/weather HTTP/1.1",
  ]
  private static let fields = [
    "If-Match: \"0123456789012345678901234567890123456789\"", "Idempotency-Key: 7c1f",
    "Content-Type: application/json", "Content-Length: 27", "Transfer-Encoding: chunked",
    "Range: bytes=0-1", "If-Range: \"x\"", "If-None-Match: *", "Accept-Language: ko;q=0.5,en",
    "Sec-Fetch-Dest: image", "Expect: 100-continue", "Connection: close",
  ]
  private static let pieces = [
    "\r\n", "\n", "\r", "\r\n\r\n", "\0", " ", "\t", ":", "%2e%2e/", "%", "%00", "../", "//", "?",
    "#", "&", "=", "\"", "{", "}", "[[[[", "\u{FEFF}", "한", "-1", "99999999999999999999", "0x10",
    "HTTP/1.0", "HTTP/2.0", "Host: evil", "Host:", "Origin: null", "Content-Length: 5",
    "Transfer-Encoding: chunked", "Upgrade: websocket", String(repeating: "a", count: 9_000),
    String(repeating: "A: b\r\n", count: 70),
  ]

  private func request(_ site: ServedJournal, _ dice: inout SeededGenerator) -> [UInt8] {
    var lines = [Self.lines.randomElement(using: &dice) ?? ""] + site.ownFields
    for field in Self.fields where Int.random(in: 0..<3, using: &dice) == 0 { lines.append(field) }
    let body = #"{"title":"x","body":"y\n\u0000"}"#
    var bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    for _ in 0..<Int.random(in: 0...3, using: &dice) {
      let place = Int.random(in: 0...bytes.count, using: &dice)
      let end = min(bytes.count, place + Int.random(in: 0...20, using: &dice))
      switch Int.random(in: 0..<5, using: &dice) {
      case 0: bytes.removeSubrange(place..<end)
      case 1: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 2: bytes.insert(UInt8.random(in: 0...255, using: &dice), at: place)
      case 3: bytes.removeSubrange(place...)
      default:
        bytes.insert(
          contentsOf: Self.pieces.randomElement(using: &dice)?.utf8 ?? "".utf8, at: place)
      }
    }
    return bytes
  }

  @Test(arguments: 1...3)
  func `the server answers random requests and keeps running`(_ part: Int) async throws {
    var options = PageOptions()
    options.limits.headTimeout = 1
    let files = ["a.md": "one\n", "b/c.md": "two\n", "secret.txt": "unlisted\n"]
    try await ServedJournal.serve(files, options: options) { site in
      try site.home.write("outside\n", to: "outside.md")
      var dice = SeededGenerator(part: part)
      var answered = 0
      for _ in 0..<Self.count {
        let bytes = request(site, &dice)
        let connection = try RawConnection(site.port)
        await connection.send(bytes)
        connection.shutDownSending()
        let answer = String(decoding: await connection.receiveAll(), as: UTF8.self)
        for match in answer.matches(of: #/(?:^|\n)HTTP/1\.1 ([0-9]{3}) /#) {
          answered += 1
          let status = Int(match.1) ?? 0
          let isKnown = 200..<500 ~= status || status == 501 || status == 503 || status == 505
          #expect(isKnown, "\(dice): \(String(decoding: bytes, as: UTF8.self)) → \(answer)")
        }
        #expect(!answer.contains("outside\n"), "\(dice)")
      }
      #expect(answered > Self.count / 2, "too few were understood: \(answered)")
      #expect(try await site.send("GET", "/").status == 200)
      #expect(try site.home.read("outside.md") == "outside\n")
    }
  }

  @Test func `1,500 connections at once do not block the page`() async throws {
    try await ServedJournal.serve { site in
      for _ in 0..<15 {
        let held = try (0..<100).map { _ in try RawConnection(site.port) }
        #expect(try await site.send("GET", "/open").status == 200)
        withExtendedLifetime(held) {}
      }
    }
  }
}
