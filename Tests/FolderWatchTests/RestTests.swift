import FolderWatch
import Foundation
import Glibc
import Testing

/// The memory use of an idle watcher.
struct RestTests {
  @Test func `an idle process releases memory of its program and continues`() async {
    await #expect(processExitsWith: .success) {
      /// The resident size of file mappings of this process, in kilobytes.
      func residentMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssFile:") }
        return Int(line?.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0
      }
      let before = try residentMemory()
      releaseMemory()
      let after = try residentMemory()
      precondition(after < before / 2, "\(before) kB before, \(after) kB after")
    }
  }

  /// libgit2 keeps the packs mapped that it has read.
  @Test func `memory of a mapped pack is released and can be read again`() async {
    await #expect(processExitsWith: .success) {
      let path = NSTemporaryDirectory() + "diary-\(UUID().uuidString).pack"
      let size = 8 << 20
      try Data(repeating: 7, count: size).write(to: URL(fileURLWithPath: path))
      defer { unlink(path) }
      let file = open(path, O_RDONLY)
      let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0)
      let mapped = UnsafeRawBufferPointer(start: start, count: size)
      func isWhole() -> Bool { stride(from: 0, to: size, by: 4096).allSatisfy { mapped[$0] == 7 } }
      func residentMemory() throws -> Int {
        // Read to the end, because a file of /proc has no size.
        let maps = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/smaps"))
        let text = String(decoding: try maps.readToEnd() ?? Data(), as: UTF8.self)
        let mapping = text.firstRange(of: path).map { text[$0.upperBound...] } ?? ""
        let line = mapping.split(separator: "\n").first { $0.hasPrefix("Rss:") }
        return Int(line?.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? -1
      }
      precondition(isWhole())
      let used = try residentMemory()
      precondition(used > 8000, "\(used) kB")
      releaseMemory()
      let left = try residentMemory()
      precondition(left == 0, "\(left) kB stay")
      precondition(isWhole())
    }
  }
}
