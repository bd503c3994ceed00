import Crypto
import DiaryCore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import WebPage

@Suite struct FilesTests {
  static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0]
  static let svg =
    "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"><script>1</script></svg>"

  @Test func `pictures are shown by their content, and other files are downloads`() async throws {
    let files = [
      "a.md": "one\n", "page.html": "<!DOCTYPE html><script>1</script>", "drawing.svg": Self.svg,
      "lie.png": "<script>1</script>", "날 씨.txt": "words", "sheet.pdf": "%PDF-1.7\n",
      "both.svg": "<html><svg></svg><script>1</script></html>",
    ]
    try await ServedJournal.serve(files) { site in
      let root = site.home.homePath + "/j/"
      #expect(FileManager.default.createFile(atPath: root + "p.jpg", contents: Data(Self.png)))
      let types = [
        "p.jpg": "image/png", "sheet.pdf": "application/pdf", "a.md": "application/octet-stream",
        "page.html": "application/octet-stream", "drawing.svg": "application/octet-stream",
        "lie.png": "application/octet-stream", "both.svg": "application/octet-stream",
        "%EB%82%A0%20%EC%94%A8.txt": "application/octet-stream",
      ]
      for (name, type) in types {
        let answer = try await site.send("GET", "/f/" + name)
        #expect(answer.status == 200, "\(name)")
        #expect(answer["content-type"] == type, "\(name)")
        #expect(answer["content-security-policy"] == "default-src 'none'; sandbox")
        #expect(answer["x-content-type-options"] == "nosniff")
        #expect(answer["cross-origin-resource-policy"] == "same-origin")
        let isSaved = answer["content-disposition"]?.hasPrefix("attachment; ") ?? false
        #expect(isSaved == (type == "application/octet-stream"), "\(name)")
      }
      let korean = try await site.send("GET", "/f/%EB%82%A0%20%EC%94%A8.txt")
      #expect(korean.text == "words")
      #expect(
        korean["content-disposition"] == "attachment; filename*=UTF-8''%EB%82%A0%20%EC%94%A8.txt")
      let shown = try await site.send("GET", "/f/drawing.svg", fields: ["Sec-Fetch-Dest: image"])
      #expect(shown["content-type"] == "image/svg+xml")
      for place in ["document", "iframe", "object", "embed", "script"] {
        let opened = try await site.send(
          "GET", "/f/drawing.svg", fields: ["Sec-Fetch-Dest: \(place)"])
        #expect(opened["content-type"] == "application/octet-stream", "\(place)")
      }
      let html = try await site.send("GET", "/f/both.svg", fields: ["Sec-Fetch-Dest: image"])
      #expect(html["content-type"] == "application/octet-stream")
    }
  }

  @Test func `an address outside the served files is refused`() async throws {
    let files = [
      "a.md": "one\n", "sub/b.txt": "words", "sub/.hidden": "x", ".env": "x", "id_rsa": "x",
    ]
    try await ServedJournal.serve(files) { site in
      let root = site.home.homePath + "/j/"
      try site.home.write("secret", to: "secret")
      try FileManager.default.createSymbolicLink(
        atPath: root + "link.md", withDestinationPath: site.home.homePath + "/secret")
      try FileManager.default.createSymbolicLink(
        atPath: root + "linked", withDestinationPath: site.home.homePath)
      #expect(mkfifo(root + "pipe", 0o600) == 0)
      #expect(mknod(root + "socket", S_IFSOCK | 0o600, 0) == 0)
      for target in [
        "/f/", "/f/.git/config", "/f/.diary/config.yml", "/f/.env", "/f/sub/.hidden", "/f/..",
        "/f/.", "/f/../j/a.md", "/f/%2e%2e/secret", "/f/%2e%2e%2fsecret", "/f/sub/../../secret",
        "/f//a.md", "/f/sub//b.txt", "/f/sub/./b.txt", "/f/a.md/", "/f/a.md%00", "/f/a.md%00.png",
        "/f/sub%2fb.txt", "/f/sub%2Fb.txt", "/f/%", "/f/%g0", "/f/a.md%2", "/f/link.md",
        "/f/linked/secret", "/f/pipe", "/f/sub", "/f/socket", "/f/id_rsa", "/f/%252e%252e/secret",
        "/f/nowhere.png", "/f/%2egit/config", "/f/..%5csecret", "/f/\\..\\secret",
        "/f/%c0%ae%c0%ae/secret", "/f/a.md/b", "/f//etc/passwd", "/f/%2fetc/passwd",
        "/f/" + String(repeating: "a/", count: 2_100) + "a",
      ] {
        let answer = try await site.send("GET", target)
        #expect([404, 414].contains(answer.status), "\(target)")
        for word in ["secret\n", "root:", "[core]", "one"] {
          #expect(!answer.text.contains(word), "\(target)")
        }
        #expect(try await site.send("GET", "/f/sub/b.txt").text == "words", "\(target)")
      }
    }
  }

  @Test func `a picture is sent again only after a change`() async throws {
    try await ServedJournal.serve(["d.svg": Self.svg, "a.txt": "words"]) { site in
      let file = URL(filePath: site.home.homePath + "/j/p.png")
      try Data(Self.png).write(to: file)
      let first = try await site.send("GET", "/f/p.png")
      #expect(first["cache-control"] == "private, no-cache")
      let fields = ["If-None-Match: \(try #require(first["etag"]))"]
      let same = try await site.send("GET", "/f/p.png", fields: fields)
      #expect(same.status == 304 && same.body.isEmpty && same["etag"] == first["etag"])
      #expect(same["content-security-policy"] == "default-src 'none'; sandbox")
      try Data(Self.png + [1]).write(to: file)
      let changed = try await site.send("GET", "/f/p.png", fields: fields)
      #expect(changed.status == 200 && changed.body == Self.png + [1])
      // An SVG is a picture or a download, as it is asked for; text is not kept.
      for name in ["d.svg", "a.txt"] {
        let image = ["Sec-Fetch-Dest: image"]
        let answer = try await site.send("GET", "/f/\(name)", fields: image)
        #expect(answer["cache-control"] == "no-store")
      }
    }
  }

  @Test func `a range of a file can be requested`() async throws {
    try await ServedJournal.serve(["n.bin": "0123456789", "none.bin": ""]) { site in
      func ask(_ range: String, _ more: [String] = []) async throws -> RawResponse {
        try await site.send("GET", "/f/n.bin", fields: ["Range: \(range)"] + more)
      }
      let first = try await ask("bytes=0-3")
      #expect(first.status == 206)
      #expect(first.text == "0123")
      #expect(first["content-range"] == "bytes 0-3/10")
      #expect(try await ask("bytes=7-").text == "789")
      #expect(try await ask("bytes=7-99").text == "789")
      #expect(try await ask("bytes=-2").text == "89")
      #expect(try await ask("bytes=-99").text == "0123456789")
      for range in ["bytes=10-", "bytes=99-100", "bytes=-0"] {
        let behind = try await ask(range)
        #expect(behind.status == 416, "\(range)")
        #expect(behind["content-range"] == "bytes */10")
        #expect(behind.body.isEmpty)
      }
      for range in [
        "bytes=3-1", "bytes=a-b", "bytes=0-1,3-4", "lines=0-1", "bytes=", "bytes=-", "bytes=+1-2",
      ] {
        let all = try await ask(range)
        #expect(all.status == 200, "\(range)")
        #expect(all.text == "0123456789", "\(range)")
      }
      let tag = try #require(first["etag"])
      #expect(try await ask("bytes=0-3", ["If-Range: \(tag)"]).status == 206)
      #expect(try await ask("bytes=0-3", ["If-Range: \"other\""]).status == 200)
      #expect(try await site.send("GET", "/f/none.bin", fields: ["Range: bytes=0-"]).status == 416)
      #expect(try await site.send("GET", "/f/none.bin").status == 200)
    }
  }

  @Test func `a picture is saved beside its entry under a free, correct name`() async throws {
    struct Attached: Decodable, Equatable { let path: String, markdown: String }
    try await ServedJournal.serve(["2026/11/a.md": "one\n"]) { site in
      func send(_ name: String, _ bytes: [UInt8] = Self.png, to entry: String = "2026/11/a.md")
        async throws -> RawResponse
      {
        try await site.send(
          "POST", "/api/entries/\(entry)/files?name=\(name)", body: bytes, type: "image/png")
      }
      func attached(_ name: String) async throws -> Attached {
        let answer = try await send(name)
        #expect(answer.status == 201, "\(answer.text)")
        return try JSONDecoder().decode(Attached.self, from: Data(answer.body))
      }
      // With the last name unchanged, the picture would be an entry.
      let names = [
        ("p.png", "p.png", "![p](p.png)"), ("p.png", "p-2.png", "![p-2](p-2.png)"),
        ("%EB%82%A0%20a.jpg", "날 a.jpg.png", "![날 a.jpg](%EB%82%A0%20a.jpg.png)"),
        ("b.md", "b.md.png", "![b.md](b.md.png)"),
      ]
      for (sent, name, markdown) in names {
        let answer = try await attached(sent)
        #expect(answer == Attached(path: "2026/11/" + name, markdown: markdown))
      }
      #expect(site.home.exists("j/2026/11/p.png"))
      let known = site.home.files(in: "j")
      for name in ["", "..", ".hidden.png", "%2e%2e%2fx.png", "a%2fb.png", "a%00.png", "a%0a.png"] {
        #expect(try await send(name).status == 400, "\(name)")
      }
      #expect(try await send("a.png", Array("<script>".utf8)).status == 415)
      #expect(try await send("a.png", to: "nowhere.md").status == 404)
      #expect(try await send("a.png", to: "..%2fa.md").status == 404)
      #expect(site.home.files(in: "j") == known)
    }
  }

  @Test func `an asset is immutable, and its address contains its hash`() async throws {
    try await ServedJournal.serve { site in
      let address = site.server.assets.address(of: "open.js")
      let answer = try await site.send(
        head: "GET \(address) HTTP/1.1", fields: ["Host: \(site.host)"])
      #expect(answer.status == 200)
      #expect(answer["cache-control"] == "private, max-age=31536000, immutable")
      #expect(answer["content-type"] == "text/javascript; charset=utf-8")
      #expect(address == "/a/open.\(hexadecimal(SHA256.hash(data: answer.body).prefix(8))).js")
      for other in ["/a/open.js", "/a/open.0000000000000000.js", "/a/../open", "/a/%2e%2e/x"] {
        #expect(try await site.send("GET", other).status == 404, "\(other)")
      }
    }
  }
}
