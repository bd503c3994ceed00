import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// The source of a save.
enum SaveSource: Sendable {
  /// An editor, or any program except Diary.
  case editor
  /// A command, or the watcher itself. It read the file first, so its save reverts nothing. It
  /// gives no evidence of what an editor shows.
  case command
  /// A command with which the user restores an older text.
  case restore
}

/// The result of reconciling saves with files that a sync has updated.
struct ReconcileResult: Sendable {
  /// Changes that are saved as they are.
  var direct: [FileChange] = []
  /// Changes from editors that show an older version, saved as separate versions first.
  var stale: [FileChange] = []
  /// These changes merged with the branch's versions. The branch continues with them.
  var merged: [FileChange] = []
  /// Entries whose merge kept two versions of a passage.
  var keptBoth: Set<EntryPath> = []
  /// The records to write during the save, and after it; `nil` for no change.
  var recordsDuringSave: [PendingCheckout]?
  var recordsAfterSave: [PendingCheckout]?
}

extension Journal {
  /// Separates changes that are saved as they are from changes of an editor's stale buffer, so that
  /// a stale save never reverts the text of another device. The caller holds the lock.
  func reconcile(
    _ changes: [FileChange], with known: [PendingCheckout], from source: SaveSource
  ) async throws -> ReconcileResult {
    var result = ReconcileResult()
    guard !known.isEmpty else {
      result.direct = changes
      return result
    }
    var positions: [EntryPath: Int] = [:]
    for (index, checkout) in known.enumerated() {
      if let path = checkout.path.flatMap(gitLocation.journalPath) { positions[path] = index }
    }
    var staleSaves: [StaleBufferSave] = []
    var resolved: Set<EntryPath> = []
    for change in changes {
      guard let checkout = positions[change.path].map({ known[$0] }) else {
        result.direct.append(change)
        continue
      }
      // The user removed a version that the branch has replaced since: the edit wins.
      if case .delete = change, checkout.isPending { continue }
      guard case .write(let path, let bytes, _) = change else {
        result.direct.append(change)
        resolved.insert(change.path)
        continue
      }
      let save = try await staleSave(bytes, at: path, checkout)
      if let save, source != .restore {
        staleSaves.append(save)
        result.stale.append(change)
        continue
      }
      result.direct.append(change)
      if try await isResolved(checkout, bytes, revertsChanges: save != nil, from: source) {
        resolved.insert(path)
      }
    }
    var (during, after) = (known, known)
    try await mergeStaleSaves(
      staleSaves, positions, resolved: resolved, into: &result, during: &during, after: &after)
    if !staleSaves.isEmpty { result.recordsDuringSave = during }
    let open = after[..<known.count].filter { checkout in
      guard let path = checkout.path.flatMap(gitLocation.journalPath) else { return true }
      return !resolved.contains(path)
    }
    let remaining = open + after[known.count...]
    if !staleSaves.isEmpty || remaining != known { result.recordsAfterSave = remaining }
    return result
  }

  /// True if the user has seen the incoming changes. A scan of a text that is saved already is no
  /// evidence of that, and neither is a file that a command wrote.
  private func isResolved(
    _ checkout: PendingCheckout, _ bytes: [UInt8], revertsChanges: Bool, from source: SaveSource
  ) async throws -> Bool {
    guard !checkout.isPending, let path = checkout.path.flatMap(gitLocation.journalPath) else {
      return true
    }
    switch source {
    case .restore: return revertsChanges
    case .command: return false
    case .editor: return try await !isSaved(bytes, at: path)
    }
  }

  /// The content of pending files that a sitting commits: their saved text, not the disk's.
  func pendingContents() async throws -> [EntryPath: FileContents?] {
    var found: [EntryPath: FileContents?] = [:]
    for path in try loadPendingCheckouts().keys {
      let bytes = try await repository.savedContent(path)
      let mode = ((try? folder.signature(of: path)) ?? nil)?.mode ?? 0
      // No file has this size, so git reads the file on disk itself.
      let stamp = FileSignature(size: -1, modified: 0, inode: 0, mode: mode)
      found.updateValue(
        bytes.map { FileContents(bytes: $0, signature: stamp, readAt: 0) }, forKey: path)
    }
    return found
  }

  /// Saves stale buffers: each as it is, then merged with the branch's version. After a kill
  /// between the two, the record makes the next save merge it again.
  func saveStaleBuffers(_ result: ReconcileResult, into outcome: inout SaveOutcome) async throws {
    guard !result.stale.isEmpty || result.recordsAfterSave != nil else { return }
    // A record of a resolved checkout must not be on disk before the save that resolves it.
    try await repository.endFlush()
    if !result.stale.isEmpty {
      if let during = result.recordsDuringSave { try checkoutRecords.write(during) }
      _ = try await writeSave(result.stale)
      _ = try await writeSave(result.merged)
      try await addReviews(result.keptBoth.sorted())
      outcome.remergedEntries += result.stale.map(\.path).sorted()
      outcome.saved += Set(result.stale.map(\.path)).union(result.merged.map(\.path)).sorted()
    }
    guard let after = result.recordsAfterSave else { return }
    try writeCheckoutRecords(after)
    outcome.hasPendingCheckouts = after.contains(where: \.isPending)
  }
}
