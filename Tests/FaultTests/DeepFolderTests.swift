import Foundation
import TestSupport
import Testing

/// Very deep folders: libgit2 stops at a depth of a hundred, and no path can be longer than 4,096
/// bytes.
@Suite struct DeepFolderTests {
  @Test(arguments: [("d", 150), ("day", 2_000)])
  func `very deep folders do not prevent the save of other entries`(
    _ name: String, _ depth: Int
  ) async throws {
    let home = try Sandbox()
    home.setAutosave(settle: "50ms", sitting: "300ms")
    try await home.diary("init", "j")
    let deep = Array(repeating: name, count: depth).joined(separator: "/")
    try home.write("mkdir -p \(deep) && cd \(name) && echo Words. > deep.md\n", to: "make")
    try home.write("At the top.\n", to: "j/a.md")
    let made = try await home.run("sh", ["../make"], in: "j")
    #expect(made.status == 0, "\(made)")
    if depth < 1_000 { try home.write("At the bottom.\n", to: "j/\(deep)/e.md") }
    let save = try await home.diary("save", in: "j")
    // A folder that cannot be read is named, and all other files are saved.
    #expect(save.status == (depth < 1_000 ? 0 : 1), "\(save)")
    #expect(save.errors.contains("Not saved: \(name)/") == (depth >= 1_000), "\(save)")
    #expect(try await home.git("show", "HEAD:a.md", in: "j").contains("At the top."))
    if depth < 1_000 {
      #expect(try await home.git("show", "HEAD:\(deep)/e.md", in: "j").contains("At the bottom."))
    }
    let export = try await home.diary("export", "../all.json", "--force", in: "j")
    #expect(export.status == (depth < 1_000 ? 0 : 1), "\(export)")
    #expect(export.errors.contains("its entries are left out") == (depth >= 1_000), "\(export)")
    let status = try await home.diary("status", in: "j")
    #expect(status.status == 0, "\(status)")
    try await home.withWatcher(mustEnd: false) { watcher in
      try home.write("At the top, too.\n", to: "j/b.md")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
      #expect(!watcher.output.contains("diary:"), "\(watcher.output)")
    }
    #expect(try await home.git("show", "HEAD:b.md", in: "j").contains("At the top, too."))
    let list = try await home.diary("list", in: "j")
    #expect(list.status == 0 && list.output.contains("At the top, too."), "\(list)")
    // The path is too long to remove the tree directly; `rm` descends step by step.
    try await home.run("rm", ["-rf", "j"])
  }
}
