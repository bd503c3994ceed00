import DiaryCore
import DiaryKit
import Foundation
import TestSupport
import Testing

@testable import WebPage

/// Thumbnails that browsers send: which are stored, and which are served.
@Suite struct ThumbnailTests {
  private static let png = Data(
    base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
      + "awAA"
      + "AABJRU5ErkJggg==")
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array("small".utf8)

  /// Serves a journal in which `2026/a.md` shows `2026/b ä.png`.
  private func serve(
    isReadOnly: Bool = false, _ body: @Sendable (ServedJournal) async throws -> Void
  ) async throws {
    var options = PageOptions()
    options.isReadOnly = isReadOnly
    let files = ["2026/a.md": "# A\n\nText.\n\n![b](<b ä.png>) ![c](c.png)\n", "b.md": "# B\n"]
    try await ServedJournal.serve(files, options: options) { site in
      try #require(Self.png).write(
        to: URL(filePath: site.home.homePath + "/j/2026/b ä.png"))
      try await body(site)
    }
  }

  private struct Page: Decodable {
    struct Row: Decodable {
      struct Picture: Decodable { let thumbnail: String, isMade: Bool }
      let title: String
      let picture: Picture?
    }
    let rows: [Row]
  }

  private func picture(_ site: ServedJournal) async throws -> Page.Row.Picture? {
    let answer = try await site.send("GET", "/api/entries")
    let page = try JSONDecoder().decode(Page.self, from: Data(answer.text.utf8))
    #expect(page.rows.first { $0.title == "B" }?.picture == nil)
    return page.rows.first { $0.title == "A" }?.picture
  }

  private func put(
    _ site: ServedJournal, _ path: String, _ version: String?, _ bytes: [UInt8],
    type: String = "image/jpeg"
  ) async throws -> Int {
    try await site.send(
      "PUT", path, fields: version.map { ["If-Match: \"\($0)\""] } ?? [], body: bytes, type: type
    ).status
  }

  @Test func `a thumbnail is stored once for a version of a picture`() async throws {
    try await serve { site in
      let missing = try #require(try await picture(site))
      #expect(missing.thumbnail.hasPrefix("/t/2026/b%20ä.png?v=") && !missing.isMade)
      let document = try await site.send("GET", "/").text
      #expect(document.contains("data-thumbnail=\"/t/2026/b%20ä.png"))
      #expect(try await HTMLCheck.read(document).errors == [])
      let address = missing.thumbnail.replacing("ä", with: "%C3%A4")
      #expect(try await site.send("GET", address).status == 404)
      let parts = address.components(separatedBy: "?v=")
      #expect(try await put(site, parts[0], parts[1], Self.jpeg) == 204)
      let answer = try await site.send("GET", address)
      #expect(answer.status == 200 && answer.body == Self.jpeg)
      #expect(answer["content-type"] == "image/jpeg")
      #expect(answer["cache-control"] == "private, max-age=86400, immutable")
      #expect(try await picture(site)?.isMade == true)
      #expect(try await site.send("GET", "/").text.contains(" src=\"/t/2026/b%20ä.png"))
      #expect(site.home.files(in: "j").filter { $0.hasSuffix(".jpg") } == [])
      // Another version of the picture has no thumbnail yet, and the old address none any more.
      try (try #require(Self.png) + Data([0])).write(
        to: URL(filePath: site.home.homePath + "/j/2026/b ä.png"))
      #expect(try await site.send("GET", address).status == 404)
      #expect(try await put(site, parts[0], parts[1], Self.jpeg) == 412)
      #expect(try await picture(site)?.isMade == false)
    }
  }

  @Test func `only a small JPEG of a picture of the journal is stored`() async throws {
    try await serve { site in
      let picture = try #require(try await picture(site))
      let parts = picture.thumbnail.replacing("ä", with: "%C3%A4").components(separatedBy: "?v=")
      let (path, version) = (parts[0], parts[1])
      let large = Self.jpeg + [UInt8](repeating: 0, count: 12_000 - Self.jpeg.count)
      #expect(try await put(site, path, version, large + [0]) == 413)
      #expect(try await put(site, path, version, Array("<svg>".utf8)) == 400)
      #expect(try await put(site, path, version, [UInt8](Self.png ?? Data())) == 400)
      #expect(try await put(site, path, nil, Self.jpeg) == 428)
      #expect(try await put(site, path, version, Self.jpeg, type: "text/plain") == 415)
      for other in ["/t/b.md", "/t/none.png", "/t/../a.png", "/t/.git/config", "/t/2026%2Fb.png"] {
        let stored = try await put(site, other, version, Self.jpeg)
        let shown = try await site.send("GET", other + "?v=1").status
        #expect([400, 404].contains(stored) && [400, 404].contains(shown), "\(other)")
      }
      let signedOut = try await site.send(
        head: "PUT \(path) HTTP/1.1",
        fields: [
          "Host: \(site.host)", "Origin: http://\(site.host)", "If-Match: \"\(version)\"",
          "Content-Type: image/jpeg", "Content-Length: \(Self.jpeg.count)",
        ], body: Self.jpeg)
      #expect(signedOut.status == 401)
      #expect(try await self.picture(site)?.isMade == false)
      #expect(try await put(site, path, version, large) == 204)
    }
  }

  @Test func `the screen of pictures has those of all entries, each once in an entry`() async throws
  {
    try await serve(isReadOnly: true) { site in
      let write = { (name: String, text: String) in try site.home.write(text, to: "j/" + name) }
      let shown = "---\ntitle: Shown \"twice\"\ndate: 2024-03-02\n---\n![x](2026/b%20ä.png)\n"
      try write("shown.md", shown + "\nText. <img src=\"2026/b ä.png\"> ![y](c.png)\n")
      try write("linked.md", "---\ndate: 2024-03-01\n---\n[x](2026/b%20ä.png)\n")
      let document = try await site.send("GET", "/pictures").text
      #expect(try await HTMLCheck.read(document).errors == [])
      let links = document.matches(of: #/<li><a href="([^"]+)"><img [^>]*alt="([^"]*)"/#)
        .map { "\($0.1): \($0.2)" }
      #expect(links == ["/e/shown.md: Shown &quot;twice&quot;, March 2, 2024", "/e/2026/a.md: A"])
      #expect(document.contains("<h2>March 2024</h2>"))
      #expect(!document.contains("/pictures?after="))
      #expect(try await site.send("GET", "/pictures?after=x").status == 400)
    }
  }

  @Test func `the screen of pictures ends after some and leads to the older ones`() async throws {
    try await serve { site in
      for number in 0..<130 {
        let text = "---\ndate: 2024-01-01T10:\(10 + number / 40):\(10 + number % 40)\n---\n"
        try site.home.write(text + "![](2026/b%20ä.png)\n", to: "j/e\(number).md")
        try site.home.write(text + "No picture! ![](none.png)\n", to: "j/n\(number).md")
      }
      var (address, seen): (String?, [String]) = ("/pictures", [])
      var counts: [Int] = []
      while let next = address {
        let document = try await site.send("GET", next).text
        let links = document.matches(of: #/<li><a href="([^"]+)"/#).map { String($0.1) }
        counts.append(links.count)
        seen += links
        address = document.firstMatch(of: #/\/pictures\?after=[^"]+/#).map { String($0.0) }
      }
      #expect(counts == [120, 11])
      #expect(seen == (0..<130).reversed().map { "/e/e\($0).md" } + ["/e/2026/a.md"])
    }
  }

  @Test func `the screen of pictures ends with the last entry`() async throws {
    try await serve { site in
      // As many as one query of the index returns.
      for number in 0..<59 {
        try site.home.write(
          "---\ndate: 2024-01-01T10:10:\(number < 10 ? "0" : "")\(number)\n---\n![](2026/b%20ä.png)\n",
          to: "j/e\(number).md")
      }
      let document = try await site.send("GET", "/pictures").text
      #expect(document.matches(of: #/<li><a href=/#).count == 60)
      #expect(!document.contains("/pictures?after="))
      let last = try #require(try await site.journal.catalog.list(ListFilter()).last).cursor
      let after = try await site.send("GET", "/pictures?after=\(last.text)").text
      #expect(after.contains("<p id=\"none\">"))
    }
  }

  @Test func `a read-only page stores no thumbnail`() async throws {
    try await serve(isReadOnly: true) { site in
      let picture = try #require(try await picture(site))
      let parts = picture.thumbnail.replacing("ä", with: "%C3%A4").components(separatedBy: "?v=")
      #expect(try await put(site, parts[0], parts[1], Self.jpeg) == 403)
      #expect(try await self.picture(site)?.isMade == false)
    }
  }

  @Test func `the oldest thumbnails are removed above the limit`() async throws {
    try await serve { site in
      let picture = try #require(try await picture(site))
      let parts = picture.thumbnail.replacing("ä", with: "%C3%A4").components(separatedBy: "?v=")
      let folder = site.journal.stateFolder + "/cache/thumbnails"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for name in 0..<5 {
        let path = folder + "/\(name).jpg"
        try Data(count: 8 << 20).write(to: URL(filePath: path))
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: Double(1_000 - name))], ofItemAtPath: path
        )
      }
      #expect(try await put(site, parts[0], parts[1], Self.jpeg) == 204)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(left == ["0.jpg", "1.jpg", "2.jpg", parts[1] + ".jpg"])
    }
  }
}
