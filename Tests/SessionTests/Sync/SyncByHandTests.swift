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
    try await loseProgram(in: "b")
    let pulled = try await home.run(
      "git", ["pull", "-q", "--no-rebase", "--no-edit"], in: "b")
    #expect(pulled.status != 0)
    let text = try home.read("b/" + walk)
    #expect(text.contains("<<<<<<< ours\n") && text.contains(">>>>>>> theirs\n"), "\(text)")
  }

  /// Makes the merge driver name a program that is not there, as after an uninstall.
  private func loseProgram(in folder: String) async throws {
    let driver = try await home.git("config", "merge.diary.driver", in: folder)
    let end = try #require(driver.firstRange(of: " merge-file %O"))
    let lost = "/nowhere/diary" + driver[end.lowerBound...].dropLast()
    try await home.git("config", "merge.diary.driver", lost, in: folder)
  }

  @Test func `a git that knows no PATH merges alike, wherever the program lies`() async throws {
    let folder = "my \"tools\", it's 100% O"
    try FileManager.default.createDirectory(
      atPath: home.home + "/" + folder, withIntermediateDirectories: true)
    let program = home.home + "/" + folder + "/diary"
    try await home.run("cp", ["-l", Sandbox.programs + "/diary", program])
    if !home.exists(folder + "/diary") {
      try await home.run("cp", [Sandbox.programs + "/diary", program])
    }
    try await apart()
    #expect(
      try await home.git("config", "merge.diary.driver", in: "b").hasPrefix(Sandbox.programs))
    try await home.run("cp", ["-a", "b", "c"])
    try await devices.sync("b")

    // The first command of a program at another place registers it.
    let listed = try await home.run(program, ["list"], in: "c")
    #expect(listed.status == 0, "\(listed.errors)")
    #expect(try await home.git("config", "merge.diary.driver", in: "c").contains("100%%"))
    home.set("PATH", "/nowhere")
    let git = try #require(
      ["/usr/bin/git", "/usr/local/bin/git", "/bin/git"].first {
        FileManager.default.isExecutableFile(atPath: $0)
      })
    let pulled = try await home.run(git, ["pull", "-q", "--no-rebase", "--no-edit"], in: "c")
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(try home.read("c/" + walk) == home.read("b/" + walk))
  }

  @Test func `a driver that the user has set or taken away stays so`() async throws {
    try await home.diary("init", "a")
    try await home.git("config", "merge.diary.driver", "mine %A", in: "a")
    try FileManager.default.removeItem(atPath: home.home + "/a/.git/diary/merge-program")
    try await home.diary("list", in: "a")
    #expect(try await home.git("config", "merge.diary.driver", in: "a") == "mine %A\n")
    try await home.git("config", "--unset", "merge.diary.driver", in: "a")
    try FileManager.default.removeItem(atPath: home.home + "/a/.git/diary/merge-program")
    try await home.diary("save", in: "a")
    #expect(try await home.run("git", ["config", "merge.diary.driver"], in: "a").status == 1)
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
    try await loseProgram(in: "b")
    let pulled = try await home.run("git", ["pull", "-q", "--rebase"], in: "b")
    #expect(pulled.status != 0)
    let finished = try await devices.sync("b", "--continue")
    #expect(finished.errors.contains("The rebase is finished."), "\(finished.errors)")
    try await devices.settle("a", "b")
    try devices.expectNoMarkers()
    let text = try home.read("a/" + walk)
    #expect(text.contains("wild") && text.contains("calm"), "\(text)")
  }

  @Test func `what the writer resolved by hand is taken as it is`() async throws {
    try await apart()
    try await loseProgram(in: "b")
    _ = try await home.run("git", ["pull", "-q", "--no-rebase", "--no-edit"], in: "b")
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
