import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// A save of an editor's stale buffer.
struct StaleBufferSave {
  var path: EntryPath
  var bytes: [UInt8]
  var isExecutable: Bool
  /// The version that the editor started from.
  var base: [UInt8]?
  /// The current path of the entry.
  var target: EntryPath
  /// The branch's blob id of the entry.
  var branchBlob: ObjectID
}

extension Journal {
  /// The stale save; `nil` if the user has seen the sync's changes, or the branch has no file.
  func staleSave(
    _ bytes: [UInt8], at path: EntryPath, _ checkout: PendingCheckout
  ) async throws -> StaleBufferSave? {
    if checkout.isGone { return nil }
    if !checkout.isPending {
      if checkout.at < now - PendingCheckout.retentionSeconds { return nil }
      if try await isRepeated(bytes, at: path, checkout) { return nil }
    }
    // Line ends that differ from the checkout's are not a change of the text.
    let bytes = try await repository.checkoutContent(of: bytes, at: path)
    var versions: [[UInt8]] = []
    for blob in checkout.seenBlobs {
      if let seen = try await version(blob, path) { versions.append(seen) }
    }
    var seen = versions.first
    if let brought = try await version(checkout.checkedOutBlob, path) {
      guard path.isMarkdown, EntryMerge.canMerge(bytes),
        let old = staleBufferBase(seen: versions, incoming: brought, saved: bytes)
      else { return nil }
      seen = old
    }
    let target = checkout.target.flatMap(gitLocation.journalPath) ?? path
    guard let onto = try await branchVersion(checkout, target),
      try await version(onto, target) != bytes
    else { return nil }
    let signature = (try? folder.signature(of: path)) ?? nil
    return StaleBufferSave(
      path: path, bytes: bytes, isExecutable: signature?.isExecutable ?? false, base: seen,
      target: target,
      branchBlob: onto)
  }

  /// Merges stale saves with the branch's version, or with the one that the same scan is about to
  /// save. Each is merged on top of the one before.
  func mergeStaleSaves(
    _ staleSaves: [StaleBufferSave], _ positions: [EntryPath: Int], resolved: Set<EntryPath>,
    into result: inout ReconcileResult, during: inout [PendingCheckout],
    after: inout [PendingCheckout]
  ) async throws {
    var direct: [EntryPath: [UInt8]] = [:]
    for case .write(let path, let bytes, _) in result.direct {
      direct[path] = try await repository.checkoutContent(of: bytes, at: path)
    }
    var merged: [EntryPath: FileChange] = [:]
    for save in staleSaves {
      guard let index = positions[save.path] else { continue }
      let (path, target) = (save.path, save.target)
      during[index].onto = save.branchBlob.description
      let id = try await blobID(of: save.bytes, at: path)
      after[index].markPending(disk: id.description, at: now)
      after[index].seen = [id.description]
      after[index].merged = id.description
      var shown = save.branchBlob
      if let bytes = direct[target] { shown = try await blobID(of: bytes, at: target) }
      var onto = try await version(shown, target) ?? []
      if let bytes = direct[target] { onto = bytes }
      if case .write(_, let bytes, _) = merged[target] { onto = bytes }
      if target != path { merged[path] = try await branchChange(path) }
      for change in try await changes(save, onto: onto, into: &result) {
        merged[change.path] = change
        guard change.path != path else { continue }
        // The disk must still be updated to the content that the branch now has.
        let disk = change.path == target ? shown : nil
        let name = gitLocation.repositoryPath(change.path)
        if let index = positions[change.path], !resolved.contains(change.path) {
          if !after[index].isPending { after[index].markPending(disk: disk?.description, at: now) }
        } else if !after[during.count...].contains(where: { $0.path == name }) {
          after.append(PendingCheckout(path: name, disk: disk, at: now))
        }
      }
    }
    result.merged = merged.sorted { $0.key < $1.key }.map(\.value)
  }

  /// True if these bytes were already merged as a stale save, and are saved again although the user
  /// could see the incoming changes. Changes that they remove have been restored once, and are not
  /// restored again.
  private func isRepeated(
    _ bytes: [UInt8], at path: EntryPath, _ checkout: PendingCheckout
  ) async throws -> Bool {
    guard let merged = checkout.merged, now - checkout.at >= PendingCheckout.repeatedSaveSeconds
    else {
      return false
    }
    return try await blobID(of: bytes, at: path).description == merged
  }

  /// True if the file's content is saved already: only its mode or time has changed, or nothing.
  func isSaved(_ bytes: [UInt8], at path: EntryPath) async throws -> Bool {
    let id = try await blobID(of: bytes, at: path)
    return try await savedBlobID(gitLocation.repositoryPath(path)) == id
  }

  // None of the following is inlined: Swift 6.3.1 crashes in a release build when it splits a
  // coroutine that contains these calls.

  /// The branch's state of an entry's old path after a rename: deleted, unless another file has
  /// this path now.
  @inline(never)
  private func branchChange(_ path: EntryPath) async throws -> FileChange {
    guard let tip = try await repository.head().commit,
      let file = try await repository.file(at: path, in: tip)
    else { return .delete(path) }
    let bytes = try await repository.content(of: file.blob, as: path)
    return .write(path, bytes, executable: file.isExecutable)
  }

  /// The changes for the branch: the merged entry, or for content that cannot be merged, a separate
  /// file beside the branch's.
  @inline(never)
  private func changes(
    _ save: StaleBufferSave, onto present: [UInt8], into result: inout ReconcileResult
  ) async throws -> [FileChange] {
    let target = save.target
    result.keptBoth.remove(target)
    guard save.path.isMarkdown,
      [save.base ?? [], save.bytes, present].allSatisfy({ EntryMerge.canMerge($0) })
    else {
      let id = try await blobID(of: save.bytes, at: save.path)
      let separatePath = save.path.conflictCopyPath(contentID: id.description)
      result.keptBoth.insert(target)
      return [
        .write(target, present, executable: save.isExecutable),
        .write(separatePath, save.bytes, executable: save.isExecutable),
      ]
    }
    let merge = EntryMerge(base: save.base, save.bytes, present)
    if merge.hasConflict { result.keptBoth.insert(target) }
    return [.write(target, merge.bytes, executable: save.isExecutable)]
  }

  /// The branch's version of a file for which a save may be stale.
  @inline(never)
  private func branchVersion(_ checkout: PendingCheckout, _ target: EntryPath) async throws
    -> ObjectID?
  {
    if let onto = checkout.branchBlob { return onto }
    return try await savedBlobID(gitLocation.repositoryPath(target))
  }

  @inline(never)
  private func savedBlobID(_ full: EntryPath) async throws -> ObjectID? {
    let saved = try await repository.savedEntry(at: full)
    return saved?.kind.isFile == true ? saved?.id : nil
  }

  @inline(never)
  private func blobID(of bytes: [UInt8], at path: EntryPath) async throws -> ObjectID {
    try await repository.blobID(of: bytes, at: path)
  }

  @inline(never)
  func version(_ blob: ObjectID?, _ path: EntryPath) async throws -> [UInt8]? {
    guard let blob else { return nil }
    return try await repository.content(of: blob, as: path)
  }
}
