import Foundation
import Glibc
import TestSupport
import Testing

/// `list` always shows the current files, with the built program.
@Suite(.serialized) struct FreshListTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "300ms", sitting: "1s")
    try await home.diary("init", "j")
    for number in 0..<30 { try home.write("# \(number)\n", to: "j/2026/\(number).md") }
    try await home.diary("save", in: "j")
    // The expected list: the same files in a second journal without a watcher.
    try await home.diary("init", "k")
  }

  @Test func `after any change the list is the same as without a watcher`() async throws {
    try await home.withWatcher(mustEnd: false) { _ in
      for step in 0..<25 {
        try await makeChange(step)
        try await expectFreshList("step \(step)")
      }
    }
  }

  @Test func `a stopped or killed watcher does not change the list`() async throws {
    try await home.withWatcher(mustEnd: false) { watcher in
      // If stopped during its first scan, it would lock the index and block each list.
      try await expectFreshList("at rest")
      watcher.signal(SIGSTOP)
      try home.write("# While it stood\n", to: "j/2026/3.md")
      for _ in 0..<3 { #expect(try await entries("j").contains("While it stood")) }
      watcher.signal(SIGCONT)
      #expect(await watcher.prints("saved 2026/3.md"))
      try await expectFreshList("after a stop")
      watcher.signal(SIGKILL)
      try home.write("# When it was gone\n", to: "j/2026/4.md")
      #expect(try await entries("j").contains("When it was gone"))
    }
    try await home.withWatcher(mustEnd: false) { _ in
      try await expectFreshList("after a kill")
      let second = try await home.diary("watch", in: "j")
      #expect(second.errors.contains("already watched"), "\(second.errors)")
    }
  }

  @Test(arguments: [false, true])
  func `a change through another name or a memory mapping is listed`(
    isWatched: Bool
  ) async throws {
    let home = home
    let inside = home.homePath + "/j/2026/5.md"
    @Sendable func check() async throws {
      #expect(link(inside, home.homePath + "/outside.md") == 0)
      for attempt in 0..<3 {
        let other = try FileHandle(
          forWritingTo: URL(fileURLWithPath: home.homePath + "/outside.md"))
        try other.write(contentsOf: Data("# Outside \(attempt)\n".utf8))
        try other.close()
        #expect(try await entries("j").contains("Outside \(attempt)"))
        let file = open(inside, O_RDWR | O_CLOEXEC)
        let mapped = try #require(mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))
        memcpy(mapped, "# Mapped", 8)
        munmap(mapped, 8)
        close(file)
        #expect(try await entries("j").contains("Mapped"))
      }
    }
    guard isWatched else { return try await check() }
    try await home.withWatcher(mustEnd: false) { _ in try await check() }
  }

  private func makeChange(_ step: Int) async throws {
    let folder = home.homePath + "/j/2026"
    switch step % 8 {
    case 0: try home.write("# Edited at \(step)\n", to: "j/2026/\(step).md")
    case 1: try home.write("# Made at \(step)\n", to: "j/2027/\(step).md")
    case 2: unlink(folder + "/\(step).md")
    case 3: rename(folder + "/\(step).md", folder + "/moved-\(step).md")
    case 4:
      try home.write("# Came with a folder\n", to: "new-\(step)/in.md")
      rename(home.homePath + "/new-\(step)", folder + "/new-\(step)")
    case 5:
      // The file stays open until the test ends.
      let file = open(folder + "/\(step).md", O_WRONLY | O_TRUNC | O_CLOEXEC)
      #expect(write(file, "# Not closed\n", 13) == 13)
    case 6: try await home.run("git", ["checkout", "-q", "-f", "HEAD", "--", "."], in: "j")
    default: try await home.diary("add", "Added at \(step)", in: "j")
    }
  }

  private func entries(_ journal: String) async throws -> String {
    let result = try await home.diary("list", "--json", in: journal)
    #expect(result.status == 0, "\(result.errors)")
    return result.output
  }

  /// Compares the list with that of the same files without a watcher. Repeats the comparison if the
  /// watcher has meanwhile written into new entries.
  private func expectFreshList(_ step: String) async throws {
    for _ in 0..<50 {
      let before = try await fileStates()
      let (list, truth) = (try await entries("j"), try await expectedEntries())
      guard try await fileStates() == before else { continue }
      return #expect(list == truth, "\(step)")
    }
    Issue.record("\(step): the files never rest")
  }

  private func fileStates() async throws -> String {
    try await home.run("find", ["j", "-name", "*.md", "-printf", "%p %T@ %s %i\\n"]).output
  }

  private func expectedEntries() async throws -> String {
    try await home.run(
      "sh",
      ["-c", "rm -rf k/2026 k/2027 && cp -a j/2026 k/ && { test ! -e j/2027 || cp -a j/2027 k/; }"])
    return try await entries("k")
  }
}
