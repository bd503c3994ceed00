import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Localization

/// What a look at some paths found to save, and what it left alone.
struct PendingChanges: Sendable {
  /// The look itself.
  let scan: SaveScan
  var changes: [FileChange] = []
  /// Gone from the disk although the branch has them, and too many at once, or without a sure sign
  /// that someone deleted them.
  var missing: [EntryPath] = []
  /// The new path of each file that moved; what went is among the changes.
  var moved: [EntryPath: EntryPath] = [:]
  /// Entries that git ignores.
  var ignored: [EntryPath] = []
  /// Left out for a reason that the writer should hear.
  var skipped: [SkippedFile] = []
  /// Written while they were read, so that the bytes may be half of two versions: looked at later.
  var stillChanging: [EntryPath] = []

  /// The files whose text is to be saved.
  var written: [EntryPath] {
    changes.compactMap { change in
      if case .write(let path, _, _) = change { path } else { nil }
    }
  }
}

/// A file that is not saved, and why.
package struct SkippedFile: Sendable, Hashable {
  /// The file.
  package var path: EntryPath
  /// Why, as the rest of a sentence that begins with the path.
  package var reason: String
}

/// The size over which a file is left out of the repository: 50 MB, as git hosts recommend.
let maxSavedFileSize: Int64 = 50 << 20

extension Journal {
  /// Scans `paths` and says what of it is to be saved.
  ///
  /// - Parameter sureDeletions: paths that a command has deleted itself, or all of them when the writer
  ///   has confirmed what is missing.
  /// - Parameter named: paths that git itself has just named as changed, or that a command has written:
  ///   whether git ignores them is not asked.
  func collectChanges(
    _ paths: [EntryPath], atStart: Bool, deletions: DeletionPolicy = .verify,
    notIgnored: Set<EntryPath> = []
  ) async throws -> PendingChanges {
    try await changes(
      in: try await scan(paths, notIgnored: notIgnored), atStart: atStart, deletions: deletions)
  }

  /// The same for everything that may differ from what is kept: what git sees, and what is pending,
  /// for git knows nothing of a file that was begun, saved and deleted again within one sitting.
  func collectAllChanges(
    deletions: DeletionPolicy = .verify
  ) async throws -> PendingChanges {
    let changed = try await Set(changedInGit())
    let pending = try await repository.pending()
    let paths = changed.union(pending.map(\.path)).sorted()
    return try await changes(
      in: try await scan(paths, notIgnored: changed, pending: pending), atStart: true,
      deletions: deletions)
  }

  private func changes(
    in scan: SaveScan, atStart: Bool, deletions: DeletionPolicy
  ) async throws -> PendingChanges {
    var found = PendingChanges(scan: scan)
    let candidates = scan.candidates.values.sorted { $0.path < $1.path }
    let modified = try await modifiedAccordingToGit(
      Set(candidates.filter { $0.filter != nil }.map(\.path)))
    var absent: [EntryPath] = []
    for candidate in candidates {
      let path = candidate.path
      if candidate.isIgnored, candidate.kind == .entry { found.ignored.append(path) }
      if candidate.isIgnored || candidate.isInOtherRepository || candidate.isPendingCheckout {
        continue
      }
      if let filter = candidate.filter {
        guard modified.contains(path) else { continue }
        found.skipped.append(
          SkippedFile(
            path: path, reason: localized("is under \(filter), which Diary leaves to git")))
        continue
      }
      switch candidate.content {
      case .file(let text): try await add(text, of: candidate, to: &found)
      case .absent: absent.append(path)
      case .unreadable(let reason): found.skipped.append(SkippedFile(path: path, reason: reason))
      case .unread: break
      }
    }
    try await classifyDeletions(absent, atStart: atStart, policy: deletions, into: &found)
    return found
  }

  @inline(never)
  private func add(
    _ text: FileContents, of candidate: SaveCandidate, to found: inout PendingChanges
  ) async throws {
    let path = candidate.path
    if found.scan.blanks[path.text].map({ Array($0.utf8) == text.bytes }) == true { return }
    // The list of another journal inside this one; Diary makes it anew all the time.
    if EntryMatcher.isGeneratedList(text.bytes[...]), candidate.kind == .entry { return }
    guard text.isConsistent else { return found.stillChanging.append(path) }
    if isLikelyCrashDamage(text), try await hasSavedContent(path) {
      return found.skipped.append(
        SkippedFile(
          path: path,
          reason: localized(
            "was emptied when the machine stopped; get its last version with git, "
              + "or `touch` it to save it empty")))
    }
    found.changes.append(.write(path, text.bytes, executable: text.signature.isExecutable))
  }

  /// Those of `paths`, entries under a filter, of which the disk shows something else than the
  /// index names; only git, which knows the filters, can say it. All of them where git cannot.
  @inline(never)
  private func modifiedAccordingToGit(_ paths: Set<EntryPath>) async throws -> Set<EntryPath> {
    guard !paths.isEmpty else { return [] }
    guard let modified = try? await git.statusPaths() else { return paths }
    return paths.filter { modified.contains(gitLocation.repositoryPath($0)) }
  }
}
