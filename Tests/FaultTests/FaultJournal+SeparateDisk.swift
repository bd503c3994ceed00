import TestSupport
import Testing

extension FaultJournal {
  /// Runs `body` with a separate disk mounted at `w`. Cancels the test if that is not allowed.
  func withSeparateDisk(_ body: () async throws -> Void) async throws {
    let words = ["-t", "tmpfs", "-o", "size=16m", "tmpfs"]
    guard try await home.withMount("mount", words, at: "w", body) else {
      try Test.cancel("no disk may be mounted here")
    }
  }

  /// Fills the disk except for `bytes`.
  func fill(leaving bytes: Int = 0) async throws {
    let script = "cat /dev/zero > w/fill; truncate -s -$1 w/fill"
    let filled = try await home.run("sh", ["-c", script, "sh", "\(bytes)"])
    try #require(filled.errors.contains("No space left") && filled.status == 0, "\(filled)")
  }

  /// Frees what ``fill(leaving:)`` has filled.
  func free() async throws { try await home.run("rm", ["w/fill"]) }
}
