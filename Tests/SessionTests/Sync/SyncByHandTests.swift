import Foundation
import TestSupport
import Testing

/// The user's own `git pull`, `merge` and `rebase` in a journal that syncs.
@Suite(.serialized) struct SyncByHandTests {
  let home: Sandbox
  let devices: TwoDevices
  let walk = "2026/11/2026-11-21-walk.md"

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
  }

  /// Creates an entry on both devices and changes it on each. The change of `a` is on the remote.
  private func divergeDevices() async throws {
    try await devices.setUp()
    try home.write("---\ntitle: Walk\ntags: [river]\n---\n\nThe river was high.\n", to: "a/" + walk)
    try await devices.syncAll("a", "b")
    try home.write(
      "---\ntitle: Walk\ntags: [river, sun]\n---\n\nThe river was wild.\n", to: "a/" + walk)
    try await devices.sync("a")
    try home.write(
      "---\ntitle: A walk\ntags: [river, wind]\n---\n\nThe river was calm.\n", to: "b/" + walk)
    try await home.diary("save", in: "b")
  }

  @Test func `git pull uses the merge driver and gives a sync's text`() async throws {
    try await divergeDevices()
    try await home.run("cp", ["-a", "b", "c"])
    try await home.git("pull", "-q", "--no-rebase", "--no-edit", in: "c")
    try await devices.sync("b")
    #expect(try home.read("c/" + walk) == home.read("b/" + walk))
    let text = try home.read("c/" + walk)
    #expect(text.contains("wild") && text.contains("calm") && !text.contains("<<<<"), "\(text)")
    #expect(text.contains("sun") && text.contains("wind"), "\(text)")
  }

  @Test func `without the program git merges by itself, with conflict markers`()
    async throws
  {
    try await divergeDevices()
    try await breakMergeDriver(in: "b")
    let pulled = try await home.run(
      "git", ["pull", "-q", "--no-rebase", "--no-edit"], in: "b")
    #expect(pulled.status != 0)
    let text = try home.read("b/" + walk)
    #expect(text.contains("<<<<<<< ours\n") && text.contains(">>>>>>> theirs\n"), "\(text)")
  }

  /// Makes the merge driver refer to a program that does not exist, as after an uninstall.
  private func breakMergeDriver(in folder: String) async throws {
    let driver = try await home.git("config", "merge.diary.driver", in: folder)
    let end = try #require(driver.firstRange(of: " merge-file %O"))
    let lost = "/nowhere/diary" + driver[end.lowerBound...].dropLast()
    try await home.git("config", "merge.diary.driver", lost, in: folder)
  }

  @Test func `the driver works without PATH and from any program path`() async throws {
    let folder = "my \"tools\", it's 100% O"
    try FileManager.default.createDirectory(
      atPath: home.homePath + "/" + folder, withIntermediateDirectories: true)
    let program = home.homePath + "/" + folder + "/diary"
    try await home.run("cp", ["-l", Sandbox.programs + "/diary", program])
    if !home.exists(folder + "/diary") {
      try await home.run("cp", [Sandbox.programs + "/diary", program])
    }
    try await divergeDevices()
    #expect(
      try await home.git("config", "merge.diary.driver", in: "b").hasPrefix(Sandbox.programs))
    try await home.run("cp", ["-a", "b", "c"])
    try await devices.sync("b")

    // The first command of a program at another path that changes the journal registers it.
    for (command, isRegistered) in [("list", false), ("save", true)] {
      let run = try await home.run(program, [command], in: "c")
      #expect(run.status == 0, "\(run.errors)")
      let driver = try await home.git("config", "merge.diary.driver", in: "c")
      #expect(driver.contains("100%%") == isRegistered)
    }
    home.set("PATH", "/nowhere")
    let git = try #require(
      ["/usr/bin/git", "/usr/local/bin/git", "/bin/git"].first {
        FileManager.default.isExecutableFile(atPath: $0)
      })
    let pulled = try await home.run(git, ["pull", "-q", "--no-rebase", "--no-edit"], in: "c")
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(try home.read("c/" + walk) == home.read("b/" + walk))
  }

  @Test func `a driver that the user has set or removed is not changed`() async throws {
    try await home.diary("init", "a")
    try await home.git("config", "merge.diary.driver", "mine %A", in: "a")
    try await home.diary("save", in: "a")
    #expect(try await home.git("config", "merge.diary.driver", in: "a") == "mine %A\n")
    let own =
      "LC_ALL=C diary merge-file %O %A %B %P || git merge-file -L ours -L base -L theirs %A %O %B"
    try await home.git("config", "merge.diary.driver", own, in: "a")
    try await home.diary("save", in: "a")
    #expect(try await home.git("config", "merge.diary.driver", in: "a") == own + "\n")
    try await home.git("config", "--unset", "merge.diary.driver", in: "a")
    try await home.diary("save", in: "a")
    #expect(try await home.run("git", ["config", "merge.diary.driver"], in: "a").status == 1)
  }

  @Test func `a sync waits for a merge that git stopped, and takes its result`() async throws {
    try await devices.setUp()
    for name in ["edited", "both"] {
      try home.write("Words of \(name).\n", to: "a/\(name).md")
    }
    try await devices.syncAll("a", "b")
    try await home.git("rm", "-q", "edited.md", in: "a")
    try home.write("Words of both, on a.\n", to: "a/both.md")
    try await home.diary("save", "--deletions", in: "a")
    try await devices.sync("a")
    try home.write("Words of edited, and more.\n", to: "b/edited.md")
    try home.write("Words of both, on b.\n", to: "b/both.md")
    try await home.diary("save", in: "b")
    let pulled = try await home.run("git", ["pull", "-q", "--no-rebase", "--no-edit"], in: "b")
    #expect(pulled.status != 0)
    let refused = try await devices.sync("b", status: 1)
    #expect(refused.errors.contains("git status"), "\(refused.errors)")
    let status = try await home.diary("status", in: "b")
    #expect(status.output.contains("edited.md has a conflict"), "\(status.output)")
    let renamed = try await home.diary("rename", "edited.md", "Another", in: "b")
    #expect(renamed.status == 1 && renamed.errors.contains("has a conflict"), "\(renamed)")
    try await home.git("add", "edited.md", in: "b")
    try await home.git("commit", "-q", "--no-edit", in: "b")
    try await devices.sync("b")
    try await devices.syncAll("a", "b")
    #expect(try home.read("a/edited.md") == "Words of edited, and more.\n")
    let both = try home.read("a/both.md")
    #expect(both.contains("a.") && both.contains("b."), "\(both)")
    try devices.expectNoMarkers()
  }

  @Test func `leave removes the driver and the attributes`() async throws {
    try await home.diary("init", "a")
    #expect(try home.read("a/.git/config").contains("[merge \"diary\"]"))
    #expect(try home.read("a/.git/info/attributes").contains("merge=diary"))
    try await home.diary("leave", "--yes", in: "a")
    #expect(try !home.read("a/.git/config").contains("diary"))
    #expect(try !home.read("a/.git/info/attributes").contains("diary"))
  }

  @Test func `with signed commits a merge has the user's name and devices agree`()
    async throws
  {
    try await divergeDevices()
    for device in ["a", "b"] {
      try await home.git("config", "commit.gpgSign", "true", in: device)
      try await home.git("config", "gpg.program", "/bin/false", in: device)
    }
    try await devices.syncAll("a", "b")
    let merge = try await home.git("log", "-1", "--merges", "--format=%an", in: "a")
    #expect(merge == "Test Writer\n")
  }
}
