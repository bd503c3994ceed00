import DiaryKit
import Foundation
import Glibc
import TestSupport
import Testing

@testable import WebPage

/// Uploads: the body is written to an anonymous file and moved into the journal from there.
@Suite struct UploadTests {
  /// `count` bytes that begin like a PNG.
  private static func picture(_ count: Int) -> [UInt8] {
    FilesTests.png + [UInt8](repeating: 7, count: count - FilesTests.png.count)
  }

  /// The number of anonymous upload files that this process has open for the site.
  private static func openUploadCount(_ site: ServedJournal) -> Int {
    let folder = "/proc/self/fd/"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + name)
      return target?.hasPrefix(site.journal.stateFolder + "/.diary-") ?? false
    }
  }

  private static func head(_ site: ServedJournal, _ body: String) -> String {
    let fields = site.ownFields + ["Content-Type: image/png", body]
    return "POST /api/entries/a.md/files?name=p.png HTTP/1.1\r\n"
      + fields.joined(separator: "\r\n") + "\r\n\r\n"
  }

  @Test func `a large picture is saved byte for byte`() async throws {
    try await ServedJournal.serve { site in
      let bytes = Self.picture(20 << 20)
      let answer = try await site.send(
        "POST", "/api/entries/a.md/files?name=p.png", body: bytes, type: "image/png")
      #expect(answer.status == 201, "\(answer.text)")
      let url = URL(fileURLWithPath: site.home.homePath + "/j/p.png")
      #expect(try Data(contentsOf: url) == Data(bytes))
      #expect(Self.openUploadCount(site) == 0)
    }
  }

  @Test func `a repeated upload has the answer of the first one, and adds nothing`() async throws {
    try await ServedJournal.serve { site in
      var answers: [String] = []
      for key in ["one", "one", "other"] {
        let answer = try await site.send(
          "POST", "/api/entries/a.md/files?name=p.png", fields: ["Idempotency-Key: \(key)"],
          body: Self.picture(100), type: "image/png")
        #expect(answer.status == 201)
        answers.append(answer.text)
      }
      #expect(answers[0] == answers[1] && answers[0] != answers[2], "\(answers)")
      #expect(site.home.files(in: "j").sorted() == ["a.md", "p-2.png", "p.png"])
    }
  }

  /// Arguments: whether the length was declared, and whether only the sending side is shut down.
  @Test(arguments: [true, false], [true, false])
  func `an upload that breaks off is discarded completely`(
    _ hasLength: Bool, _ endsSending: Bool
  ) async throws {
    try await ServedJournal.serve { site in
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
        // The bytes are in a file while the remainder is still to come.
        #expect(await Sandbox.holds { Self.openUploadCount(site) == 1 })
        if endsSending {
          connection.shutDownSending()
          _ = await connection.receiveAll()
        }
      }
      #expect(await Sandbox.holds { Self.openUploadCount(site) == 0 })
      #expect(site.home.files(in: "j") == ["a.md"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: state).sorted() == before)
      #expect(try await site.send("GET", "/api/entries/a.md").status == 200)
    }
  }

  @Test func `an upload that is too large is refused before it is complete`() async throws {
    var options = PageOptions()
    options.limits.file = 1 << 20
    try await ServedJournal.serve(options: options) { site in
      let connection = try RawConnection(site.port)
      await connection.send(Self.head(site, "Transfer-Encoding: chunked"))
      for _ in 0..<2 {
        await connection.send(Array("100000\r\n".utf8) + Self.picture(1 << 20) + Array("\r\n".utf8))
      }
      #expect(await connection.response()?.status == 413)
      #expect(await Sandbox.holds { Self.openUploadCount(site) == 0 })
      #expect(site.home.files(in: "j") == ["a.md"])
    }
  }

  @Test func `a full disk is reported, and an upload needs space for one copy only`()
    async throws
  {
    try await ServedJournal.serve { site in
      let words = ["-t", "tmpfs", "-o", "size=2m", "tmpfs"]
      let isMounted = try await site.home.withMount("mount", words, at: "j/.git/diary") {
        func send(_ count: Int) async throws -> RawResponse {
          try await site.send(
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

  @Test func `an entry may be renamed while a file for it arrives`() async throws {
    try await ServedJournal.serve { site in
      let sent = Array(#"{"title":"Long way","body":"one"}"#.utf8)
      let made = try await site.send(
        "POST", "/api/entries", fields: ["Idempotency-Key: 1"], body: sent)
      let address = try #require(made.text.firstMatch(of: #/"href":"([^"]+)"/#)).1
        .replacing("\\/", with: "/").dropFirst(3)
      let connection = try RawConnection(site.port)
      let head = Self.head(site, "Content-Length: \(1 << 20)").replacing("a.md", with: address)
      await connection.send(head)
      await connection.send(Self.picture(1 << 19))
      #expect(await Sandbox.holds { Self.openUploadCount(site) == 1 })
      let left = try await site.send("POST", "/api/entries/\(address)/left")
      #expect(left.text.contains("long-way.md"), "\(left.text)")
      await connection.send([UInt8](repeating: 7, count: 1 << 19))
      #expect(await connection.response()?.status == 201)
      #expect(site.home.files(in: "j").contains { $0.hasSuffix("/p.png") })
    }
  }

  @Test func `a missing journal folder is reported`() async throws {
    try await ServedJournal.serve { site in
      let root = site.home.homePath + "/j"
      try FileManager.default.moveItem(atPath: root, toPath: root + "-away")
      let answer = try await site.send(
        "POST", "/api/entries/a.md/files?name=p.png", body: Self.picture(1 << 20),
        type: "image/png")
      #expect(answer.status == 503, "\(answer.text)")
      #expect(!site.home.exists("j"))
      try FileManager.default.moveItem(atPath: root + "-away", toPath: root)
    }
  }
}
