import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

/// The result of applying waiting checkouts.
struct CheckoutResult: Sendable {
  /// Files that were replaced, created or removed.
  var checkedOut: [EntryPath] = []
  /// Files that still wait, with the reason.
  var waiting: [SkippedFile] = []
  /// The waiting files that only git can update.
  var leftToGit: Set<EntryPath> = []
  /// Displaced files, and the content that replaced them. An editor may still be writing into a
  /// displaced file.
  var displaced: [(path: EntryPath, file: DisplacedFile, wrote: [UInt8])] = []

  /// Adds a displaced file of the journal. Others discard themselves.
  fileprivate mutating func add(
    _ file: DisplacedFile?, at path: EntryPath?, replacedBy bytes: [UInt8]
  ) {
    if let file, let path { displaced.append((path, file, bytes)) }
  }
}

extension Integration {
  /// Checks out the waiting files whose content on disk is saved and that no editor is known to
  /// have open.
  func applyCheckouts() async throws -> CheckoutResult {
    var result = CheckoutResult()
    let all = try journal.state.checkouts.load()
    let waiting = all.filter(\.isWaiting).sorted(by: Self.isOrderedBefore)
    guard !waiting.isEmpty else { return result }
    let top =
      journal.gitLocation.prefix == nil
      ? journal.folder : try JournalFolder(root: journal.gitLocation.workTree)
    let today = dayOfUse()
    let held = OpenFiles.openPaths(among: waiting.compactMap(\.path), root: top.root)
    var remaining = all.filter { !$0.isWaiting }
    var replaced: [ReplacedFile] = []
    var gitOnly: [(checkout: CheckoutRecord, path: EntryPath, what: String)] = []
    for var checkout in waiting {
      guard let path = checkout.path else { continue }
      do {
        switch try await checkOut(checkout, path, top, held.contains(path), &result) {
        case .gitOnly(let what):
          gitOnly.append((checkout, path, what))
          continue
        case .absent:
          if checkout.seen.isEmpty { continue }
          // An editor may still have the file open when a sync restores it.
          (checkout.isGone, checkout.at, checkout.day) = (true, journal.now, today)
        case .blocked(let reason): result.waiting.append(SkippedFile(path: path, reason: reason))
        case .written(let blob):
          if let stamp = try await signature(of: path, holding: blob, in: top) {
            replaced.append(ReplacedFile(path: path, blob: blob, signature: stamp))
          }
          // A file that is created now was not open in an editor before.
          if checkout.seen.isEmpty { continue }
          checkout.brought = blob.description
          (checkout.at, checkout.day) = (journal.now, today)
        }
      } catch {
        let reason = localized("cannot be written: \(DiaryError(error).message)")
        result.waiting.append(SkippedFile(path: path, reason: reason))
      }
      remaining.append(checkout)
    }
    if !gitOnly.isEmpty {
      let differing = try? await journal.git.statusPaths()
      for (checkout, path, what) in gitOnly where differing?.contains(path) ?? true {
        result.waiting.append(SkippedFile(path: path, reason: what))
        result.leftToGit.insert(path)
        remaining.append(checkout)
      }
    }
    try await saver.recordFolders(of: result.checkedOut.compactMap(journal.gitLocation.journalPath))
    try writeCheckoutRecords(remaining)
    try await journal.repository.refreshIndex(replaced)
    return result
  }

  /// Orders deletions first: a new file may replace a removed folder.
  private static func isOrderedBefore(_ left: CheckoutRecord, _ right: CheckoutRecord) -> Bool {
    (left.disk == nil ? 1 : 0, left.name) < (right.disk == nil ? 1 : 0, right.name)
  }

  /// The file's signature, if it still has the content that was written.
  private func signature(
    of path: EntryPath, holding blob: ObjectID, in top: JournalFolder
  ) async throws -> FileSignature? {
    guard let file = try? top.read(path), file.isConsistent,
      try await journal.repository.blobID(ofDisk: file.bytes, at: path) == blob
    else { return nil }
    return file.signature
  }

