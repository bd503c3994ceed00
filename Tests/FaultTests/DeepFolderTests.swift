import Foundation
import TestSupport
import Testing

/// Folders in folders in folders: beyond a hundred libgit2 follows no further, beyond 4,096 bytes no
/// path can name a file.
@Suite struct DeepFolderTests {
  @Test(arguments: [("d", 150), ("day", 2_000)])
  func `folders nested without end keep no other entry from being saved`(
    _ name: String, _ depth: Int
  ) async throws {
    let home = try Sandbox()
    for (name, value) in [("SETTLE", "50ms"), ("SITTING", "300ms")] {
      home.set("DIARY_AUTOSAVE__" + name, value)
    }
    try await home.diary("init", "j")
    let deep = Array(repeating: name, count: depth).joined(separator: "/")
    try home.write("mkdir -p \(deep) && cd \(name) && echo Words. > deep.md\n", to: "make")
    try home.write("At the top.\n", to: "j/a.md")
    let made = try await home.run("sh", ["../make"], in: "j")
    #expect(made.status == 0, "\(made)")
    if depth < 1_000 { try home.write("At the bottom.\n", to: "j/\(deep)/e.md") }
    let save = try await home.diary("save", in: "j")
    #expect(save.status == 0, "\(save)")
    #expect(try await home.git("show", "HEAD:a.md", in: "j").contains("At the top."))
    if depth < 1_000 {
      #expect(try await home.git("show", "HEAD:\(deep)/e.md", in: "j").contains("At the bottom."))
    }
    let status = try await home.diary("status", in: "j")
    #expect(status.status == 0, "\(status)")
    try await Background.running(home, Sandbox.programs + "/diary", ["watch", "-v"], in: "j") {
      (watcher: Background) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      try home.write("At the top, too.\n", to: "j/b.md")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
      #expect(!watcher.output.contains("diary:"), "\(watcher.output)")
    }
    #expect(try await home.git("show", "HEAD:b.md", in: "j").contains("At the top, too."))
    let list = try await home.diary("list", in: "j")
    #expect(list.status == 0 && list.output.contains("At the top, too."), "\(list)")
    // No path can name the bottom; only what goes down step by step can remove it.
    try await home.run("rm", ["-rf", "j"])
  }
}
