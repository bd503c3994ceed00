import FolderWatch
import Foundation
import Glibc
import Testing

/// What a watcher that waits holds of the machine's memory.
struct RestTests {
  @Test func `a process that rests holds less of its program, and goes on`() async {
    await #expect(processExitsWith: .success) {
      /// Kilobytes of files' pages that this process holds.
      func held() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssFile:") }
        return Int(line?.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0
      }
      let before = try held()
      releaseMemory()
      let after = try held()
      precondition(after < before / 2, "\(before) kB before, \(after) kB after")
    }
  }

  /// libgit2 keeps the packs mapped that it has read from.
  @Test func `what was read of a pack is given back, and reads the same again`() async {
    await #expect(processExitsWith: .success) {
      let path = NSTemporaryDirectory() + "diary-\(UUID().uuidString).pack"
      let size = 8 << 20
      try Data(repeating: 7, count: size).write(to: URL(fileURLWithPath: path))
      defer { unlink(path) }
      let file = open(path, O_RDONLY)
      let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0)
      let mapped = UnsafeRawBufferPointer(start: start, count: size)
      func isWhole() -> Bool { stride(from: 0, to: size, by: 4096).allSatisfy { mapped[$0] == 7 } }
      func held() throws -> Int {
        // Read to its end: a file of /proc has no size.
        let maps = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/smaps"))
        let text = String(decoding: try maps.readToEnd() ?? Data(), as: UTF8.self)
        let mapping = text.firstRange(of: path).map { text[$0.upperBound...] } ?? ""
        let line = mapping.split(separator: "\n").first { $0.hasPrefix("Rss:") }
        return Int(line?.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? -1
      }
      precondition(isWhole())
      let used = try held()
      precondition(used > 8000, "\(used) kB")
      releaseMemory()
      let left = try held()
      precondition(left == 0, "\(left) kB stay")
      precondition(isWhole())
    }
  }
}
