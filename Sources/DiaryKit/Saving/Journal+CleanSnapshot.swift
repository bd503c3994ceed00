import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory

/// The folder and git's side of it as one look found them.
struct CleanSnapshot {
  let walk: FolderScan
  /// The same in two looks: nothing was touched in between that decides what there is to save.
  let fingerprint: String
  /// Whether every file had been left alone for long enough that a later write will surely show.
  let isConclusive: Bool
}

extension Journal {
  /// Taken before git is asked what has changed: where git then finds nothing to save, the next save
  /// that sees the same need not ask. `nil` while something stands in the way of a whole look.
  func cleanSnapshot() -> CleanSnapshot? {
    guard deferredCommit == nil, let git = gitLocation.stateSignature() else { return nil }
    let walk = folder.scan(EntryMatcher(settings: settings), includesOthers: true)
    guard walk.unreadable.isEmpty, walk.staleTempFiles.isEmpty else { return nil }
    let lists = [walk.entries, walk.otherFiles, walk.settingsFiles, walk.ignoreFiles]
    let repositories = walk.repositories.map(\.text).joined(separator: " ")
    let newest = lists.joined().map(\.signature.modified).max() ?? 0
    let touched = lists.joined().map(\.statusChangedAt).max() ?? 0
    return CleanSnapshot(
      walk: walk,
      fingerprint: [
        fingerprint(of: lists), git.text, ignoreKey(walk), repositories, "\(savedFiles)",
      ]
      .joined(separator: "\n"),
      // Coarse file systems keep times of two seconds; within one tick of the kernel's clock a second
      // touch leaves the same.
      isConclusive: max(newest, git.newest) + 2_000_000_000 <= walk.startedAt
        && touched + 20_000_000 <= walk.startedAt)
  }

  /// A text that tells one state of these files from another.
  private func fingerprint(of lists: [[FoundFile]]) -> String {
    var bytes: [UInt8] = []
    for list in lists {
      for file in list {
        bytes += file.path.bytes
        bytes.append(0)
        let stamp = file.signature
        // Not the time of writing: what puts that back (`touch -r`, some editors) shows here.
        let fields = (stamp.size, file.statusChangedAt, stamp.inode, UInt64(stamp.mode))
        withUnsafeBytes(of: fields) { bytes += $0 }
      }
      bytes.append(0)
    }
    return contentDigest(bytes)
  }

  /// Whether git was asked before about what this look sees, and there was nothing to save.
  func isUnchangedSinceSave(_ snapshot: CleanSnapshot) -> Bool {
    (try? indexDatabase.metadata("rest")) == snapshot.fingerprint
  }

  /// Remembers that there was nothing to save.
  func recordClean(_ snapshot: CleanSnapshot) {
    guard snapshot.isConclusive, !isUnchangedSinceSave(snapshot) else { return }
    try? indexDatabase.setMetadata("rest", snapshot.fingerprint)
  }
}

extension PendingChanges {
  /// Whether there was nothing to save, and nothing that will be.
  var isEmpty: Bool {
    changes.isEmpty && missing.isEmpty && skipped.isEmpty && stillChanging.isEmpty
  }
}

extension SaveOutcome {
  /// Whether nothing was saved, and nothing waits.
  var isEmpty: Bool {
    commit == nil && deferReason == nil && stagedByUser.isEmpty && indexRepairMessage == nil
  }
}
