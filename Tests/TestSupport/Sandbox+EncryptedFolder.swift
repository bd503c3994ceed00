import Foundation

extension Sandbox {
  /// Mounts a new folder of gocryptfs at `folder` while `body` runs. Returns false if no FUSE file
  /// system can be mounted here, as in most containers.
  public func withEncryptedFolder(
    at folder: String, _ body: () async throws -> Void
  ) async throws -> Bool {
    let cipher = homePath + "/cipher"
    try FileManager.default.createDirectory(atPath: cipher, withIntermediateDirectories: true)
    let made = try await run(
      "gocryptfs", ["-init", "-q", "-scryptn", "10", cipher], input: "word\n")
    guard made.status == 0 else { throw ProgramFailed(message: made.errors) }
    return try await withMount(
      "gocryptfs", ["-q", "-extpass", "echo word", cipher], at: folder, body)
  }
}
