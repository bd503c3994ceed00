import Foundation
import TestSupport
import Testing

/// Files of a sync that Diary does not check out itself: links, submodules, files with a filter.
@Suite(.serialized) struct SyncLeftToGitTests {
  let home: Sandbox
  let devices: TwoDevices

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
  }

  /// Commits on device `a` by hand what `make` has created there, and pushes it.
  private func commitByHand(_ make: () async throws -> Void) async throws {
    try await make()
    try await home.git("add", "-A", in: "a")
    try await home.git("commit", "-qm", "by hand", in: "a")
    try await devices.sync("a")
  }

  private func expectDeferred(_ path: String, _ reason: String) async throws {
    let deferred = try await devices.sync("b", status: 1)
    #expect(deferred.errors.contains("Not updated yet: \(path) \(reason)"), "\(deferred.errors)")
    #expect(deferred.errors.contains("`git restore` updates it"), "\(deferred.errors)")
    try await home.git("restore", path, in: "b")
    try await devices.syncAll("a", "b")
  }

  @Test func `a link is left to git and reported until it exists`() async throws {
    try await devices.setUp()
    try await commitByHand { try await home.run("ln", ["-s", "2026", "a/latest"]) }
    try await expectDeferred("latest", "is a link or another repository")
    let target = try FileManager.default.destinationOfSymbolicLink(
      atPath: home.homePath + "/b/latest")
    #expect(target == "2026")
  }

  @Test func `a file with a filter is not checked out as git's pointer`() async throws {
    try await devices.setUp()
    // As with git-lfs, git stores other bytes than the file has on disk.
    try await home.git("config", "--global", "filter.lfs.clean", "tr a-z A-Z", in: "")
    try await home.git("config", "--global", "filter.lfs.smudge", "tr A-Z a-z", in: "")
    try await commitByHand {
      try home.write("*.bin filter=lfs\n", to: "a/.gitattributes")
      try home.write("sound of rain\n", to: "a/rain.bin")
    }
    #expect(try await home.git("show", "HEAD:rain.bin", in: "a") == "SOUND OF RAIN\n")
    let first = try await devices.sync("b", status: 1)
    #expect(
      first.errors.contains("Not updated yet: rain.bin has the git attribute filter=lfs"),
      "\(first.errors)")
    #expect(!home.exists("b/rain.bin"))
    try await expectDeferred("rain.bin", "has the git attribute filter=lfs")
    #expect(try home.read("b/rain.bin") == "sound of rain\n")
  }

  @Test func `a submodule is synced and its checkout is left to git`() async throws {
    try await home.git("init", "-q", "other", in: "")
    try home.write("x\n", to: "other/x.txt")
    try await home.git("add", ".", in: "other")
    try await home.git("commit", "-qm", "other", in: "other")
    try await devices.setUp()
    try await commitByHand {
      try await home.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", home.homePath + "/other",
        "module", in: "a")
    }
    let arrived = try await home.diary("sync", in: "b")
    if arrived.status != 0 {
      #expect(
        arrived.errors.contains("Not updated yet: module is a link or another"), "\(arrived.errors)"
      )
      try await home.git("restore", "module", in: "b")
    }
    try await home.diary("new", "Beside it", "-m", "Words.", in: "b")
    try await devices.sync("b")
    try await devices.sync("a")
    let tree = try await home.git("ls-tree", "HEAD", "module", in: "b")
    #expect(tree.hasPrefix("160000 commit"), "\(tree)")
    #expect(home.files(in: "a").contains { $0.hasSuffix("beside-it.md") })
  }
}
