import DiaryCore
import EntryFiles
import GitHistory

/// How many entries may be found missing at a start before somebody must confirm it.
let mostSilentDeletions = 20

extension Journal {
  /// A file that is absent is not yet deleted. One that moved, or in the place of which
  /// another file is being saved, is gone for sure.
  func judge(
    _ gone: [EntryPath], atStart: Bool, trust: DeletionPolicy, into found: inout PendingChanges
  ) async throws {
    if trust == .look {
      found.moved = try await moves(of: Set(gone), among: found.changes).paths
      found.changes += found.moved.keys.sorted().map { .delete($0) }
    }
    let gone = gone.filter { found.moved[$0] == nil }
    guard !gone.isEmpty else { return }
    // An entry that was begun and saved in this sitting is known to the saves alone; and a deletion
    // that is kept already needs no second judgement.
    let pending = found.scan.pending
    let kept = Set(pending.filter(\.isDeletion).map(\.path))
    let known = try await repository.known(gone).union(
      pending.filter { !$0.isDeletion }.map(\.path)
    ).subtracting(kept)
    let written = found.changes.filter { !$0.isDeletion }.map(\.path)
    let taken = Places(of: written + pending.filter { !$0.isDeletion }.map(\.path))
    var sure: [EntryPath] = []
    for path in gone where known.contains(path) {
      if taken.replace(path) {
        found.changes.append(.delete(path))
        continue
      }
      switch trust {
      case .confirmed: sure.append(path)
      case .these(let paths) where paths.contains(path): sure.append(path)
      case .these, .look:
        if case .absent = folder.presence(of: path) {
          sure.append(path)
        } else {
          found.missing.append(path)
        }
      }
    }
    if trust == .look {
      let isDoubtful = atStart && (sure.count > mostSilentDeletions || !found.missing.isEmpty)
      let areAll = try await areAllOfSeveral(sure, beside: written)
      if isDoubtful || areAll {
        found.missing += sure
        sure = []
      }
    }
    found.missing.sort()
    found.changes += sure.map { .delete($0) }
  }

  /// Whether none of several saved entries is left, nor a new one `written`: that is rather a mistake
  /// than so many deletions. What the user took away with `git rm` is gone on purpose.
  private func areAllOfSeveral(
    _ gone: [EntryPath], beside written: [EntryPath]
  ) async throws -> Bool {
    let rules = EntryMatcher(settings: settings)
    guard gone.contains(where: rules.isEntry), !written.contains(where: rules.isEntry),
      try await !repository.missing(among: gone).isEmpty
    else { return false }
    let saved = try await repository.savedPaths().filter(rules.isEntry)
    return saved.count > 1 && !saved.contains { folder.has($0) }
  }
}

/// Where the files of a look lie.
private struct Places {
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
  func replace(_ path: EntryPath) -> Bool {
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
  case look
  /// A command has just deleted these.
  case these(Set<EntryPath>)
  /// The writer said so (`diary save --deletions`).
  case confirmed
}
