import HTTPTypes
import TestSupport
import Testing

@testable import WebPage

/// Access rules, as a table of request heads and verdicts. No server runs here.
@Suite struct AccessGuardTests {
  private static let own = "127.0.0.1:4934"

  private func verdict(
    _ method: HTTPRequest.Method = .get, _ path: String? = "/", host: String? = own,
    _ fields: [(String, String)] = [], isSignedIn: Bool = true, isReadOnly: Bool = false
  ) -> AccessGuard.Verdict {
    var head = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
    for (name, value) in fields {
      HTTPField.Name(name).map { head.headerFields.append(HTTPField(name: $0, value: value)) }
    }
    return AccessGuard(port: 4934, isReadOnly: isReadOnly).verdict(on: head) { _ in isSignedIn }
  }

  @Test(
    arguments: [
      ("localhost.evil.com:4934", 421), ("127.0.0.1.evil:4934", 421), ("127.0.0.1", 421),
      ("127.0.0.1:4935", 421), ("127.0.0.1:04934", 421), ("[::1]:4934", 421),
      ("LOCALHOST:4934", 421),
      ("127.0.0.1.:4934", 421), ("127.0.0.1:4934.", 421), ("localhost", 421),
      ("localhost.:4934", 421),
      ("evil.com", 421), ("0.0.0.0:4934", 421), ("127.1:4934", 421), ("2130706433:4934", 421),
      ("user@127.0.0.1:4934", 421), ("", 421), (nil, 400),
    ] as [(String?, Int)])
  func `a foreign host is refused`(_ host: String?, _ status: Int) {
    for signedIn in [true, false] {
      for path in ["/", "/open", "/a/page.css", "/api/entries/a.md", "/nowhere"] {
        let verdict = verdict(.get, path, host: host, isSignedIn: signedIn)
        #expect(verdict == .refuse(.init(code: status)), "\(host ?? "none") \(path)")
      }
    }
  }

  @Test func `two hosts are refused, even if they are equal`() {
    #expect(verdict(.get, "/", [("Host", Self.own)]) == .refuse(.badRequest))
    #expect(verdict(.get, "/", [("hOsT", "evil.com")]) == .refuse(.badRequest))
    #expect(verdict(.get, "/", host: "evil.com", [("Host", Self.own)]) == .refuse(.badRequest))
  }

  @Test func `the name localhost is redirected to the address`() {
    #expect(verdict(.get, "/e/a.md", host: "localhost:4934") == .redirect)
    #expect(verdict(.head, "/", host: "localhost:4934", isSignedIn: false) == .redirect)
    for method in [HTTPRequest.Method.post, .put, .delete, .options] {
      #expect(verdict(method, "/", host: "localhost:4934") == .refuse(.misdirectedRequest))
    }
  }

  @Test func `a target that is not a path is refused`() {
    for path in ["*", "http://127.0.0.1:4934/", "", "e/a.md", nil] {
      #expect(verdict(.get, path) == .refuse(.badRequest), "\(path ?? "none")")
    }
  }

  @Test(arguments: ["OPTIONS", "TRACE", "CONNECT", "PROPPATCH", "PROPFIND", "get", "SUBSCRIBE"])
  func `unneeded methods are refused`(_ name: String) throws {
    let method = try #require(HTTPRequest.Method(name))
    #expect(verdict(method) == .refuse(.methodNotAllowed))
    #expect(verdict(method, "/open", isSignedIn: false) == .refuse(.methodNotAllowed))
  }

  @Test func `protocol upgrades are refused`() {
    #expect(verdict(.get, "/events", [("Upgrade", "websocket")]) == .refuse(.badRequest))
    #expect(verdict(.get, "/", [("Upgrade", "h2c")]) == .refuse(.badRequest))
  }

  @Test func `a followed link of another site gets a way to the list, and nothing else does`() {
    func fields(_ site: String, _ mode: String, _ dest: String) -> [(String, String)] {
      [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", dest)]
    }
    for path in ["/", "/e/a.md", "/open"] {
      for site in ["cross-site", "same-site"] {
        let fields = fields(site, "navigate", "document")
        #expect(verdict(.get, path, fields) == .linked)
        #expect(verdict(.get, path, fields, isSignedIn: false) == .linked)
        #expect(verdict(.head, path, fields) == .refuse(.forbidden))
      }
      for (mode, dest) in [("navigate", "iframe"), ("no-cors", "image"), ("cors", "empty")] {
        #expect(
          verdict(.get, path, fields("cross-site", mode, dest)) == .refuse(.forbidden))
      }
    }
    let fields = fields("cross-site", "navigate", "document")
    #expect(verdict(.post, "/open", fields) == .refuse(.forbidden))
  }

  @Test(arguments: [
    "/", "/?q=a", "/new", "/e/a.md", "/r/a.md", "/h/a.md", "/f/a.png", "/api/entries",
    "/api/entries/a.md", "/api/share/a.md", "/api/status", "/events", "/nowhere", "/open/",
    "/opened",
    "/a", "//open", "/OPEN", "/%6fpen", "/e/../open",
  ])
  func `without a session only the sign-in and the assets are served`(_ path: String) {
    #expect(verdict(.get, path, isSignedIn: false) == .signedOut)
    #expect(verdict(.head, path, isSignedIn: false) == .signedOut)
    for method in [HTTPRequest.Method.post, .put, .delete] {
      let fields = [("Origin", "http://" + Self.own)]
      #expect(verdict(method, path, fields, isSignedIn: false) == .signedOut, "\(method)")
    }
    #expect(verdict(.get, path) == .pass(isSignedIn: true))
  }

