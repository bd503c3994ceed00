import DiaryCore
import Foundation
import GitHistory
import Localization

extension Journal {
  /// Makes git's index anew when it is really damaged, and says so; `nil` when git itself can read it,
  /// or cannot say. libgit2 alone decides nothing: split, sparse and hash-less indexes are
  /// healthy, and a newer git may write one that an older cannot read.
  func mendGitIndex() async throws -> String? {
    guard try await isGitIndexDamaged() else { return nil }
    let fresh = stateFolder + "/index.new"
    try? FileManager.default.removeItem(atPath: fresh)
    defer { try? FileManager.default.removeItem(atPath: fresh) }
    let tree =
      if case .unborn = try await repository.head() { "--empty" } else { "HEAD" }
    guard let made = try await askGit(["read-tree", tree], index: fresh), made.status == 0 else {
      return nil
    }
    guard let aside = try await repository.replaceDamagedIndex(by: fresh) else { return nil }
    return localized(
      "git's index was damaged; Diary made a new one from the last commit, and the old one is "
        + "in \(aside)")
  }

  private func isGitIndexDamaged() async throws -> Bool {
    // A pathspec that names nothing: the index is read, and next to nothing is printed.
    guard let whole = try await askGit(["rev-parse", "--git-dir"]), whole.status == 0,
      let list = try await askGit(["ls-files", "--", "diary-asks-for-nothing"]), list.status != 0
    else { return false }
    let newer = ["do not understand", "bad index version"]
    return list.errors.contains("index") && !newer.contains { list.errors.contains($0) }
  }

  /// The writer's own git, in their work tree, without their hooks; `index` in place of theirs, and
  /// for `seconds` at most.
  func askGit(
    _ words: [String], index: String? = nil, seconds: Double = 60, before: [String] = []
  ) async throws(DiaryError) -> ProcessRunner.Result? {
    var variables = environment.variables
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
      variables[name] = nil
    }
    variables["GIT_INDEX_FILE"] = index
    variables["GIT_OPTIONAL_LOCKS"] = "0"
    variables["LC_ALL"] = "C"
    let settings = [
      "core.fsync=all", "core.fsyncMethod=fsync", "core.hooksPath=/dev/null",
      "core.fsmonitor=false",
    ]
    return try await programs.ask(
      before + ["git", "-C", gitLocation.workTree] + settings.flatMap { ["-c", $0] } + words,
      input: [],
      seconds: seconds, environment: variables, ownSession: true)
  }
}
