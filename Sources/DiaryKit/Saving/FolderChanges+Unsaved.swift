import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Localization
import Synchronization

/// The changes that a scan found to save, and the files that it skipped.
struct UnsavedChanges: Sendable {
  let scan: SaveScan
  var changes: [FileChange] = []
  /// Files that are on the branch but absent from the disk: too many at once, or without evidence
  /// that the user deleted them.
  var missing: [EntryPath] = []
  /// The new path of each moved file. The deletions of the old paths are among the changes.
  var moved: [EntryPath: EntryPath] = [:]
  /// Entries that git ignores.
  var ignored: [EntryPath] = []
  /// Files that were skipped for a reason that the user should know.
  var skipped: [SkippedFile] = []
  /// The states of those among them that a save cannot take.
  var unsavable: [EntryPath: PathState.Disk] = [:]
  /// True if words on the disk may be unsaved: a file or folder cannot be read, or an entry is too
  /// large.
  var hasUnreadable = false
  /// Files written while they were read, so that the bytes may mix two versions. Read again later.
  var stillChanging: [EntryPath] = []

  /// The skipped folders: they cannot be read, or are not mounted.
  var skippedFolders: [SkippedFile] { skipped.filter { scan.candidates[$0.path] == nil } }

  /// The files whose text is to be saved.
  var written: [EntryPath] {
    changes.compactMap { change in
      if case .write(let path, _, _) = change { path } else { nil }
    }
  }
}

extension UnsavedChanges {
  /// Leaves out a file in a state that a save cannot take.
  fileprivate mutating func skip(
    _ path: EntryPath, _ state: PathState.Disk, isEntry: Bool = false
  ) {
    if let reason = state.reason { skipped.append(SkippedFile(path: path, reason: reason)) }
    unsavable[path] = state
    switch state {
    case .unreadable: hasUnreadable = true
    case .tooLarge: hasUnreadable = hasUnreadable || isEntry
    case .absent, .saved, .blank, .unsaved, .changing, .deleted, .moved, .missing, .away,
      .emptiedByCrash, .notAFile, .refusedByGit:
      break
    }
  }
}

/// A file that is not saved, with the reason.
package struct SkippedFile: Sendable, Hashable {
  package var path: EntryPath
  /// The reason, as the remainder of a sentence that begins with the path.
  package var reason: String
}

/// The size above which a file is not saved: 50 MB, as git hosts recommend.
let maxSavedFileSize: Int64 = 50 << 20

extension Saver {
  /// Scans `paths` and returns the changes to save.
  ///
  /// - Parameters:
  ///   - atStart: true if the changes were made while no watcher was running.
  ///   - deletions: the evidence that an absent file needs to count as deleted.
  ///   - notIgnored: paths that git has just reported as changed, or that a command has written.
  ///     Git's ignore rules are not checked for them.
  func collectChanges(
    _ paths: [EntryPath], atStart: Bool, deletions: DeletionPolicy = .verify,
    notIgnored: Set<EntryPath> = []
  ) async throws -> UnsavedChanges {
    try await journal.changes.changes(
      in: journal.changes.scan(paths, notIgnored: notIgnored), atStart: atStart,
      deletions: deletions)
  }

  /// The changes to save at all paths, as ``FolderChanges/unsavedChanges(in:deletions:)`` finds them.
  func collectAllChanges(
    in walk: FolderScan? = nil, deletions: DeletionPolicy = .verify
  ) async throws -> UnsavedChanges {
    try await journal.changes.unsavedChanges(in: walk, deletions: deletions)
  }
}

