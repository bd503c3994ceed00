import FolderWatch
import Foundation
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
      giveMemoryBack()
      let after = try held()
      precondition(after < before / 2, "\(before) kB before, \(after) kB after")
    }
  }
}
