import Foundation
import TestSupport
import Testing

/// How often a command waits for the disk, with all programs that it starts, by strace.
@Suite(.serialized) struct FlushTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.run("git", ["config", "--global", "core.fsyncMethod", "batch"])
    try await home.diary("init", "j")
    try await home.diary("new", "Walk", "-m", "By the river.", in: "j")
  }

  /// The calls of a command that wait for the disk, a line each. Where they cannot be counted the test ends:
  /// strace is not installed or may not trace, or the disk is of a kind whose files are synced one by one.
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
      ["-f", "-y", "-e", calls, "-o", home.home + "/calls", Sandbox.programs + "/diary"] + words,
      in: "j")
    #expect(done.status == 0, "\(done.errors)")
    return try home.read("calls").split(separator: "\n").filter { $0.contains("sync") }
  }

  /// So that the folder stays when an entry goes, and need not be made again.
  private func addAnother() async throws {
    try await home.diary("new", "Hill", "-m", "Up and down.", in: "j")
  }

  @Test func `new waits for the disk ten times at most`() async throws {
    let calls = try await flushes("new", "Lake", "-m", "Swum across.")
    #expect((5...10).contains(calls.count), "\(calls)")
  }

  @Test func `so does add`() async throws {
    let calls = try await flushes("add", "--to", "Walk", "And a heron.")
    #expect((5...10).contains(calls.count), "\(calls)")
  }

  @Test func `so do rename and delete`() async throws {
    try await addAnother()
    for words in [["rename", "Walk", "Stroll"], ["delete", "--yes", "1"]] {
      let calls = try await flushes(words)
      #expect((5...10).contains(calls.count), "\(words): \(calls)")
    }
  }

  @Test(arguments: [
    (["new", "Lake", "-m", "Swum across."], 10), (["add", "--to", "Walk", "And a heron."], 10),
    (["delete", "--yes", "1"], 10),
    // A file comes back before another one goes.
    (["rename", "Walk", "Stroll"], 11),
  ])
  func `so does undo`(_ words: [String], _ most: Int) async throws {
    try await addAnother()
    try await home.run(Sandbox.programs + "/diary", words, in: "j")
    let calls = try await flushes("undo", "--yes")
    #expect((5...most).contains(calls.count), "\(calls)")
  }

  @Test func `so does a save of an edit`() async throws {
    // What is done once a day is done.
    try await home.diary("save", in: "j")
    let path = try #require(home.files(in: "j").first { $0.hasSuffix("walk.md") })
    try home.write("Another text.\n", to: "j/" + path)
    let calls = try await flushes("save")
    #expect((5...10).contains(calls.count), "\(calls)")
  }

  @Test func `a new entry that no save takes along has its name on the disk all the same`()
    async throws
  {
    try home.write("*.md filter=lfs\n", to: "j/.gitattributes")
    let calls = try await flushes("new", "Lake", "-m", "Swum across.")
    let path = try #require(home.files(in: "j").first { $0.hasSuffix("lake.md") })
    let folder = ("/j/" + path).split(separator: "/").dropLast().joined(separator: "/")
    #expect(calls.contains { $0.contains("fsync(") && $0.contains("/\(folder)>") }, "\(calls)")
  }

  @Test func `git's setting has each file synced by itself`() async throws {
    try await home.run("git", ["config", "--global", "core.fsyncMethod", "fsync"])
    let calls = try await flushes("new", "Lake", "-m", "Swum across.")
    #expect(calls.allSatisfy { !$0.contains("syncfs") } && calls.count > 20, "\(calls)")
  }
}
