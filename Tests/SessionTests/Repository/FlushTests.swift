import Foundation
import TestSupport
import Testing

/// The number of fsync calls of a command and its child processes, counted with strace.
@Suite(.serialized) struct FlushTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.run("git", ["config", "--global", "core.fsyncMethod", "batch"])
    try await home.diary("init", "j")
    try await home.diary("new", "Walk", "-m", "By the river.", in: "j")
  }

  /// The flush calls of a command, one per line. The test is cancelled if strace is missing or may
  /// not trace, or if the file system is of a type whose files are flushed one by one.
  private func flushes(_ words: String...) async throws -> [Substring] {
    try await flushes(words)
  }

  private func flushes(_ words: [String]) async throws -> [Substring] {
    let kind = try await home.run("stat", ["-f", "-c", "%T", "."])
    guard ["ext2/ext3", "xfs", "btrfs", "tmpfs"].contains(kind.output.dropLast()),
      try await home.run("sh", ["-c", "command -v strace && strace -o trial true"]).status == 0
    else { try Test.cancel("calls cannot be counted here") }
    let calls = "trace=fsync,fdatasync,sync_file_range,syncfs"
    let done = try await home.run(
      "strace",
      ["-f", "-y", "-e", calls, "-o", home.homePath + "/calls", Sandbox.programs + "/diary"]
        + words,
      in: "j")
    #expect(done.status == 0, "\(done.errors)")
    return try home.read("calls").split(separator: "\n").filter { $0.contains("sync") }
  }

  /// Adds an entry, so that a deletion does not leave the folder empty and remove it.
  private func addAnother() async throws {
    try await home.diary("new", "Hill", "-m", "Up and down.", in: "j")
  }

  @Test func `new flushes at most ten times`() async throws {
    let calls = try await flushes("new", "Lake", "-m", "Swum across.")
    #expect((5...10).contains(calls.count), "\(calls)")
  }

  @Test func `add flushes at most ten times`() async throws {
    let calls = try await flushes("add", "--to", "Walk", "And a heron.")
    #expect((5...10).contains(calls.count), "\(calls)")
  }

  @Test func `rename and delete flush at most ten times`() async throws {
    try await addAnother()
    for words in [["rename", "Walk", "Stroll"], ["delete", "--yes", "1"]] {
      let calls = try await flushes(words)
      #expect((5...10).contains(calls.count), "\(words): \(calls)")
    }
  }

  @Test(arguments: [
    (["new", "Lake", "-m", "Swum across."], 10), (["add", "--to", "Walk", "And a heron."], 10),
    (["delete", "--yes", "1"], 10),
    // The old file is written back before the new one is removed.
    (["rename", "Walk", "Stroll"], 11),
  ])
  func `undo flushes at most eleven times`(_ words: [String], _ most: Int) async throws {
    try await addAnother()
    try await home.run(Sandbox.programs + "/diary", words, in: "j")
    let calls = try await flushes("undo", "--yes")
    #expect((5...most).contains(calls.count), "\(calls)")
  }

  @Test func `saving an edit flushes at most ten times`() async throws {
    // Completes the daily tasks.
    try await home.diary("save", in: "j")
    let path = try #require(home.files(in: "j").first { $0.hasSuffix("walk.md") })
    try home.write("Another text.\n", to: "j/" + path)
    let calls = try await flushes("save")
    #expect((5...10).contains(calls.count), "\(calls)")
  }

  @Test func `a new entry that is not saved still has its folder flushed`()
    async throws
  {
    try home.write("*.md filter=lfs\n", to: "j/.gitattributes")
    let calls = try await flushes("new", "Lake", "-m", "Swum across.")
    let path = try #require(home.files(in: "j").first { $0.hasSuffix("lake.md") })
    let folder = ("/j/" + path).split(separator: "/").dropLast().joined(separator: "/")
    #expect(calls.contains { $0.contains("fsync(") && $0.contains("/\(folder)>") }, "\(calls)")
  }

  @Test func `git's fsync setting flushes each file separately`() async throws {
    try await home.run("git", ["config", "--global", "core.fsyncMethod", "fsync"])
    let calls = try await flushes("new", "Lake", "-m", "Swum across.")
    #expect(calls.allSatisfy { !$0.contains("syncfs") } && calls.count > 20, "\(calls)")
  }
}
