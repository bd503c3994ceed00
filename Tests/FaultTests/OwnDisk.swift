import TestSupport
import Testing

extension FaultWorld {
  /// Runs `body` while `w` is a disk of its own; not at all where the tests may not mount one.
  func onOwnDisk(_ body: () async throws -> Void) async throws {
    let mounted = try await home.run("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", "w"])
    if mounted.status != 0 { return }
    do {
      try await body()
    } catch {
      try await home.run("umount", ["-l", "w"])
      throw error
    }
    let unmounted = try await home.run("umount", ["-l", "w"])
    #expect(unmounted.status == 0, "\(unmounted)")
  }

  /// Fills the disk, so many bytes aside.
  func fill(leaving bytes: Int = 0) async throws {
    let script = "cat /dev/zero > w/fill; truncate -s -$1 w/fill"
    let filled = try await home.run("sh", ["-c", script, "sh", "\(bytes)"])
    try #require(filled.errors.contains("No space left") && filled.status == 0, "\(filled)")
  }

  /// Gives back what ``fill(leaving:)`` took.
  func free() async throws { try await home.run("rm", ["w/fill"]) }
}
