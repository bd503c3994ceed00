import DiaryCore
import EntryFiles
import GitHistory
import Localization

/// The number of entries that may be missing at a start without a confirmation by the user.
let maxUnconfirmedDeletions = 20

extension FolderChanges {
  /// Decides which absent files are deleted and which are missing. A file that moved, or whose path
  /// is used by another file of this save, is deleted for sure.
  func classifyDeletions(
    _ absent: [EntryPath], atStart: Bool, policy: DeletionPolicy, into found: inout UnsavedChanges
  ) async throws {
    let doubts = try await folderDoubts(absent.filter { !policy.confirms($0) })
    if policy == .verify {
      let movable = absent.filter { !doubts.isAway($0) }
      found.moved = try await movedFiles(of: Set(movable), among: found.changes).paths
      found.moved.merge(try await movedOldBuffers(found)) { first, _ in first }
      found.changes += found.moved.keys.sorted().map { .delete($0) }
    }
    let absent = absent.filter { found.moved[$0] == nil }
    guard !absent.isEmpty else { return }
    // An entry that was created and saved in this sitting is known only to the saves ref. A
    // deletion that is already saved needs no second decision.
    let pending = found.scan.pending
    let savedDeletions = Set(pending.filter(\.isDeletion).map(\.path))
    let known = try await journal.repository.trackedPaths(among: absent).union(
      pending.filter { !$0.isDeletion }.map(\.path)
    ).subtracting(savedDeletions)
    let written = found.changes.filter { !$0.isDeletion }.map(\.path)
    let occupied = OccupiedPaths(of: written + pending.filter { !$0.isDeletion }.map(\.path))
    var deleted: [EntryPath] = []
    for path in absent where known.contains(path) {
      if occupied.hasReplacement(of: path) {
        found.changes.append(.delete(path))
        continue
      }
      if policy.confirms(path) {
        deleted.append(path)
      } else if case .absent = journal.folder.presence(of: path), !doubts.contains(path) {
        deleted.append(path)
      } else {
        found.missing.append(path)
      }
    }
    if policy == .verify {
      let isDoubtful =
        atStart
        && (deleted.count > maxUnconfirmedDeletions || !found.missing.allSatisfy(doubts.contains))
      let isEverything = try await isEveryEntryDeleted(deleted, written: written)
      if isDoubtful || isEverything {
        found.missing += deleted
        deleted = []
      }
    }
    found.missing.sort()
    found.skipped += doubts.away.filter { away in found.missing.contains { $0.isInside(away) } }
      .sorted().map {
        SkippedFile(
          path: $0, reason: localized("is not mounted or was replaced by an empty folder"))
      }
    found.changes += deleted.map { .delete($0) }
  }

  /// True if no saved entry of several remains and no new one was `written`: more likely a mistake
  /// than so many deletions. Files removed with `git rm` were deleted on purpose.
  private func isEveryEntryDeleted(
    _ deleted: [EntryPath], written: [EntryPath]
  ) async throws -> Bool {
    let rules = EntryMatcher(settings: journal.settings)
    guard deleted.contains(where: rules.isEntry), !written.contains(where: rules.isEntry),
      try await !journal.repository.missingPaths(among: deleted).isEmpty
    else { return false }
    let saved = try await journal.repository.savedPaths().filter(rules.isEntry)
    return saved.count > 1 && !saved.contains { journal.folder.hasFile($0) }
  }
}

/// The paths and folders that the files of a scan occupy.
private struct OccupiedPaths {
  private var files: Set<EntryPath> = []
  private var folders: Set<EntryPath> = []

  init(of paths: [EntryPath]) {
    for path in paths {
      files.insert(path)
      var next = path.folder
      while let folder = next, folders.insert(folder).inserted { next = folder.folder }
    }
  }

  /// True if a folder has the file's path, or a file has the path of a folder above it.
  func hasReplacement(of path: EntryPath) -> Bool {
    if folders.contains(path) { return true }
    var next = path.folder
    while let folder = next {
      if files.contains(folder) { return true }
      next = folder.folder
    }
    return false
  }
}

/// The evidence that is required to treat an absent path as deleted.
enum DeletionPolicy: Sendable, Equatable {
  /// The folder must confirm that the file is absent.
  case verify
  /// A command has just deleted these paths.
  case explicit(Set<EntryPath>)
  /// The user has confirmed the deletions (`diary save --deletions`).
  case confirmed

  /// True if the path counts as deleted without further evidence.
  func confirms(_ path: EntryPath) -> Bool {
    switch self {
    case .verify: false
    case .explicit(let paths): paths.contains(path)
    case .confirmed: true
    }
  }
}
