import DiaryCore
import Foundation
import GitHistory
import Localization

extension Journal {
  /// Where the disk may differ from what is kept: what git sees, and what is pending, for git knows
  /// nothing of a file that was begun, saved and deleted again within one sitting.
  func changedPaths() async throws -> [EntryPath] {
    try await Set(changedInGit()).union(repository.pending().map(\.path)).sorted()
  }

  /// Where disk, index and HEAD may differ.
  func changedInGit() async throws -> [EntryPath] {
    try await Self.changedInGit(repository, gitLocation, git)
  }

  /// As libgit2 sees it; where folders are nested too deeply for it, as the writer's git does.
  static func changedInGit(
    _ repository: GitRepository, _ gitLocation: RepositoryLocation, _ git: GitCLI
  ) async throws -> [EntryPath] {
    if let found = try await changedInGit(repository) { return found }
    return try await git.statusPaths(includingStaged: true).compactMap {
      gitLocation.journalPath($0)
    }
    .sorted()
  }

  // Never inlined: Swift 6.3.1 crashes in a release build when it splits a coroutine that has this
  // one inside.
  @inline(never)
  private static func changedInGit(_ repository: GitRepository) async throws -> [EntryPath]? {
    do {
      return try await repository.possibleChanges()
    } catch {
      guard error.reason == .tooDeep else { throw error }
      return nil
    }
  }

  /// The writer's git in this journal's repository.
  var git: GitCLI { git(timeout: settings.syncTimeout) }

  /// The same with another limit.
  func git(timeout: Double) -> GitCLI {
    GitCLI(programs: programs, workTree: gitLocation.workTree, timeout: timeout)
  }
}

extension GitCLI {
  /// The paths of the repository at which the disk does not show what the index names, as git itself
  /// sees it through its filters; untracked files among them. With `staged`, also those at which the
  /// index is not HEAD's.
  @inline(never)
  func statusPaths(includingStaged: Bool = false) async throws(DiaryError) -> Set<EntryPath> {
    let status = try await run([
      "--no-optional-locks", "status", "--porcelain", "-z", "--no-renames",
      "--untracked-files=all", "--ignore-submodules=dirty",
    ])
    guard status.status == 0 else {
      throw DiaryError(
        localized("git cannot report what has changed"),
        details: [status.errors], hint: localized("run `git status`"))
    }
    // Each is two letters, the second for the disk, a space, and the name.
    let changed = status.output.split(separator: 0).filter {
      includingStaged || $0.dropFirst().first != UInt8(ascii: " ")
    }
    return Set(changed.compactMap { EntryPath(bytes: $0.dropFirst(3)) })
  }
}
