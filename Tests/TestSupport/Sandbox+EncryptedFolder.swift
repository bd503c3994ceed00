import Foundation

extension Sandbox {
  /// Mounts a new folder of gocryptfs at `folder` while `body` runs; `encrypted` is that of the
  /// encrypted files. Returns false if no FUSE file
  /// system can be mounted here, as in most containers.
  public func withEncryptedFolder(
    at folder: String, of encrypted: String = "cipher", _ body: () async throws -> Void
  ) async throws -> Bool {
    let cipher = homePath + "/" + encrypted
    try FileManager.default.createDirectory(atPath: cipher, withIntermediateDirectories: true)
    let made = try await run(
      "gocryptfs", ["-init", "-q", "-scryptn", "10", cipher], input: "word\n")
    guard made.status == 0 else { throw ProgramFailed(message: made.errors) }
    return try await withMount(
      "gocryptfs", ["-q", "-extpass", "echo word", cipher], at: folder, body)
  }
}
