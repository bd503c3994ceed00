import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// Who wrote what is saved.
enum SaveSource: Sendable {
  /// An editor, or any program but Diary.
  case editor
  /// A command, or the watcher itself. It read the file first, so it takes nothing back; and it says
  /// nothing about what an editor shows.
  case command
  /// A command by which the user brings an older text back.
  case restore
}

/// What saves of files that a sync has brought newer versions of become.
struct ReconcileResult: Sendable {
  /// Saved as they are, in the usual way.
  var direct: [FileChange] = []
  /// From an editor that holds an older version: kept as a version of their own first.
  var stale: [FileChange] = []
  /// The same merged with what the branch has; the branch goes on with these.
  var merged: [FileChange] = []
  /// Entries whose merge kept both versions of something.
  var keptBoth: Set<EntryPath> = []
  /// What is to be remembered while it is being kept, and once it is; `nil`: as before.
  var recordsDuringSave: [PendingCheckout]?
  var recordsAfterSave: [PendingCheckout]?
}

extension Journal {
  /// Splits changes into those that are saved as they are and those that came from an editor's old
  /// buffer, so that a late save never takes back what another device wrote. The caller holds the
  /// lock.
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
      // The writer removed a version that the branch has moved on from: the edit wins.
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

  /// Whether the user has seen what the sync brought: no look at a text that is saved already says
  /// so, nor does what a command wrote.
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

  /// What a sitting commits of files that wait: their kept text, not the disk's.
  func pendingContents() async throws -> [EntryPath: FileContents?] {
    var found: [EntryPath: FileContents?] = [:]
    for path in try loadPendingCheckouts().keys {
      let bytes = try await repository.savedContent(path)
      let mode = ((try? folder.signature(of: path)) ?? nil)?.mode ?? 0
      // No file has this size: git looks at the disk for itself.
      let stamp = FileSignature(size: -1, modified: 0, inode: 0, mode: mode)
      found.updateValue(
        bytes.map { FileContents(bytes: $0, signature: stamp, readAt: 0) }, forKey: path)
    }
    return found
  }

  /// Keeps late saves: each as it is, then merged with what the branch has. A kill between the two
  /// leaves a note by which the next save merges it again.
  func saveStaleBuffers(_ result: ReconcileResult, into outcome: inout SaveOutcome) async throws {
    guard !result.stale.isEmpty || result.recordsAfterSave != nil else { return }
    // A note that an arrival is answered must not be on the disk before the save that answers it.
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
