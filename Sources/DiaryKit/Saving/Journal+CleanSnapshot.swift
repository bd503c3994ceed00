import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory

/// The state of the folder and of git at one scan.
struct CleanSnapshot {
  let walk: FolderScan
  /// A fingerprint of everything that decides what there is to save.
  let fingerprint: String
  /// True if every file was quiet for so long that a later write must change its times.
  let isConclusive: Bool
}

extension Journal {
  /// A snapshot, taken before git is asked for changes. If git then finds nothing to save, the next
  /// save with an equal snapshot need not ask. `nil` if a complete scan is not possible.
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
      // Coarse file systems store times in steps of two seconds. Within one tick of the kernel's
      // clock, a second change leaves the same time.
      isConclusive: max(newest, git.newest) + 2_000_000_000 <= walk.startedAt
        && touched + 20_000_000 <= walk.startedAt)
  }

  /// A fingerprint of the state of these files.
  private func fingerprint(of lists: [[FoundFile]]) -> String {
    var bytes: [UInt8] = []
    for list in lists {
      for file in list {
        bytes += file.path.bytes
        bytes.append(0)
        let stamp = file.signature
        // Not the modification time, which some tools set back (`touch -r`, some editors).
        let fields = (stamp.size, file.statusChangedAt, stamp.inode, UInt64(stamp.mode))
        withUnsafeBytes(of: fields) { bytes += $0 }
      }
      bytes.append(0)
    }
    return contentDigest(bytes)
  }

  /// True if an earlier save found the same state, asked git, and had nothing to save.
  func isUnchangedSinceSave(_ snapshot: CleanSnapshot) -> Bool {
    (try? indexDatabase.metadata("rest")) == snapshot.fingerprint
  }

  /// Records that there was nothing to save.
  func recordClean(_ snapshot: CleanSnapshot) {
    guard snapshot.isConclusive, !isUnchangedSinceSave(snapshot) else { return }
    try? indexDatabase.setMetadata("rest", snapshot.fingerprint)
  }
}

extension PendingChanges {
  /// True if there is nothing to save, now or later.
  var isEmpty: Bool {
    changes.isEmpty && missing.isEmpty && skipped.isEmpty && stillChanging.isEmpty
  }
}

extension SaveOutcome {
  /// True if nothing was saved and nothing is deferred.
  var isEmpty: Bool {
    commit == nil && deferReason == nil && stagedByUser.isEmpty && indexRepairMessage == nil
  }
}
