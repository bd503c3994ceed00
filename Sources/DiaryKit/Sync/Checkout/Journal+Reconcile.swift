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
  var plain: [FileChange] = []
  /// From an editor that holds an older version: kept as a version of their own first.
  var old: [FileChange] = []
  /// The same merged with what the branch has; the branch goes on with these.
  var merged: [FileChange] = []
  /// Entries whose merge kept both versions of something.
  var keptBoth: Set<EntryPath> = []
  /// What is to be remembered while it is being kept, and once it is; `nil`: as before.
  var during: [PendingCheckout]?
  var after: [PendingCheckout]?
}

extension Journal {
  /// Splits changes into those that are saved as they are and those that came from an editor's old
  /// buffer, so that a late save never takes back what another device wrote. The caller holds the
  /// lock.
  func reconciled(
    _ changes: [FileChange], knowing known: [PendingCheckout], from source: SaveSource
  ) async throws -> ReconcileResult {
    var result = ReconcileResult()
    guard !known.isEmpty else {
      result.plain = changes
      return result
    }
    var places: [EntryPath: Int] = [:]
    for (index, checkout) in known.enumerated() {
      if let path = checkout.path.flatMap(gitLocation.inJournal) { places[path] = index }
    }
    var late: [StaleBufferSave] = []
    var answered: Set<EntryPath> = []
    for change in changes {
      guard let checkout = places[change.path].map({ known[$0] }) else {
        result.plain.append(change)
        continue
      }
      // The writer removed a version that the branch has moved on from: the edit wins.
      if case .delete = change, checkout.isWaiting { continue }
      guard case .write(let path, let bytes, _) = change else {
        result.plain.append(change)
        answered.insert(change.path)
        continue
      }
      let save = try await lateSave(bytes, at: path, checkout)
      if let save, source != .restore {
        late.append(save)
        result.old.append(change)
        continue
      }
      result.plain.append(change)
      if try await answers(checkout, bytes, takesBack: save != nil, from: source) {
        answered.insert(path)
      }
    }
    var (during, after) = (known, known)
    try await merge(
      late, places, answered: answered, into: &result, during: &during, after: &after)
    if !late.isEmpty { result.during = during }
    let open = after[..<known.count].filter { checkout in
      guard let path = checkout.path.flatMap(gitLocation.inJournal) else { return true }
      return !answered.contains(path)
    }
    let left = open + after[known.count...]
    if !late.isEmpty || left != known { result.after = left }
    return result
  }

  /// Whether the user has seen what the sync brought: no look at a text that is saved already says
  /// so, nor does what a command wrote.
  private func answers(
    _ checkout: PendingCheckout, _ bytes: [UInt8], takesBack: Bool, from source: SaveSource
  ) async throws -> Bool {
    guard !checkout.isWaiting, let path = checkout.path.flatMap(gitLocation.inJournal) else {
      return true
    }
    switch source {
    case .restore: return takesBack
    case .command: return false
    case .editor: return try await !isSaved(bytes, at: path)
    }
  }

  /// What a sitting commits of files that wait: their kept text, not the disk's.
  func waitingContents() async throws -> [EntryPath: FileContents?] {
    var found: [EntryPath: FileContents?] = [:]
    for path in try waitingArrivals().keys {
      let bytes = try await repository.savedContent(path)
      let mode = ((try? folder.stamp(path)) ?? nil)?.mode ?? 0
      // No file has this size: git looks at the disk for itself.
      let stamp = FileSignature(size: -1, modified: 0, inode: 0, mode: mode)
      found.updateValue(
        bytes.map { FileContents(bytes: $0, stamp: stamp, readAt: 0) }, forKey: path)
    }
    return found
  }

  /// Keeps late saves: each as it is, then merged with what the branch has. A kill between the two
  /// leaves a note by which the next save merges it again.
  func keepLate(_ late: ReconcileResult, into outcome: inout SaveOutcome) async throws {
    guard !late.old.isEmpty || late.after != nil else { return }
    // A note that an arrival is answered must not be on the disk before the save that answers it.
    try await repository.endFlush()
    if !late.old.isEmpty {
      if let during = late.during { try pendingCheckouts.write(during) }
      _ = try await keepNow(late.old)
      _ = try await keepNow(late.merged)
      try await note(reviews: late.keptBoth.sorted())
      outcome.mergedAgain += late.old.map(\.path).sorted()
      outcome.saved += Set(late.old.map(\.path)).union(late.merged.map(\.path)).sorted()
    }
    guard let after = late.after else { return }
    try setArrivals(after)
    outcome.hasPendingCheckouts = after.contains(where: \.isWaiting)
  }
}
