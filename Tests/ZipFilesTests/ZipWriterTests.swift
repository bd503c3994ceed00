import Foundation
import Testing
import ZipFiles

@Suite struct ZipWriterTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "zip-\(UUID().uuidString)")
  private let time = ZipTime(year: 2026, month: 11, day: 21, seconds: 75_841)

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  @Test func `written items are read back in order`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let large = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let zip = try ZipWriter(path: path("a.zip"))
    try zip.add("b/눈.txt", Array("한강".utf8), time: time)
    try zip.add("a.bin", large, time: time, isPacked: false)
    try zip.add("empty", [], time: time)
    try zip.finish { false }
    let reader = try ZipReader(path: path("a.zip"))
    #expect(reader.items.map(\.name) == ["b/눈.txt", "a.bin", "empty"])
    #expect(try reader.contents(of: reader.items[0], limit: 100) == Array("한강".utf8))
    #expect(try reader.contents(of: reader.items[1], limit: 1 << 20) == large)
    #expect(try reader.contents(of: reader.items[2], limit: 100).isEmpty)
  }

  @Test func `the same items give the same bytes in every zone`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["a.zip", "b.zip"] {
      let zip = try ZipWriter(path: path(name))
      try zip.add("a.txt", Array("words".utf8), time: time)
      try zip.finish { false }
    }
    #expect(FileManager.default.contentsEqual(atPath: path("a.zip"), andPath: path("b.zip")))
    // The local wall clock without conversion: 21:04:00 on 2026-11-21.
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path("a.zip"))))
    let clock = 21 << 11 | 4 << 5
    let date = 46 << 9 | 11 << 5 | 21
    #expect(Int(bytes[10]) | Int(bytes[11]) << 8 == clock)
    #expect(Int(bytes[12]) | Int(bytes[13]) << 8 == date)
  }

  @Test func `an item that fails or changes and a cancellation leave no archive`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    struct Failed: Error {}
    let failing: [(Int, () throws -> ZipWriter.ChunkReader)] = [
      (3, { throw Failed() }), (3, { { _, _ in throw Failed() } }), (3, { { _, _ in [] } }),
      (1, { { offset, _ in offset < 5 ? [1, 2] : [] } }),
    ]
    for (size, opening) in failing {
      let zip = try ZipWriter(path: path("a.zip"))
      try zip.add("good", [1], time: time)
      try zip.add(Array("bad".utf8), size: size, time: time, isPacked: false, opening: opening)
      #expect(throws: (any Error).self) { try zip.finish { false } }
    }
    let zip = try ZipWriter(path: path("a.zip"))
    try zip.add("good", [UInt8](repeating: 1, count: 1 << 20), time: time)
    #expect(throws: CancellationError.self) { try zip.finish { true } }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `an existing file is not overwritten`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data().write(to: folder.appendingPathComponent("a.zip"))
    #expect(throws: ZipError.self) { _ = try ZipWriter(path: path("a.zip")) }
  }
}
