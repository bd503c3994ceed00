import DiaryCore
import Foundation
import GitHistory
import Localization

extension Journal {
  /// The paths at which the disk may differ from the saved state: those that git reports, and the
  /// pending ones. git does not know a file that was created, saved and deleted in one sitting.
  func changedPaths() async throws -> [EntryPath] {
    try await Set(changedInGit()).union(repository.pending().map(\.path)).sorted()
  }

  /// The paths at which disk, index and HEAD may differ.
  func changedInGit() async throws -> [EntryPath] {
    try await Self.changedInGit(repository, gitLocation, git)
  }

  /// The paths from libgit2, or from the user's git if folders are nested too deeply for libgit2.
  static func changedInGit(
    _ repository: GitRepository, _ gitLocation: RepositoryLocation, _ git: GitCLI
  ) async throws -> [EntryPath] {
    if let found = try await changedInGit(repository) { return found }
    return try await git.statusPaths(includingStaged: true).compactMap {
      gitLocation.journalPath($0)
    }
    .sorted()
  }

  // Never inlined: Swift 6.3.1 crashes in a release build when it splits a coroutine that contains
  // this one.
  @inline(never)
  private static func changedInGit(_ repository: GitRepository) async throws -> [EntryPath]? {
    do {
      return try await repository.possibleChanges()
    } catch {
      guard error.reason == .tooDeep else { throw error }
      return nil
    }
  }

  /// The user's git in this journal's repository.
  var git: GitCLI { git(timeout: settings.syncTimeout) }

  /// The user's git with another timeout, in seconds.
  func git(timeout: Double) -> GitCLI {
    GitCLI(programs: programs, workTree: gitLocation.workTree, timeout: timeout)
  }
}

extension GitCLI {
  /// The paths at which the disk differs from the index, as git sees them through its filters,
  /// including untracked files. With `includingStaged`, also those at which the index differs from
  /// HEAD.
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
    // Each record is two letters (the second for the disk), a space and the path.
    let changed = status.output.split(separator: 0).filter {
      includingStaged || $0.dropFirst().first != UInt8(ascii: " ")
    }
    return Set(changed.compactMap { EntryPath(bytes: $0.dropFirst(3)) })
  }
}
