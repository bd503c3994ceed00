import DiaryCore
import Foundation
import GitHistory
import Localization

extension Journal {
  /// Makes git's index anew when it is really damaged, and says so; `nil` when git itself can read it,
  /// or cannot say. libgit2 alone decides nothing: split, sparse and hash-less indexes are
  /// healthy, and a newer git may write one that an older cannot read.
  func mendGitIndex() async throws -> String? {
    let git = self.git(seconds: 60)
    guard try await isGitIndexDamaged(git) else { return nil }
    let fresh = stateFolder + "/index.new"
    try? FileManager.default.removeItem(atPath: fresh)
    defer { try? FileManager.default.removeItem(atPath: fresh) }
    let tree =
      if case .unborn = try await repository.head() { "--empty" } else { "HEAD" }
    guard
      let made = try await git.runLocally(["read-tree", tree], with: ["GIT_INDEX_FILE": fresh]),
      made.status == 0
    else { return nil }
    guard let aside = try await repository.replaceDamagedIndex(by: fresh) else { return nil }
    return localized(
      "git's index was damaged; Diary made a new one from the last commit, and the old one is "
        + "in \(aside)")
  }

  private func isGitIndexDamaged(_ git: GitCLI) async throws -> Bool {
    // A pathspec that names nothing: the index is read, and next to nothing is printed.
    guard let whole = try await git.runLocally(["rev-parse", "--git-dir"]), whole.status == 0,
      let list = try await git.runLocally(["ls-files", "--", "diary-asks-for-nothing"]),
      list.status != 0
    else { return false }
    let newer = ["do not understand", "bad index version"]
    return list.errors.contains("index") && !newer.contains { list.errors.contains($0) }
  }
}
