import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// The source of a save.
enum SaveSource: Sendable {
  /// An editor, or any program except Diary.
  case editor
  /// A command, or the watcher itself. Bytes that Diary wrote give no evidence of what an editor
  /// shows, and revert nothing. Other bytes are an editor's.
  case command
  /// A command with which the user restores an older text, likewise.
  case restore
}

/// The result of reconciling saves with files that a sync has updated.
struct ReconcileResult: Sendable {
  /// Changes that are saved as they are.
  var direct: [FileChange] = []
  /// Changes from editors that show an older version, saved as separate versions first.
  var oldBuffers: [FileChange] = []
  /// These changes merged with the branch's versions. The branch continues with them.
  var merged: [FileChange] = []
  /// Entries whose merge kept two versions of a passage.
  var keptBoth: Set<EntryPath> = []
  /// Entries from which the user deleted incoming text that had come back once.
  var deleted: [EntryPath] = []
  /// The records to write during the save, and after it; `nil` for no change.
  var recordsDuringSave: [CheckoutRecord]?
  var recordsAfterSave: [CheckoutRecord]?
}

extension Integration {
  /// Separates changes that are saved as they are from changes of an editor's old buffer, so that
  /// such a save never reverts the text of another device.
  ///
  /// - Parameter moved: the new path of each file that moved; its record has followed.
  func reconcile(
    _ changes: [FileChange], moved: [EntryPath: EntryPath] = [:], with known: [CheckoutRecord],
    from source: SaveSource
  ) async throws -> ReconcileResult {
    var result = ReconcileResult()
    let written = changes.map { journal.folder.takeWrittenText(at: $0.path) }
    guard !known.isEmpty else {
      result.direct = changes
      return result
    }
    let today = dayOfUse()
    let formerPaths = Dictionary(moved.map { ($1, $0) }) { first, _ in first }
    let positions = Dictionary(
      known.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    var oldBufferSaves: [OldBufferSave] = []
    var resolved: Set<String> = []
    for (change, written) in zip(changes, written) {
      let name = journal.checkouts.checkoutName(change.path)
      guard let checkout = positions[name].map({ known[$0] }), !checkout.isExpired(on: today)
      else {
        result.direct.append(change)
        continue
      }
      guard case .write(let path, let bytes, _) = change else {
        // The user removed a version that the branch has replaced since: the edit wins. The record
        // of a finished checkout stays, because the file may come back with its old text.
        if !checkout.isWaiting { result.direct.append(change) }
        continue
      }
      let save = try await journal.checkouts.oldBufferSave(
        bytes, at: path, checkout, known, formerPaths[path])
      var isOwn = source != .editor && !checkout.isWaiting
      if isOwn { isOwn = try await isOwnText(bytes, written) }
      var isDeletion = false
      if let save, !isOwn { isDeletion = try await journal.checkouts.isDeletion(save, checkout) }
      if let save, !isOwn, !isDeletion {
        oldBufferSaves.append(save)
        result.oldBuffers.append(change)
        continue
      }
      result.direct.append(change)
      if isDeletion { result.deleted.append(path) }
      var isResolved = checkout.isWaiting || isOwn && source == .restore && save != nil
      if !isResolved, !isOwn {
        isResolved = try await isNewText(bytes, at: path, formerPaths[path])
      }
      if isResolved { resolved.insert(name) }
    }
    var (during, after) = (known, known)
    try await journal.checkouts.mergeOldBufferSaves(
      oldBufferSaves, positions, resolved: resolved, today, into: &result, during: &during,
      after: &after)
    if !oldBufferSaves.isEmpty { result.recordsDuringSave = during }
    let open = after[..<known.count].filter {
      !resolved.contains($0.name) && !$0.isExpired(on: today)
    }
    if !oldBufferSaves.isEmpty || open.count < known.count {
      result.recordsAfterSave = open + after[known.count...]
    }
    return result
  }

  /// True if Diary wrote these bytes to a new file or over a saved text. Over an unsaved text, an
  /// editor's old buffer may be among them.
  private func isOwnText(_ bytes: [UInt8], _ written: WrittenText?) async throws -> Bool {
    guard let written, written.matches(bytes) else { return false }
    guard let replaced = written.replaced else { return true }
    return try await journal.repository.isSaved(replaced, at: written.origin)
  }

  /// True if the text was not saved before, here or at the path from which the file moved. A scan
  /// of a saved text is no evidence that the user has seen the incoming changes.
  private func isNewText(
    _ bytes: [UInt8], at path: EntryPath, _ formerPath: EntryPath?
  ) async throws -> Bool {
    for place in [path, formerPath].compactMap(\.self) {
      let id = try await journal.repository.blobID(of: bytes, at: place)
      if try await journal.repository.savedBlobs(at: [place])[place] == id { return false }
    }
    return true
  }

  /// Finishes the merges of old buffers that a killed process has saved without their merges. The
  /// file may have been deleted or changed since, so this looks only at what is saved.
  func finishMerges() async throws {
    for checkout in journal.state.checkouts.read() where checkout.onto != nil {
      guard let path = checkout.path.flatMap(journal.gitLocation.journalPath) else { continue }
      // A merge that cannot be saved, as in a folder that became another repository, is tried again
      // at the next lock. It does not keep the others from being finished.
      try? await finishMerge(at: path)
    }
  }

  private func finishMerge(at path: EntryPath) async throws {
    // Another merge may have changed the records and what is saved.
    let known = try journal.state.checkouts.load()
    guard let saved = try await journal.repository.savedFiles(at: [path])[path],
      known.contains(where: { checkout in
        checkout.onto != nil && checkout.returned?.last == saved.id.description
          && checkout.path.flatMap(journal.gitLocation.journalPath) == path
      }), let bytes = await journal.checkouts.version(saved.id, path)
    else { return }
    var outcome = SaveOutcome()
    let change = FileChange.write(path, bytes, executable: saved.isExecutable)
    try await saveOldBuffers(
      try await reconcile([change], with: known, from: .editor), into: &outcome)
  }

  /// The content of files that a sitting commits as they were saved, and not as they are on disk:
  /// those that wait for a checkout, or `all` pending ones.
  func savedContents(ofAll all: Bool) async throws -> [EntryPath: FileContents?] {
    var found: [EntryPath: FileContents?] = [:]
    var paths = Set(try journal.checkouts.loadWaitingCheckouts().keys)
    if all { paths.formUnion(try await journal.repository.pending().map(\.path)) }
    if paths.isEmpty { return [:] }
    let saved = try await journal.repository.savedFiles(at: paths.sorted())
    for path in paths {
      guard let file = saved[path] else {
        found.updateValue(nil, forKey: path)
        continue
      }
      // A version that cannot be read stays pending.
      guard let bytes = try? await journal.repository.content(of: file.id, as: path) else {
        continue
      }
      // No file has this size, so git reads the file on disk itself.
      let stamp = FileSignature(
        size: -1, modified: 0, inode: 0, mode: file.isExecutable ? 0o755 : 0o644)
      found[path] = FileContents(bytes: bytes, signature: stamp, readAt: 0)
    }
    return found
  }

  /// Saves old buffers: each as it is, then merged with the branch's version. After a kill
  /// between the two, the next command finishes the merge (``finishMerges()``).
  func saveOldBuffers(_ result: ReconcileResult, into outcome: inout SaveOutcome) async throws {
    outcome.deletedAgain += result.deleted
    guard !result.oldBuffers.isEmpty || result.recordsAfterSave != nil else { return }
    // A record of a resolved checkout must not be on disk before the save that resolves it.
    try await journal.repository.endFlush()
    if !result.oldBuffers.isEmpty {
      if let during = result.recordsDuringSave {
        try writeCheckoutRecords(during)
      }
      _ = try await saver.writeSave(result.oldBuffers)
      _ = try await saver.writeSave(result.merged)
      try await addReviews(result.keptBoth.sorted())
      outcome.remergedEntries += result.oldBuffers.map(\.path).sorted()
      outcome.saved += Set(result.oldBuffers.map(\.path)).union(result.merged.map(\.path)).sorted()
    }
    guard let after = result.recordsAfterSave else { return }
    try writeCheckoutRecords(after)
    outcome.hasWaitingCheckouts = after.contains(where: \.isWaiting)
  }
}
