import DiaryCore
import Foundation
import GitHistory
import Localization

extension Saver {
  /// Replaces git's index if it is really damaged, and returns a message. Returns `nil` if git can
  /// read it or cannot tell. An error of libgit2 alone proves nothing: split, sparse and hash-less
  /// indexes are healthy, and a newer git may write an index that an older one cannot read.
  func repairGitIndex() async throws -> String? {
    let git = journal.git(timeout: 60)
    guard try await isGitIndexDamaged(git) else { return nil }
    let newIndex = journal.stateFolder + "/index.new"
    try? FileManager.default.removeItem(atPath: newIndex)
    defer { try? FileManager.default.removeItem(atPath: newIndex) }
    let tree =
      if case .unborn = try await journal.repository.head() { "--empty" } else { "HEAD" }
    guard
      let result = try await git.runLocally(
        ["read-tree", tree], with: ["GIT_INDEX_FILE": newIndex]),
      result.status == 0
    else { return nil }
    guard let backup = try await journal.repository.replaceDamagedIndex(by: newIndex) else {
      return nil
    }
    return localized(
      "git's index was damaged; Diary made a new one from the last commit, and the old one is "
        + "in \(backup)")
  }

  private func isGitIndexDamaged(_ git: GitCLI) async throws -> Bool {
    // A pathspec that matches nothing: git reads the index and prints almost nothing.
    guard let repositoryCheck = try await git.runLocally(["rev-parse", "--git-dir"]),
      repositoryCheck.status == 0,
      let listing = try await git.runLocally(["ls-files", "--", "diary-asks-for-nothing"]),
      listing.status != 0
    else { return false }
    let unsupported = ["do not understand", "bad index version"]
    return listing.errors.contains("index") && !unsupported.contains { listing.errors.contains($0) }
  }
}
