import DiaryCore
import EntryFiles
import GitHistory

/// How many entries may be found missing at a start before somebody must confirm it.
let maxUnconfirmedDeletions = 20

extension Journal {
  /// A file that is absent is not yet deleted. One that moved, or in the place of which
  /// another file is being saved, is gone for sure.
  func classifyDeletions(
    _ absent: [EntryPath], atStart: Bool, policy: DeletionPolicy, into found: inout PendingChanges
  ) async throws {
    if policy == .verify {
      found.moved = try await movedFiles(of: Set(absent), among: found.changes).paths
      found.changes += found.moved.keys.sorted().map { .delete($0) }
    }
    let absent = absent.filter { found.moved[$0] == nil }
    guard !absent.isEmpty else { return }
    // An entry that was begun and saved in this sitting is known to the saves alone; and a deletion
    // that is kept already needs no second judgement.
    let pending = found.scan.pending
    let savedDeletions = Set(pending.filter(\.isDeletion).map(\.path))
    let known = try await repository.trackedPaths(among: absent).union(
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
      switch policy {
      case .confirmed: deleted.append(path)
      case .explicit(let paths) where paths.contains(path): deleted.append(path)
      case .explicit, .verify:
        if case .absent = folder.presence(of: path) {
          deleted.append(path)
        } else {
          found.missing.append(path)
        }
      }
    }
    if policy == .verify {
      let isDoubtful =
        atStart && (deleted.count > maxUnconfirmedDeletions || !found.missing.isEmpty)
      let isEverything = try await isEveryEntryDeleted(deleted, written: written)
      if isDoubtful || isEverything {
        found.missing += deleted
        deleted = []
      }
    }
    found.missing.sort()
    found.changes += deleted.map { .delete($0) }
  }

  /// Whether none of several saved entries is left, nor a new one `written`: that is rather a mistake
  /// than so many deletions. What the user took away with `git rm` is gone on purpose.
  private func isEveryEntryDeleted(
    _ deleted: [EntryPath], written: [EntryPath]
  ) async throws -> Bool {
    let rules = EntryMatcher(settings: settings)
    guard deleted.contains(where: rules.isEntry), !written.contains(where: rules.isEntry),
      try await !repository.missingPaths(among: deleted).isEmpty
    else { return false }
    let saved = try await repository.savedPaths().filter(rules.isEntry)
    return saved.count > 1 && !saved.contains { folder.hasFile($0) }
  }
}

/// Where the files of a look lie.
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

  /// Whether a folder stands in the file's place, or a file in the place of a folder above it.
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

/// How far a path's absence may be taken for a deletion.
enum DeletionPolicy: Sendable, Equatable {
  /// The folder must show it.
  case verify
  /// A command has just deleted these.
  case explicit(Set<EntryPath>)
  /// The writer said so (`diary save --deletions`).
  case confirmed
}
