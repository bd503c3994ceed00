import TestSupport
import Testing

@testable import WebPage

/// The header fields that every response has.
@Suite struct PageHeadersTests {
  @Test func `every response has the security headers and allows no other origin`() async throws {
    try await ServedJournal.serve(["a.md": "one\n", "p.png": "x"]) { site in
      let asked = [
        ("GET", "/", 200), ("GET", "/e/a.md", 200), ("GET", "/r/a.md", 307),
        ("GET", "/api/entries", 200), ("GET", "/api/entries/a.md", 200), ("GET", "/f/p.png", 200),
        ("GET", site.server.assets.address(of: "page.css"), 200), ("GET", "/nowhere", 404),
        ("PUT", "/", 405), ("GET", "/api/entries/none.md", 404), ("POST", "/api/entries", 400),
      ]
      var answers: [(String, RawResponse)] = []
      for (method, target, status) in asked {
        let answer = try await site.send(method, target)
        #expect(answer.status == status, "\(method) \(target)")
        answers.append(("\(method) \(target)", answer))
      }
      let stranger = try await site.send(head: "GET / HTTP/1.1", fields: ["Host: \(site.host)"])
      let misled = try await site.send(head: "GET / HTTP/1.1", fields: ["Host: evil.example"])
      let from = ["Host: \(site.host)", "Cookie: \(site.cookie)", "Sec-Fetch-Site: cross-site"]
      let afar = try await site.send(head: "GET / HTTP/1.1", fields: from)
      answers += [("no session", stranger), ("another name", misled), ("another site", afar)]
      #expect([stranger, misled, afar].map(\.status) == [401, 421, 403])
      for (name, answer) in answers {
        #expect(answer["x-frame-options"] == "DENY", "\(name)")
        #expect(answer["x-content-type-options"] == "nosniff", "\(name)")
        #expect(answer["referrer-policy"] == "no-referrer", "\(name)")
        #expect(answer["cross-origin-resource-policy"] == "same-origin", "\(name)")
        #expect(answer["cross-origin-opener-policy"] == "same-origin", "\(name)")
        #expect(
          answer["content-security-policy"]?.hasPrefix("default-src 'none'") == true, "\(name)")
        #expect(answer["permissions-policy"] != nil, "\(name)")
        #expect(!answer.fields.contains { $0.name.hasPrefix("access-control-") }, "\(name)")
        let isKept = name.contains("/a/")
        #expect(isKept || answer["cache-control"] == "no-store", "\(name)")
      }
    }
  }

  @Test func `an error escapes control characters`() async throws {
    try await ServedJournal.serve { site in
      for target in ["/api/entries/a%1b%5b2J.md", "/e/a%1b%5b2J.md", "/h/a%1b%5b2J.md"] {
        let answer = try await site.send("GET", target)
        #expect(answer.status == 404, "\(target)")
        #expect(!answer.body.contains(0x1B) && !answer.text.contains("\\u001"), "\(answer.text)")
        let isShown = answer.text.contains("x1B[2J")
        #expect(isShown || !target.hasPrefix("/api/"), "\(answer.text)")
      }
    }
  }
}
