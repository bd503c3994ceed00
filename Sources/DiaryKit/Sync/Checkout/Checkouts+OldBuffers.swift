import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// A save of an editor's old buffer.
struct OldBufferSave {
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

extension Checkouts {
  /// The save of an old buffer; `nil` if the user has seen the sync's changes, or the branch has no
  /// file. A version that the repository lacks, because it was purged, is no evidence of anything.
  ///
  /// - Parameters:
  ///   - known: all records, one of which may be for the entry's current path.
  ///   - formerPath: the path from which the file moved in this save.
  func oldBufferSave(
    _ bytes: [UInt8], at path: EntryPath, _ checkout: CheckoutRecord, _ known: [CheckoutRecord],
    _ formerPath: EntryPath?
  ) async throws -> OldBufferSave? {
    // Line ends that differ from the checkout's are not a change of the text.
    let bytes = try await journal.repository.checkoutContent(of: bytes, at: path)
    var (versions, returned): ([[UInt8]], [[UInt8]]) = ([], [])
    for blob in checkout.seenBlobs {
      guard let seen = await version(blob, path) else { continue }
      versions.append(seen)
      if checkout.returned?.contains(blob.description) ?? false { returned.append(seen) }
    }
    var target = checkout.target.flatMap(journal.gitLocation.journalPath) ?? path
    var onto = try await savedBlobID(target)
    // A sync that was killed before it moved the branch has only recorded the new path.
    if onto == nil, target != path, checkout.isWaiting, let blob = try await savedBlobID(path) {
      (target, onto) = (path, blob)
    }
    // After a kill between the save of an old buffer and its merge, the saved text is that buffer,
    // of this file or of one that the user has created at the entry's current path.
    let other = target == path ? nil : known.first { $0.name == checkoutName(target) }
    for record in [checkout, other].compactMap(\.self) {
      if let branchBlob = record.branchBlob,
        onto == nil || onto?.description == record.returned?.last
      {
        onto = branchBlob
      }
    }
    if onto == nil, let formerPath { onto = try await savedBlobID(formerPath) }
    // A file that came back after a deletion, here or by a sync, is the old one only if it is
    // similar.
    if checkout.isGone || onto == nil {
      guard target != path || checkout.brought != nil,
        versions.contains(where: { isBased(bytes, on: $0) })
      else { return nil }
    }
    if onto == nil { onto = checkout.checkedOutBlob }
    guard let onto, let present = await version(onto, target), present != bytes else { return nil }
    // Without the entry at its new path, the user has moved the file back.
    if target != path, other?.isWaiting != true {
      guard let there = try? journal.folder.read(target), isBased(there.bytes, on: present)
      else { return nil }
    }
    func olderBase(_ incoming: [UInt8]) -> [UInt8]? {
      oldBufferBase(seen: versions, returned: returned, incoming: incoming, saved: bytes)
    }
    let last = versions.last
    let base: [UInt8]?
    if checkout.isGone {
      base = olderBase(present) ?? last
    } else if let brought = checkout.checkedOutBlob {
      guard let incoming = await version(brought, path), let older = olderBase(incoming) else {
        return nil
      }
      base = older
    } else if let disk = checkout.disk, disk == checkout.returned?.last {
      // The buffer whose last save is on disk continues from that save.
      base = last
    } else {
      // The checkout waits; an earlier one may have replaced what the editor shows.
      base = last.flatMap(olderBase) ?? last
    }
    let signature = (try? journal.folder.signature(of: path)) ?? nil
    return OldBufferSave(
      path: path, bytes: bytes, isExecutable: signature?.isExecutable ?? false, base: base,
      target: target, branchBlob: onto)
  }

