import Foundation
import TestSupport
import Testing

/// What a sync brings and Diary does not write itself: links, submodules, files under a filter.
@Suite(.serialized) struct SyncLeftToGitTests {
  let home: Sandbox
  let devices: TwoDevices

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
  }

  /// Device a commits by hand what `make` has made there, and sends it.
  private func byHand(_ make: () async throws -> Void) async throws {
    try await make()
    try await home.git("add", "-A", in: "a")
    try await home.git("commit", "-qm", "by hand", in: "a")
    try await devices.sync("a")
  }

  private func expectToWait(for path: String, _ reason: String) async throws {
    let waits = try await devices.sync("b", status: 1)
    #expect(waits.errors.contains("Not updated yet: \(path) is \(reason)"), "\(waits.errors)")
    #expect(waits.errors.contains("`git restore` updates it"), "\(waits.errors)")
    try await home.git("restore", path, in: "b")
    try await devices.settle("a", "b")
  }

  @Test func `a link waits for git, and is told no more when it is there`() async throws {
    try await devices.joined()
    try await byHand { try await home.run("ln", ["-s", "2026", "a/latest"]) }
    try await expectToWait(for: "latest", "a link or another repository")
    let target = try FileManager.default.destinationOfSymbolicLink(
      atPath: home.home + "/b/latest")
    #expect(target == "2026")
  }

  @Test func `a file under a filter is not written as the pointer that git keeps`() async throws {
    try await devices.joined()
    // As git-lfs does it: what git keeps is not what the disk shows.
    try await home.git("config", "--global", "filter.lfs.clean", "tr a-z A-Z", in: "")
    try await home.git("config", "--global", "filter.lfs.smudge", "tr A-Z a-z", in: "")
    try await byHand {
      try home.write("*.bin filter=lfs\n", to: "a/.gitattributes")
      try home.write("sound of rain\n", to: "a/rain.bin")
    }
    #expect(try await home.git("show", "HEAD:rain.bin", in: "a") == "SOUND OF RAIN\n")
    let first = try await devices.sync("b", status: 1)
    #expect(
      first.errors.contains("Not updated yet: rain.bin is under filter=lfs"), "\(first.errors)")
    #expect(!home.exists("b/rain.bin"))
    try await expectToWait(for: "rain.bin", "under filter=lfs")
    #expect(try home.read("b/rain.bin") == "sound of rain\n")
  }

  @Test func `a submodule travels, and its place is git's`() async throws {
    try await home.git("init", "-q", "other", in: "")
    try home.write("x\n", to: "other/x.txt")
    try await home.git("add", ".", in: "other")
    try await home.git("commit", "-qm", "other", in: "other")
    try await devices.joined()
    try await byHand {
      try await home.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", home.home + "/other",
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