extension FolderChanges {
  /// Returns the changes at all paths that git reports and at all pending paths: git does not know
  /// a file that was created, saved and deleted in one sitting.
  ///
  /// - Parameter walk: a scan of all files that was just made.
  func unsavedChanges(
    in walk: FolderScan? = nil, deletions: DeletionPolicy = .verify
  ) async throws -> UnsavedChanges {
    let walk =
      walk ?? journal.folder.scan(EntryMatcher(settings: journal.settings), includesOthers: true)
    let changed = try await Set(changedInGit(walk))
    let pending = try await journal.repository.pending()
    let paths = changed.union(pending.map(\.path)).sorted()
    var found = try await changes(
      in: try await scan(paths, notIgnored: changed, pending: pending), atStart: true,
      deletions: deletions)
    // git's index may only have lost track of a file.
    found.changes = try await journal.repository.unsaved(found.changes)
    found.hasUnreadable = found.hasUnreadable || !walk.unreadable.isEmpty
    found.skipped += walk.unreadableFolders
    return found
  }

  /// The folders of the journal that the system does not read. Their entries are in no list.
  package func unreadableFolders() -> [SkippedFile] {
    journal.folder.scan(EntryMatcher(settings: journal.settings)).unreadableFolders
  }

  /// The entries that the last query could not read, and so left out.
  package func unreadableEntries() -> [SkippedFile] {
    journal.unreadableEntries.withLock(\.self).sorted { $0.key < $1.key }
      .filter { journal.folder.hasFile($0.key) }
      .map { SkippedFile(path: $0.key, reason: localized("cannot be read: \($0.value)")) }
  }

  fileprivate func changes(
    in scan: SaveScan, atStart: Bool, deletions: DeletionPolicy
  ) async throws -> UnsavedChanges {
    var found = UnsavedChanges(scan: scan)
    let candidates = scan.candidates.values.sorted { $0.path < $1.path }
    let modified = try await modifiedAccordingToGit(
      Set(candidates.filter { $0.attribute != nil }.map(\.path)))
    var absent: [EntryPath] = []
    for candidate in candidates {
      let path = candidate.path
      if candidate.isWaitingCheckout { continue }
      switch candidate.place {
      case .journal, .unmerged: break
      case .notSaved, .foreignFolder: continue
      case .ignored:
        if candidate.kind == .entry { found.ignored.append(path) }
        continue
      case .leftToGit:
        if modified.contains(path), let reason = candidate.place.foreignReason {
          found.skip(path, .refusedByGit(reason))
        }
        continue
      }
      switch candidate.content {
      case .file(let text): try await add(text, of: candidate, to: &found)
      case .absent: absent.append(path)
      case .unsavable(let state): found.skip(path, state, isEntry: candidate.kind == .entry)
      case .unread: break
      }
    }
    try await classifyDeletions(absent, atStart: atStart, policy: deletions, into: &found)
    return found
  }

  private func add(
    _ text: FileContents, of candidate: SaveCandidate, to found: inout UnsavedChanges
  ) async throws {
    let path = candidate.path
    if found.scan.blanks[path.text].map({ Array($0.utf8) == text.bytes }) == true { return }
    if candidate.kind == .entry, journal.settings.isListFile(text.bytes[...], at: path) {
      return
    }
    if text.bytes.isEmpty, FileName.isWriteProbe(path.nameBytes) {
      guard try await hasSavedContent(path) else { return }
    }
    guard text.isConsistent else { return found.stillChanging.append(path) }
    if isLikelyCrashDamage(text), try await hasSavedContent(path) {
      return found.skip(path, .emptiedByCrash(text))
    }
    found.changes.append(.write(path, text.bytes, executable: text.signature.isExecutable))
  }

  /// The paths, of entries under a filter, at which the disk differs from the index. Only git knows
  /// the filters; if it cannot tell, all of `paths`.
  private func modifiedAccordingToGit(_ paths: Set<EntryPath>) async throws -> Set<EntryPath> {
    guard !paths.isEmpty else { return [] }
    guard let modified = try? await journal.git.statusPaths() else { return paths }
    return paths.filter { modified.contains(journal.gitLocation.repositoryPath($0)) }
  }
}

extension FolderScan {
  /// The folders that the system does not read.
  fileprivate var unreadableFolders: [SkippedFile] {
    unreadable.compactMap { folder in
      folder.path.map {
        SkippedFile(
          path: $0, reason: localized("cannot be read: \(FileError.Reason.system(folder.code))"))
      }
    }
  }
}