  private enum CheckoutStep {
    /// The disk has this content now.
    case written(ObjectID)
    /// The disk has no file, like the branch.
    case absent
    /// Diary does not write this file, whether it is up to date or not. The value describes it.
    case gitOnly(String)
    case blocked(String)
  }

  private func checkOut(
    _ checkout: CheckoutRecord, _ path: EntryPath, _ folder: JournalFolder, _ isOpen: Bool,
    _ result: inout CheckoutResult
  ) async throws -> CheckoutStep {
    let kept = try await journal.repository.savedEntry(at: path)
    if kept != nil, let what = try await journal.checkouts.gitOnlyReason(path, kept) {
      return .gitOnly(what)
    }
    if kept == nil, isLink(path, in: folder) {
      return .blocked(localized("is a link that was deleted on the branch; remove it with `rm`"))
    }
    if let away = journal.gitLocation.journalPath(path).flatMap(journal.changes.awayReason) {
      return .blocked(away)
    }
    let target = try await content(kept?.id, path)
    let present = try folder.read(path)
    let shown = try await blobID(ofDisk: present?.bytes, path)
    if shown == kept?.id {
      return kept.map { .written($0.id) } ?? .absent
    }
    guard let present else {
      guard let target, let kept else { return .absent }
      try folder.create(path, target, mode: kept.kind == .executable ? 0o777 : 0o666)
      _ = folder.takeWrittenText(at: path)
      result.checkedOut.append(path)
      return .written(kept.id)
    }
    guard shown == checkout.diskBlob else {
      return .blocked(
        checkout.diskBlob == nil
          ? localized("already exists, but the sync has another file with this name")
          : localized("has unsaved changes"))
    }
    if isOpen || !EditorLockFiles.lockFiles(of: path, in: folder).isEmpty {
      return .blocked(localized("is open in an editor"))
    }
    guard let target, let kept else {
      let aside = try folder.remove(
        path, expecting: present.bytes, displacedDirectory: journal.stateFolder)
      result.add(aside, at: journal.gitLocation.journalPath(path), replacedBy: [])
      folder.removeEmptyFolders(above: path)
      result.checkedOut.append(path)
      return .absent
    }
    switch try folder.replace(
      path, expecting: present.bytes, with: target, displacedDirectory: journal.stateFolder,
      allowPlainRename: true)
    {
    case .changed: return .blocked(localized("is being written"))
    case .replaced(let aside):
      _ = folder.takeWrittenText(at: path)
      result.add(aside, at: journal.gitLocation.journalPath(path), replacedBy: target)
      result.checkedOut.append(path)
      return .written(kept.id)
    }
  }

  private func content(_ blob: ObjectID?, _ path: EntryPath) async throws -> [UInt8]? {
    guard let blob else { return nil }
    return try await journal.repository.diskContent(of: blob, at: path)
  }

  /// The blob id that git would give to these bytes on disk.
  private func blobID(ofDisk bytes: [UInt8]?, _ path: EntryPath) async throws -> ObjectID? {
    guard let bytes else { return nil }
    return try await journal.repository.blobID(ofDisk: bytes, at: path)
  }

  private func isLink(_ path: EntryPath, in folder: JournalFolder) -> Bool {
    let location = folder.root + "/" + path.text
    return (try? FileManager.default.destinationOfSymbolicLink(atPath: location)) != nil
  }
}

extension Checkouts {
  /// The reason why Diary does not write a file itself; `nil` for other files.
  fileprivate func gitOnlyReason(_ path: EntryPath, _ kept: TreeEntry?) async throws -> String? {
    let hint = localized(", so Diary leaves it to git: `git restore` updates it")
    guard kept?.kind.isFile == true else {
      return localized("is a link or another repository") + hint
    }
    guard let inside = journal.gitLocation.journalPath(path) else { return nil }
    return try await journal.repository.unusualAttributes([inside])[inside].map {
      localized("has the git attribute \($0)") + hint
    }
  }

  /// The reason why only git can check out a path of the repository; `nil` for other files.
  func gitCheckoutReason(_ path: EntryPath) async throws -> String? {
    let kept = try await journal.repository.savedEntry(at: path)
    return kept == nil ? nil : try await gitOnlyReason(path, kept)
  }
}
