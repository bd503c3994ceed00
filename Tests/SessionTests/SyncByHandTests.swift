import Foundation
import TestSupport
import Testing

/// The writer's own `git pull`, `merge` and `rebase` in a journal that syncs.
@Suite(.serialized) struct SyncByHandTests {
  let home: Sandbox
  let devices: TwoDevices
  let walk = "2026/11/2026-11-21-walk.md"

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
  }

  /// The same entry on both, then rewritten on each; what `a` wrote is on the remote.
  private func apart() async throws {
    try await devices.joined()
    try home.write("---\ntitle: Walk\ntags: [river]\n---\n\nThe river was high.\n", to: "a/" + walk)
    try await devices.settle("a", "b")
    try home.write(
      "---\ntitle: Walk\ntags: [river, sun]\n---\n\nThe river was wild.\n", to: "a/" + walk)
    try await devices.sync("a")
    try home.write(
      "---\ntitle: A walk\ntags: [river, wind]\n---\n\nThe river was calm.\n", to: "b/" + walk)
    try await home.diary("save", in: "b")
  }

  @Test func `git pull asks the driver and gives the text that a sync gives`() async throws {
    try await apart()
    try await home.run("cp", ["-a", "b", "c"])
    try await home.git("pull", "-q", "--no-rebase", "--no-edit", in: "c")
    try await devices.sync("b")
    #expect(try home.read("c/" + walk) == home.read("b/" + walk))
    let text = try home.read("c/" + walk)
    #expect(text.contains("wild") && text.contains("calm") && !text.contains("<<<<"), "\(text)")
    #expect(text.contains("sun") && text.contains("wind"), "\(text)")
  }

  @Test func `where the program is gone git's own merge takes its place, markers and all`()
    async throws
  {
    try await apart()
    home.set("PATH", "/usr/bin:/bin")
    let pulled = try await home.run(
      "git", ["pull", "-q", "--no-rebase", "--no-edit"], in: "b")
    #expect(pulled.status != 0)
    #expect(try home.read("b/" + walk).contains("<<<<<<<"))
  }

  @Test func `a merge that git left at conflicts is finished`() async throws {
    try await devices.joined()
    for name in ["edited", "binary", "both"] {
      try home.write("Words of \(name).\n", to: "a/\(name).md")
    }
    try home.write("\u{0}picture\n", to: "a/photo.png")
    try await devices.settle("a", "b")
    try await home.git("rm", "-q", "edited.md", in: "a")
    try home.write("\u{0}picture of a\n", to: "a/photo.png")
    try home.write("Words of both, on a.\n", to: "a/both.md")
    try await home.diary("save", "--deletions", in: "a")
    try await devices.sync("a")
    try home.write("Words of edited, and more.\n", to: "b/edited.md")
    try home.write("\u{0}picture of b\n", to: "b/photo.png")
    try home.write("Words of both, on b.\n", to: "b/both.md")
    try await home.diary("save", in: "b")
    let pulled = try await home.run("git", ["pull", "-q", "--no-rebase", "--no-edit"], in: "b")
    #expect(pulled.status != 0)
    let refused = try await devices.sync("b", status: 1)
    #expect(refused.errors.contains("diary sync --continue"), "\(refused.errors)")
    let finished = try await devices.sync("b", "--continue")
    #expect(finished.errors.contains("The merge is finished."), "\(finished.errors)")
    try await devices.settle("a", "b")
    #expect(try home.read("a/edited.md") == "Words of edited, and more.\n")
    let both = try home.read("a/both.md")
    #expect(both.contains("a.") && both.contains("b."), "\(both)")
    let photos = home.files(in: "a").filter { $0.hasSuffix(".png") }
    #expect(
      Set(try photos.map { try home.read("a/" + $0) })
        == ["\u{0}picture of a\n", "\u{0}picture of b\n"], "\(photos)")
    try devices.expectNoMarkers()
  }

  @Test func `a rebase that stopped is finished`() async throws {
    try await apart()
    home.set("PATH", "/usr/bin:/bin")
    let pulled = try await home.run("git", ["pull", "-q", "--rebase"], in: "b")
    #expect(pulled.status != 0)
    home.set("PATH", Sandbox.programs + ":/usr/bin:/bin")
    let finished = try await devices.sync("b", "--continue")
    #expect(finished.errors.contains("The rebase is finished."), "\(finished.errors)")
    try await devices.settle("a", "b")
    try devices.expectNoMarkers()
    let text = try home.read("a/" + walk)
    #expect(text.contains("wild") && text.contains("calm"), "\(text)")
  }

  @Test func `what the writer resolved by hand is taken as it is`() async throws {
    try await apart()
    home.set("PATH", "/usr/bin:/bin")
    _ = try await home.run("git", ["pull", "-q", "--no-rebase", "--no-edit"], in: "b")
    home.set("PATH", Sandbox.programs + ":/usr/bin:/bin")
    try home.write("---\ntitle: Mine\n---\n\nI say so.\n", to: "b/" + walk)
    try await devices.sync("b", "--continue")
    #expect(try home.read("b/" + walk) == "---\ntitle: Mine\n---\n\nI say so.\n")
    try await devices.settle("a", "b")
  }

  @Test func `leaving takes driver and attributes away`() async throws {
    try await home.diary("init", "a")
    #expect(try home.read("a/.git/config").contains("[merge \"diary\"]"))
    #expect(try home.read("a/.git/info/attributes").contains("merge=diary"))
    try await home.diary("leave", "--yes", in: "a")
    #expect(try !home.read("a/.git/config").contains("diary"))
    #expect(try !home.read("a/.git/info/attributes").contains("diary"))
  }

  @Test func `signed commits: a merge carries the writer's name, and devices still agree`()
    async throws
  {
    try await apart()
    for device in ["a", "b"] {
      try await home.git("config", "commit.gpgSign", "true", in: device)
      try await home.git("config", "gpg.program", "/bin/false", in: device)
    }
    try await devices.settle("a", "b")
    let merge = try await home.git("log", "-1", "--merges", "--format=%an", in: "a")
    #expect(merge == "Test Writer\n")
  }
}
