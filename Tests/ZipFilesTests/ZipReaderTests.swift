import Foundation
import TestSupport
import Testing
import ZipFiles

/// Reading of archives, and refusals before any content is read. Python's zipfile makes the
/// archives, because it can write invalid ones that an ordinary program would not.
@Suite struct ZipReaderTests {
  let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  /// Opens the archive that these lines of Python write as `z`.
  private func archive(_ lines: String, limits: ZipLimits = ZipLimits()) async throws -> ZipReader {
    try await make(lines)
    return try ZipReader(path: sandbox.homePath + "/a.zip", limits: limits)
  }

  private func make(_ lines: String) async throws {
    let program = """
      import zipfile, struct
      from zipfile import ZipInfo, ZIP_DEFLATED
      with zipfile.ZipFile("a.zip", "w", ZIP_DEFLATED) as z:
      \(lines.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
      """
    let made = try await sandbox.run("python3", ["-c", program])
    #expect(made.status == 0, "\(made.errors)")
  }

  private func refusal(
    _ lines: String, limits: ZipLimits = ZipLimits()
  ) async throws -> ZipError? {
    await #expect(throws: ZipError.self) { _ = try await archive(lines, limits: limits) }
  }

  @Test func `items are found by name and read whole or in pieces`() async throws {
    let zip = try await archive(
      """
      z.writestr("Journal.json", "{}")
      z.writestr("photos/", "")
      z.writestr("photos/강.jpeg", b"0123456789" * 100000)
      """)
    #expect(zip.items.map(\.name) == ["Journal.json", "photos/강.jpeg"])
    #expect(zip.item(named: "nothing") == nil)
    #expect(zip.item(named: "photos/") == nil)
    let photo = try #require(zip.item(named: "photos/강.jpeg"))
    #expect(photo.size == 1_000_000)
    var pieces = 0
    try zip.read(photo) { piece in
      pieces += 1
      #expect(piece.count <= 1 << 16)
    }
    #expect(pieces > 10)
    #expect(try zip.contents(of: zip.items[0], limit: 2) == Array("{}".utf8))
    #expect(throws: ZipError.self) { try zip.contents(of: photo, limit: 999_999) }
  }

  @Test(arguments: [
    "../evil.txt", "/etc/passwd", "a/../../b", "C:/x", "a\\\\b", "a//b", "./a", "a/..", "..",
  ])
  func `a name that leads outside is refused`(_ name: String) async throws {
    let error = try await refusal("z.writestr(\"\(name)\", \"x\")")
    #expect(error?.reason == .unsafeName)
    #expect(error?.item == name.replacing("\\\\", with: "\\"))
  }

  @Test func `a duplicate name is refused`() async throws {
    #expect(
      try await refusal("z.writestr('a', 'x')\nz.writestr('a', 'y')")?.reason == .unsafeName)
  }

  @Test func `a link is refused`() async throws {
    let error = try await refusal(
      """
      i = ZipInfo("link")
      i.create_system = 3
      i.external_attr = 0o120777 << 16
      z.writestr(i, "/etc/passwd")
      """)
    #expect(error?.reason == .notRegular)
  }

  @Test func `an encrypted item is refused`() async throws {
    try sandbox.write("secret", to: "s.txt")
    let made = try await sandbox.run("zip", ["-q", "-P", "secret", "a.zip", "s.txt"])
    #expect(made.status == 0)
    let error = #expect(throws: ZipError.self) {
      try ZipReader(path: sandbox.homePath + "/a.zip")
    }
    #expect(error == ZipError(reason: .encrypted, item: "s.txt"))
  }

  @Test func `a zip bomb is refused before it is unpacked`() async throws {
    let error = try await refusal("z.writestr('bomb', bytes(100 << 20))")
    guard case .tooLarge = error?.reason else { return #expect(Bool(false), "\(error as Any)") }
    var small = ZipLimits()
    small.maxTotalSize = 100
    let total = try await refusal(
      "z.writestr('a', 'x' * 60)\nz.writestr('b', 'y' * 60)", limits: small)
    #expect(total?.item == nil)
    small = ZipLimits()
    small.maxItems = 1
    _ = try await refusal("z.writestr('a', 'x')\nz.writestr('b', 'y')", limits: small)
  }

  @Test func `an item longer than its declared size is refused`() async throws {
    try await make("z.writestr('a', 'x' * 5000)")
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: sandbox.homePath + "/a.zip")))
    // The central directory declares 10 bytes; the packed data has 5,000.
    let central = try #require(bytes.firstRange(of: [0x50, 0x4B, 0x01, 0x02])).lowerBound
    bytes.replaceSubrange(central + 24..<central + 28, with: [10, 0, 0, 0])
    try Data(bytes).write(to: URL(fileURLWithPath: sandbox.homePath + "/a.zip"))
    let zip = try ZipReader(path: sandbox.homePath + "/a.zip")
    #expect(throws: ZipError.self) { try zip.contents(of: zip.items[0], limit: 10) }
  }

  @Test func `a damaged archive and a damaged item are errors`() async throws {
    try await make("z.writestr('a', bytes(range(256)) * 50)")
    let url = URL(fileURLWithPath: sandbox.homePath + "/a.zip")
    let whole = Array(try Data(contentsOf: url))
    try Data(whole.dropLast(30)).write(to: url)
    #expect(throws: ZipError(reason: .noArchive, item: nil)) { try ZipReader(path: url.path) }
    var flipped = whole
    for index in 60..<90 { flipped[index] ^= 0xFF }
    try Data(flipped).write(to: url)
    let zip = try ZipReader(path: url.path)
    #expect(throws: ZipError.self) { try zip.contents(of: zip.items[0], limit: 1 << 20) }
    try Data("no archive".utf8).write(to: url)
    #expect(throws: ZipError(reason: .noArchive, item: nil)) { try ZipReader(path: url.path) }
    #expect(throws: ZipError.self) { try ZipReader(path: url.path + "x") }
  }

  @Test func `a flipped byte does not crash the reader`() async throws {
    try await make("z.writestr('a', 'one two three ' * 20)\nz.writestr('b/c', bytes(range(256)))")
    let url = URL(fileURLWithPath: sandbox.homePath + "/a.zip")
    let whole = Array(try Data(contentsOf: url))
    for index in whole.indices {
      for bit in [0x01, 0x40, 0xFF] as [UInt8] {
        var odd = whole
        odd[index] ^= bit
        try Data(odd).write(to: url)
        guard let zip = try? ZipReader(path: url.path) else { continue }
        for item in zip.items { _ = try? zip.contents(of: item, limit: 1 << 16) }
      }
    }
  }
}