  @Test func `the sign-in and the assets need no session`() {
    #expect(verdict(.get, "/open", isSignedIn: false) == .pass(isSignedIn: false))
    #expect(verdict(.get, "/open?x", isSignedIn: false) == .pass(isSignedIn: false))
    #expect(verdict(.get, "/a/page.css", isSignedIn: false) == .pass(isSignedIn: false))
    let fields = [("Origin", "http://" + Self.own), ("Content-Type", "application/json")]
    #expect(verdict(.post, "/open", fields, isSignedIn: false) == .pass(isSignedIn: false))
    #expect(verdict(.post, "/a/page.css", fields, isSignedIn: false) == .signedOut)
  }

  @Test(arguments: [
    "http://127.0.0.1:8131", "http://localhost:4934", "https://127.0.0.1:4934", "null", "",
    "http://127.0.0.1:4934/", "http://127.0.0.1", "HTTP://127.0.0.1:4934", "file://",
    "http://127.0.0.1:4934.evil.com", "http://evil.com",
  ])
  func `a write from another origin is refused even with a valid cookie`(_ origin: String) {
    for method in [HTTPRequest.Method.post, .put, .delete] {
      for path in ["/api/entries/a.md", "/open", "/nowhere"] {
        let fields = [("Origin", origin), ("Content-Type", "application/json")]
        #expect(verdict(method, path, fields) == .refuse(.forbidden), "\(method) \(path)")
      }
    }
  }

  @Test func `a write without an origin, or with two, is refused`() {
    let own = ("Origin", "http://" + Self.own)
    let json = ("Content-Type", "application/json")
    #expect(verdict(.put, "/api/entries/a.md", [json]) == .refuse(.forbidden))
    #expect(verdict(.put, "/api/entries/a.md", [own, own, json]) == .refuse(.forbidden))
    #expect(verdict(.put, "/api/entries/a.md", [own, json]) == .pass(isSignedIn: true))
  }

  @Test(arguments: [
    ("same-origin", true, true), ("none", true, false), ("same-site", false, false),
    ("cross-site", false, false), ("", false, false), ("Same-Origin", false, false),
  ])
  func `the Sec-Fetch-Site header decides about access`(
    _ site: String, _ reads: Bool, _ writes: Bool
  ) {
    let fields = [("Sec-Fetch-Site", site)]
    let read = verdict(.get, "/e/a.md", fields)
    #expect(read == (reads ? .pass(isSignedIn: true) : .refuse(.forbidden)))
    let write = verdict(.delete, "/api/entries/a.md", fields + [("Origin", "http://" + Self.own)])
    #expect(write == (writes ? .pass(isSignedIn: true) : .refuse(.forbidden)))
    // A second, wrong value is enough for a refusal.
    let both = verdict(.get, "/", [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", site)])
    #expect(both == (reads ? .pass(isSignedIn: true) : .refuse(.forbidden)))
  }

  @Test(
    arguments: [
      ("application/json", true, false), ("application/json; charset=utf-8", true, false),
      ("APPLICATION/JSON", true, false), ("text/plain", false, false),
      ("text/plain;a", false, false), ("text/plain\t; a", false, false),
      ("application/x-www-form-urlencoded", false, false),
      ("multipart/form-data; b=c", false, false),
      ("image/png", false, true), ("", false, true), ("application/jsonx", false, true),
      ("text/plain, application/json", false, true), (nil, false, false),
    ] as [(String?, Bool, Bool)])
  func `a body must be JSON, and a file must have no form type`(
    _ type: String?, _ isText: Bool, _ isFile: Bool
  ) {
    let fields =
      [("Origin", "http://" + Self.own), ("Content-Length", "2")]
      + (type.map { [("Content-Type", $0)] } ?? [])
    let text = verdict(.put, "/api/entries/a.md", fields)
    #expect(text == (isText ? .pass(isSignedIn: true) : .refuse(.unsupportedMediaType)))
    let file = verdict(.post, "/api/entries/a.md/files?name=files", fields)
    let isTaken = isFile || isText
    #expect(file == (isTaken ? .pass(isSignedIn: true) : .refuse(.unsupportedMediaType)))
    let chunked = verdict(
      .put, "/api/entries/a.md",
      [("Origin", "http://" + Self.own), ("Transfer-Encoding", "chunked")]
        + (type.map { [("Content-Type", $0)] } ?? []))
    #expect(chunked == text)
  }

  @Test func `a read-only page refuses writes but allows signing in`() {
    let fields = [("Origin", "http://" + Self.own), ("Content-Type", "application/json")]
    for path in ["/api/entries", "/api/entries/a.md", "/api/undo/1", "/api/entries/a.md/files"] {
      for method in [HTTPRequest.Method.post, .put, .delete] {
        #expect(verdict(method, path, fields, isReadOnly: true) == .readOnly)
        let without = verdict(method, path, fields, isSignedIn: false, isReadOnly: true)
        #expect(without == .signedOut)
      }
    }
    #expect(verdict(.get, "/e/a.md", isReadOnly: true) == .pass(isSignedIn: true))
    let signIn = verdict(.post, "/open", fields, isSignedIn: false, isReadOnly: true)
    #expect(signIn == .pass(isSignedIn: false))
  }
}
