import DiaryKit
import Foundation
import Glibc
import TestSupport
import Testing

@testable import WebPage

/// Files that are sent: what comes goes into a file without a name, and from there into the journal.
@Suite struct UploadTests {
  /// So many bytes that begin like a picture.
  private static func picture(_ count: Int) -> [UInt8] {
    FilesTests.png + [UInt8](repeating: 7, count: count - FilesTests.png.count)
  }

  /// The files without a name that this process holds open for the site's uploads.
  private static func incoming(_ site: Site) -> Int {
    let folder = "/proc/self/fd/"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + name)
      return target?.hasPrefix(site.journal.stateFolder + "/.diary-") ?? false
    }
  }

  private static func head(_ site: Site, _ body: String) -> String {
    let fields = site.ownFields + ["Content-Type: image/png", body]
    return "POST /api/entries/a.md/files?name=p.png HTTP/1.1\r\n"
      + fields.joined(separator: "\r\n") + "\r\n\r\n"
  }

  @Test func `a large picture arrives byte for byte`() async throws {
    try await Site.serving { site in
      let bytes = Self.picture(20 << 20)
      let answer = try await site.ask(
        "POST", "/api/entries/a.md/files?name=p.png", body: bytes, type: "image/png")
      #expect(answer.status == 201, "\(answer.text)")
      let url = URL(fileURLWithPath: site.home.homePath + "/j/p.png")
      #expect(try Data(contentsOf: url) == Data(bytes))
      #expect(Self.incoming(site) == 0)
    }
  }

  /// Whether its length was told, and how the sender goes.
  @Test(arguments: [true, false], [true, false])
  func `a picture that is cut off is not taken for a whole one, and nothing of it is left`(
    _ hasLength: Bool, _ endsSending: Bool
  ) async throws {
    try await Site.serving { site in
      let state = site.journal.stateFolder
      let before = try FileManager.default.contentsOfDirectory(atPath: state).sorted()
      let begin = Self.picture(1 << 20)
      do {
        let connection = try RawConnection(site.port)
        if hasLength {
          await connection.send(Self.head(site, "Content-Length: \(20 << 20)"))
          await connection.send(begin)
        } else {
          await connection.send(Self.head(site, "Transfer-Encoding: chunked"))
          await connection.send(Array("100000\r\n".utf8) + begin + Array("\r\n".utf8))
        }
        // It lies in a file while the rest is still to come.
        #expect(await Sandbox.holds { Self.incoming(site) == 1 })
        if endsSending {
          connection.endSending()
          _ = await connection.receiveAll()
        }
      }
      #expect(await Sandbox.holds { Self.incoming(site) == 0 })
      #expect(site.home.files(in: "j") == ["a.md"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: state).sorted() == before)
      #expect(try await site.ask("GET", "/api/entries/a.md").status == 200)
    }
  }

  @Test func `one that is too large is refused while it comes`() async throws {
    var options = PageOptions()
    options.limits.file = 1 << 20
    try await Site.serving(options: options) { site in
      let connection = try RawConnection(site.port)
      await connection.send(Self.head(site, "Transfer-Encoding: chunked"))
      for _ in 0..<2 {
        await connection.send(Array("100000\r\n".utf8) + Self.picture(1 << 20) + Array("\r\n".utf8))
      }
      #expect(await connection.answer()?.status == 413)
      #expect(await Sandbox.holds { Self.incoming(site) == 0 })
      #expect(site.home.files(in: "j") == ["a.md"])
    }
  }

  @Test func `a full disk is told once all is read, and room for it is all that is needed`()
    async throws
  {
    try await Site.serving { site in
      let words = ["-t", "tmpfs", "-o", "size=2m", "tmpfs"]
      let isMounted = try await site.home.withMount("mount", words, at: "j/.git/diary") {
        func send(_ count: Int) async throws -> RawAnswer {
          try await site.ask(
            "POST", "/api/entries/a.md/files?name=p.png", body: Self.picture(count),
            type: "image/png")
        }
        let full = try await send(8 << 20)
        #expect(full.status == 503, "\(full.text)")
        #expect(full.text.contains("No space left on device"))
        #expect(site.home.files(in: "j") == ["a.md"])
        #expect(try await send(1 << 20).status == 201)
      }
      if !isMounted { try Test.cancel("no disk may be mounted here") }
    }
  }

  @Test func `where the journal's folder is gone, that is said`() async throws {
    try await Site.serving { site in
      let root = site.home.homePath + "/j"
      try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
      let answer = try await site.ask(
        "POST", "/api/entries/a.md/files?name=p.png", body: Self.picture(1 << 20),
        type: "image/png")
      #expect(answer.status == 503, "\(answer.text)")
      #expect(!site.home.exists("j"))
      try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
    }
  }
}
