import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// A save from an editor's old buffer.
struct StaleBufferSave {
  var path: EntryPath
  var bytes: [UInt8]
  var isExecutable: Bool
  /// The version that it was written from.
  var seen: [UInt8]?
  /// Where the entry is now.
  var target: EntryPath
  /// What the branch has of it.
  var onto: ObjectID
}

extension Journal {
  /// `nil` when the writer has seen what the sync brought, or the branch has nothing there.
  func lateSave(
    _ bytes: [UInt8], at path: EntryPath, _ checkout: PendingCheckout
  ) async throws -> StaleBufferSave? {
    if checkout.isGone { return nil }
    if !checkout.isWaiting {
      if checkout.at < now - PendingCheckout.rememberedFor { return nil }
      if try await isRepeated(bytes, at: path, checkout) { return nil }
    }
    // Line ends that differ from a checkout's are no other words.
    let bytes = try await repository.asCheckedOut(bytes, at: path)
    var versions: [[UInt8]] = []
    for blob in checkout.seenBlobs {
      if let seen = try await version(blob, path) { versions.append(seen) }
    }
    var seen = versions.first
    if let brought = try await version(checkout.broughtBlob, path) {
      guard path.isMarkdown, EntryMerge.canMerge(bytes),
        let old = oldBuffer(seen: versions, brought: brought, saved: bytes)
      else { return nil }
      seen = old
    }
    let target = checkout.target.flatMap(gitLocation.inJournal) ?? path
    guard let onto = try await branchVersion(checkout, target),
      try await version(onto, target) != bytes
    else { return nil }
    let stamp = (try? folder.stamp(path)) ?? nil
    return StaleBufferSave(
      path: path, bytes: bytes, isExecutable: stamp?.isExecutable ?? false, seen: seen,
      target: target,
      onto: onto)
  }

  /// Merges late saves with what the branch has, or is about to have from the same look at the disk,
  /// each on top of the one before.
  func merge(
    _ late: [StaleBufferSave], _ places: [EntryPath: Int], answered: Set<EntryPath>,
    into result: inout ReconcileResult, during: inout [PendingCheckout],
    after: inout [PendingCheckout]
  ) async throws {
    var plain: [EntryPath: [UInt8]] = [:]
    for case .write(let path, let bytes, _) in result.plain {
      plain[path] = try await repository.asCheckedOut(bytes, at: path)
    }
    var merged: [EntryPath: FileChange] = [:]
    for save in late {
      guard let index = places[save.path] else { continue }
      let (path, target) = (save.path, save.target)
      during[index].onto = save.onto.description
      let name = try await blobID(of: save.bytes, at: path)
      after[index].wait(showing: name.description, at: now)
      after[index].seen = [name.description]
      after[index].merged = name.description
      var shown = save.onto
      if let bytes = plain[target] { shown = try await blobID(of: bytes, at: target) }
      var onto = try await version(shown, target) ?? []
      if let bytes = plain[target] { onto = bytes }
      if case .write(_, let bytes, _) = merged[target] { onto = bytes }
      if target != path { merged[path] = try await branchChange(path) }
      for change in try await changes(save, onto: onto, into: &result) {
        merged[change.path] = change
        guard change.path != path else { continue }
        // The disk is still to show what the branch goes on with.
        let disk = change.path == target ? shown : nil
        let name = gitLocation.inRepository(change.path)
        if let index = places[change.path], !answered.contains(change.path) {
          if !after[index].isWaiting { after[index].wait(showing: disk?.description, at: now) }
        } else if !after[during.count...].contains(where: { $0.path == name }) {
          after.append(PendingCheckout(path: name, disk: disk, at: now))
        }
      }
    }
    result.merged = merged.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Whether these bytes were merged as a late save before, and are saved again although the user
  /// could see what came in the meantime. What they take away has come back once; it does not come
  /// back again.
  private func isRepeated(
    _ bytes: [UInt8], at path: EntryPath, _ checkout: PendingCheckout
  ) async throws -> Bool {
    guard let merged = checkout.merged, now - checkout.at >= PendingCheckout.seenAfter else {
      return false
    }
    return try await blobID(of: bytes, at: path).description == merged
  }

  /// Whether the file's content is saved already: its mode or time has changed, or nothing at all.
  func isSaved(_ bytes: [UInt8], at path: EntryPath) async throws -> Bool {
    let name = try await blobID(of: bytes, at: path)
    return try await keptName(gitLocation.inRepository(path)) == name
  }

  // None of what follows is inlined: Swift 6.3.1 crashes in a release build when it splits a coroutine
  // that has these calls inside.

  /// The entry has moved on: under its old name it is a version, and no file, unless another one came
  /// to stand there.
  @inline(never)
  private func branchChange(_ path: EntryPath) async throws -> FileChange {
    guard let tip = try await repository.head().commit,
      let file = try await repository.file(at: path, in: tip)
    else { return .delete(path) }
    let bytes = try await repository.content(of: file.blob, as: path)
    return .write(path, bytes, executable: file.isExecutable)
  }

  /// What the branch goes on with: the merged entry; of what cannot be merged, a file of its own
  /// beside the branch's.
  @inline(never)
  private func changes(
    _ save: StaleBufferSave, onto present: [UInt8], into result: inout ReconcileResult
  ) async throws -> [FileChange] {
    let target = save.target
    result.keptBoth.remove(target)
    guard save.path.isMarkdown,
      [save.seen ?? [], save.bytes, present].allSatisfy({ EntryMerge.canMerge($0) })
    else {
      let name = try await blobID(of: save.bytes, at: save.path)
      let apart = save.path.apart(by: name.description)
      result.keptBoth.insert(target)
      return [
        .write(target, present, executable: save.isExecutable),
        .write(apart, save.bytes, executable: save.isExecutable),
      ]
    }
    let merge = EntryMerge(base: save.seen, save.bytes, present)
    if merge.keptBoth { result.keptBoth.insert(target) }
    return [.write(target, merge.bytes, executable: save.isExecutable)]
  }

  /// What the branch has of a file that a save may be late for.
  @inline(never)
  private func branchVersion(_ checkout: PendingCheckout, _ target: EntryPath) async throws
    -> ObjectID?
  {
    if let onto = checkout.ontoBlob { return onto }
    return try await keptName(gitLocation.inRepository(target))
  }

  @inline(never)
  private func keptName(_ full: EntryPath) async throws -> ObjectID? {
    let kept = try await repository.keptFile(full)
    return kept?.kind.isFile == true ? kept?.id : nil
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
