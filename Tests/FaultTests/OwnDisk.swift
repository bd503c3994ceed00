import TestSupport
import Testing

extension FaultWorld {
  /// Runs `body` while `w` is a disk of its own; where the tests may not mount one, none is run.
  func onOwnDisk(_ body: () async throws -> Void) async throws {
    let words = ["-t", "tmpfs", "-o", "size=16m", "tmpfs"]
    guard try await home.mounting("mount", words, at: "w", body) else {
      try Test.cancel("no disk may be mounted here")
    }
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
