import DiaryCore
import Foundation
import GitHistory
import Localization

extension Journal {
  /// Makes git's index anew when it is really damaged, and says so; `nil` when git itself can read it,
  /// or cannot say. libgit2 alone decides nothing: split, sparse and hash-less indexes are
  /// healthy, and a newer git may write one that an older cannot read.
  func repairGitIndex() async throws -> String? {
    let git = self.git(timeout: 60)
    guard try await isGitIndexDamaged(git) else { return nil }
    let newIndex = stateFolder + "/index.new"
    try? FileManager.default.removeItem(atPath: newIndex)
    defer { try? FileManager.default.removeItem(atPath: newIndex) }
    let tree =
      if case .unborn = try await repository.head() { "--empty" } else { "HEAD" }
    guard
      let result = try await git.runLocally(
        ["read-tree", tree], with: ["GIT_INDEX_FILE": newIndex]),
      result.status == 0
    else { return nil }
    guard let backup = try await repository.replaceDamagedIndex(by: newIndex) else { return nil }
    return localized(
      "git's index was damaged; Diary made a new one from the last commit, and the old one is "
        + "in \(backup)")
  }

  private func isGitIndexDamaged(_ git: GitCLI) async throws -> Bool {
    // A pathspec that names nothing: the index is read, and next to nothing is printed.
    guard let repositoryCheck = try await git.runLocally(["rev-parse", "--git-dir"]),
      repositoryCheck.status == 0,
      let listing = try await git.runLocally(["ls-files", "--", "diary-asks-for-nothing"]),
      listing.status != 0
    else { return false }
    let unsupported = ["do not understand", "bad index version"]
    return listing.errors.contains("index") && !unsupported.contains { listing.errors.contains($0) }
  }
}
