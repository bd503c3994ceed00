import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

extension FolderChanges {
  /// The paths at which the disk may differ from the saved state: those that git's index or HEAD
  /// does not have like this, and the pending ones. The index does not know a file that was created,
  /// saved and deleted in one sitting.
  func changedPaths() async throws -> [EntryPath] {
    try await Set(changedInGit()).union(journal.repository.pending().map(\.path)).sorted()
  }

  /// The paths at which disk, index and HEAD may differ, without files that git ignores.
  ///
  /// - Parameter walk: a scan of all files that was just made.
  func changedInGit(_ walk: FolderScan? = nil) async throws -> [EntryPath] {
    let walk =
      walk ?? journal.folder.scan(EntryMatcher(settings: journal.settings), includesOthers: true)
    var files = walk.entries + walk.otherFiles + walk.settingsFiles
    if journal.settings.indexIsCommitted, let list = journal.settings.indexFile,
      let signature = (try? journal.folder.signature(of: list)) ?? nil
    {
      files.append(FoundFile(path: list, signature: signature, statusChangedAt: 0))
    }
    return try await Self.changedInGit(files, walk.notRegular, journal.repository)
  }

  static func changedInGit(
    _ files: [FoundFile], _ others: [EntryPath], _ repository: GitRepository
  ) async throws -> [EntryPath] {
    let changed = try await Set(repository.possibleChanges(files)).union(others).sorted()
    let ignored = try await repository.ignoredPaths(among: changed)
    return changed.filter { !ignored.contains($0) }
  }
}

extension GitCLI {
  /// The paths at which the disk differs from the index, as git sees them through its filters,
  /// including untracked files.
  func statusPaths() async throws(DiaryError) -> Set<EntryPath> {
    let status = try await run([
      "--no-optional-locks", "-c", "core.trustctime=true", "-c", "core.checkStat=default", "status",
      "--porcelain", "-z", "--no-renames",
      "--untracked-files=all", "--ignore-submodules=dirty",
    ])
    guard status.status == 0 else {
      throw DiaryError(
        localized("git cannot report what has changed"),
        details: [status.errors], hint: localized("run `git status`"))
    }
    // Each record is two letters (the second for the disk), a space and the path.
    let changed = status.output.split(separator: 0).filter {
      $0.dropFirst().first != UInt8(ascii: " ")
    }
    return Set(changed.compactMap { EntryPath(bytes: $0.dropFirst(3)) })
  }
}