  /// Merges saves of old buffers with the branch's version, or with the one that the same scan is
  /// about to save. Each is merged on top of the one before.
  func mergeOldBufferSaves(
    _ oldBufferSaves: [OldBufferSave], _ positions: [String: Int], resolved: Set<String>,
    _ today: Int, into result: inout ReconcileResult, during: inout [CheckoutRecord],
    after: inout [CheckoutRecord]
  ) async throws {
    guard !oldBufferSaves.isEmpty else { return }
    var direct: [EntryPath: [UInt8]] = [:]
    for case .write(let path, let bytes, _) in result.direct {
      direct[path] = try await journal.repository.checkoutContent(of: bytes, at: path)
    }
    var merged: [EntryPath: FileChange] = [:]
    for save in oldBufferSaves {
      guard let index = positions[checkoutName(save.path)] else { continue }
      let (path, target) = (save.path, save.target)
      let id = try await journal.repository.blobID(of: save.bytes, at: path)
      during[index].markMerging(id, onto: save.branchBlob)
      after[index].markMerged(id, at: journal.now, day: today)
      var shown = save.branchBlob
      if let bytes = direct[target] {
        shown = try await journal.repository.blobID(of: bytes, at: target)
      }
      var onto = await version(shown, target) ?? []
      if let bytes = direct[target] { onto = bytes }
      if case .write(_, let bytes, _) = merged[target] { onto = bytes }
      if target != path { merged[path] = try await branchChange(path) }
      for change in try await changes(save, onto: onto, into: &result) {
        merged[change.path] = change
        guard change.path != path else { continue }
        // The disk must still be updated to the content that the branch now has.
        let disk = change.path == target ? shown : nil
        let name = checkoutName(change.path)
        if let index = positions[name], !resolved.contains(name) {
          if !after[index].isWaiting {
            after[index].markWaiting(disk: disk?.description, at: journal.now, day: today)
          }
        } else if !after[during.count...].contains(where: { $0.name == name }) {
          let place = journal.gitLocation.repositoryPath(change.path)
          after.append(CheckoutRecord(path: place, disk: disk, at: journal.now, day: today))
        }
      }
    }
    result.merged = merged.sorted { $0.key < $1.key }.map(\.value)
  }

  /// True if the save deletes incoming text on purpose: the text has come back once, and other
  /// bytes lack it and add no word. The same bytes may be the same old buffer.
  func isDeletion(_ save: OldBufferSave, _ checkout: CheckoutRecord) async throws -> Bool {
    guard let returned = checkout.returned, checkout.onto == nil, !checkout.isWaiting,
      save.target == save.path,
      abs(journal.now - checkout.at) >= CheckoutRecord.repeatedSaveSeconds,
      let brought = await version(checkout.checkedOutBlob, save.path)
    else { return false }
    let id = try await journal.repository.blobID(of: save.bytes, at: save.path)
    return !returned.contains(id.description) && hasNoNewWords(save.bytes, beyond: brought)
  }

  /// The branch's state of an entry's old path after a rename: deleted, unless another file has
  /// this path now.
  private func branchChange(_ path: EntryPath) async throws -> FileChange {
    guard let tip = try await journal.repository.head().commit,
      let file = try await journal.repository.file(at: path, in: tip)
    else { return .delete(path) }
    let bytes = try await journal.repository.content(of: file.blob, as: path)
    return .write(path, bytes, executable: file.isExecutable)
  }

  /// The changes for the branch: the merged entry, or for content that cannot be merged, a separate
  /// file beside the branch's.
  private func changes(
    _ save: OldBufferSave, onto present: [UInt8], into result: inout ReconcileResult
  ) async throws -> [FileChange] {
    let target = save.target
    result.keptBoth.remove(target)
    guard save.path.isMarkdown,
      [save.base ?? [], save.bytes, present].allSatisfy({ EntryMerge.canMerge($0) })
    else {
      let id = try await journal.repository.blobID(of: save.bytes, at: save.path)
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

  private func savedBlobID(_ path: EntryPath) async throws -> ObjectID? {
    let saved = try await journal.repository.savedEntry(
      at: journal.gitLocation.repositoryPath(path))
    return saved?.kind.isFile == true ? saved?.id : nil
  }

  /// The bytes of a version; `nil` if the repository cannot read it.
  func version(_ blob: ObjectID?, _ path: EntryPath) async -> [UInt8]? {
    guard let blob else { return nil }
    return try? await journal.repository.content(of: blob, as: path)
  }
}
