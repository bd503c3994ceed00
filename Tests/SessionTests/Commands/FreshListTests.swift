import Foundation
import Glibc
import TestSupport
import Testing

/// `list` shows the files as they are at that moment, with the built program.
@Suite(.serialized) struct FreshListTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.set("DIARY_AUTOSAVE__SETTLE", "300ms")
    home.set("DIARY_AUTOSAVE__SITTING", "1s")
    try await home.diary("init", "j")
    for number in 0..<30 { try home.write("# \(number)\n", to: "j/2026/\(number).md") }
    try await home.diary("save", in: "j")
    // What is listed by itself, without a watcher: the same files in a journal beside it.
    try await home.diary("init", "k")
  }

  @Test func `right after any change the list is what it is without a watcher`() async throws {
    try await watching { (_: Background) async throws -> Void in
      for step in 0..<25 {
        try await change(step)
        try await expectTruth("step \(step)")
      }
    }
  }

  @Test func `a watcher that is stopped or killed changes nothing`() async throws {
    try await watching { (watcher: Background) async throws -> Void in
      // Stopped in the middle of its first look it would hold the index, and each list wait for it.
      try await expectTruth("at rest")
      watcher.signal(SIGSTOP)
      try home.write("# While it stood\n", to: "j/2026/3.md")
      for _ in 0..<3 { #expect(try await listed("j").contains("While it stood")) }
      watcher.signal(SIGCONT)
      #expect(await watcher.prints("saved 2026/3.md"))
      try await expectTruth("after a stop")
      watcher.signal(SIGKILL)
      try home.write("# When it was gone\n", to: "j/2026/4.md")
      #expect(try await listed("j").contains("When it was gone"))
    }
    try await watching { (_: Background) async throws -> Void in
      try await expectTruth("after a kill")
      let second = try await home.diary("watch", in: "j")
      #expect(second.errors.contains("already watched"), "\(second.errors)")
    }
  }

  @Test(arguments: [false, true])
  func `what is written through another name or a mapping is listed at once`(
    isWatched: Bool
  ) async throws {
    let home = home
    let inside = home.home + "/j/2026/5.md"
    @Sendable func check() async throws {
      #expect(link(inside, home.home + "/outside.md") == 0)
      for attempt in 0..<3 {
        let other = try FileHandle(forWritingTo: URL(fileURLWithPath: home.home + "/outside.md"))
        try other.write(contentsOf: Data("# Outside \(attempt)\n".utf8))
        try other.close()
        #expect(try await listed("j").contains("Outside \(attempt)"))
        let file = open(inside, O_RDWR | O_CLOEXEC)
        let mapped = try #require(mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))
        memcpy(mapped, "# Mapped", 8)
        munmap(mapped, 8)
        close(file)
        #expect(try await listed("j").contains("Mapped"))
      }
    }
    guard isWatched else { return try await check() }
    try await watching { (_: Background) async throws -> Void in try await check() }
  }

  private func change(_ step: Int) async throws {
    let folder = home.home + "/j/2026"
    switch step % 8 {
    case 0: try home.write("# Edited at \(step)\n", to: "j/2026/\(step).md")
    case 1: try home.write("# Made at \(step)\n", to: "j/2027/\(step).md")
    case 2: unlink(folder + "/\(step).md")
    case 3: rename(folder + "/\(step).md", folder + "/moved-\(step).md")
    case 4:
      try home.write("# Came with a folder\n", to: "new-\(step)/in.md")
      rename(home.home + "/new-\(step)", folder + "/new-\(step)")
    case 5:
      // Held open until the test ends.
      let file = open(folder + "/\(step).md", O_WRONLY | O_TRUNC | O_CLOEXEC)
      #expect(write(file, "# Not closed\n", 13) == 13)
    case 6: try await home.run("git", ["checkout", "-q", "-f", "HEAD", "--", "."], in: "j")
    default: try await home.diary("add", "Added at \(step)", in: "j")
    }
  }

  private func listed(_ journal: String) async throws -> String {
    let result = try await home.diary("list", "--json", in: journal)
    #expect(result.status == 0, "\(result.errors)")
    return result.output
  }

  /// Compares the list with that of the same files where nobody watches. The watcher writes into new
  /// entries itself; when it has done so meanwhile, once more.
  private func expectTruth(_ place: String) async throws {
    for _ in 0..<50 {
      let before = try await files()
      let (list, truth) = (try await listed("j"), try await truth())
      guard try await files() == before else { continue }
      return #expect(list == truth, "\(place)")
    }
    Issue.record("\(place): the files never rest")
  }

  private func files() async throws -> String {
    try await home.run("find", ["j", "-name", "*.md", "-printf", "%p %T@ %s %i\\n"]).output
  }

  private func truth() async throws -> String {
    try await home.run(
      "sh",
      ["-c", "rm -rf k/2026 k/2027 && cp -a j/2026 k/ && { test ! -e j/2027 || cp -a j/2027 k/; }"])
    return try await listed("k")
  }

  private func watching(_ body: @escaping @Sendable (Background) async throws -> Void) async throws
  {
    try await Background.running(home, Sandbox.programs + "/diary", ["watch", "-v"], in: "j") {
      (watcher: Background) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      try await body(watcher)
    }
  }
}
