import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

/// What a look at the files that wait came to.
struct CheckoutResult: Sendable {
  /// Replaced, made or removed now.
  var done: [EntryPath] = []
  /// Still to come, and why.
  var waiting: [SkippedFile] = []
  /// What came out of the exchanges, and what was put in its place; an editor may still be writing
  /// into it.
  var asides: [(path: EntryPath, file: DisplacedFile, wrote: [UInt8])] = []
}

extension Journal {
  /// Of how many replaced files it is remembered.
  private static let mostRemembered = 500

  /// Brings the files that wait up to the branch: those whose bytes are the saved ones and that no
  /// editor is known to hold. The caller holds the lock.
  func applyPendingCheckouts() async throws -> CheckoutResult {
    var brought = CheckoutResult()
    let all = try pendingCheckouts.load()
    let waiting = all.filter(\.isWaiting).sorted(by: Self.comesFirst)
    guard !waiting.isEmpty else { return brought }
    let top = gitLocation.prefix == nil ? folder : try JournalFolder(root: gitLocation.workTree)
    let held = OpenFiles.holders(of: waiting.compactMap(\.path), root: top.root)
    var left = all.filter { !$0.isWaiting }
    var replaced: [ReplacedFile] = []
    var gits: [(checkout: PendingCheckout, path: EntryPath, what: String)] = []
    for var checkout in waiting {
      guard let path = checkout.path else { continue }
      do {
        switch try await bring(checkout, path, top, held.contains(path), &brought) {
        case .leftToGit(let what):
          gits.append((checkout, path, what))
          continue
        case .finished:
          if checkout.seen.isEmpty { continue }
          // An editor may still have it open when it comes back.
          (checkout.isGone, checkout.at) = (true, now)
        case .waits(let reason): brought.waiting.append(SkippedFile(path: path, reason: reason))
        case .stands(let blob):
          if let stamp = try await stamp(of: path, holding: blob, in: top) {
            replaced.append(ReplacedFile(path: path, blob: blob, stamp: stamp))
          }
          // A file that was made now was in no editor before.
          if checkout.seen.isEmpty { continue }
          checkout.brought = blob.description
          checkout.at = now
        }
      } catch {
        let reason = localized("cannot be written: \(DiaryError(error).what)")
        brought.waiting.append(SkippedFile(path: path, reason: reason))
      }
      left.append(checkout)
    }
    if !gits.isEmpty {
      let differing = await namesThatDiffer()
      for (checkout, path, what) in gits where differing?.contains(path) ?? true {
        let reason = what + localized(", which Diary leaves to git: `git restore` updates it")
        brought.waiting.append(SkippedFile(path: path, reason: reason))
        left.append(checkout)
      }
    }
    try remember(left)
    try await repository.refreshIndex(replaced)
    return brought
  }

  /// What goes comes before what comes: a file may take the place of a folder.
  private static func comesFirst(_ left: PendingCheckout, _ right: PendingCheckout) -> Bool {
    (left.disk == nil ? 1 : 0, left.name) < (right.disk == nil ? 1 : 0, right.name)
  }

  /// What the file looks like, if it still holds what was put there.
  private func stamp(
    of path: EntryPath, holding blob: ObjectID, in top: JournalFolder
  ) async throws -> FileSignature? {
    guard let file = try? top.read(path), file.isConsistent,
      try await repository.blobID(ofDisk: file.bytes, at: path) == blob
    else { return nil }
    return file.stamp
  }

  /// Forgets what was replaced long ago, and the oldest of too many.
  private func remember(_ all: [PendingCheckout]) throws {
    let oldest = now - PendingCheckout.rememberedFor
    let young = all.filter { $0.isWaiting || $0.at >= oldest }
    var surplus = young.count { !$0.isWaiting } - Self.mostRemembered
    let left = young.filter { checkout in
      guard surplus > 0, !checkout.isWaiting else { return true }
      surplus -= 1
      return false
    }
    try setArrivals(left)
  }

  private enum Step {
    /// The disk shows this content now.
    case stands(ObjectID)
    /// The disk shows no file, as the branch.
    case finished
    /// Not Diary's to write, whether or not it is as the branch has it; what it is, or is under.
    case leftToGit(String)
    case waits(String)
  }

  private func bring(
    _ checkout: PendingCheckout, _ path: EntryPath, _ folder: JournalFolder, _ isOpen: Bool,
    _ brought: inout CheckoutResult
  ) async throws -> Step {
    let kept = try await kept(at: path)
    if kept != nil, let what = try await leftToGit(path, kept) { return .leftToGit(what) }
    if kept == nil, isLink(path, in: folder) {
      return .waits(localized("is a link that was deleted on the branch; remove it with `rm`"))
    }
    let target = try await content(kept?.id, path)
    let present = try folder.read(path)
    let shown = try await name(of: present?.bytes, path)
    if shown == kept?.id {
      return kept.map { .stands($0.id) } ?? .finished
    }
    guard let present else {
      guard let target, let kept else { return .finished }
      try folder.create(path, target, mode: kept.kind == .executable ? 0o777 : 0o666)
      brought.done.append(path)
      return .stands(kept.id)
    }
    guard shown == checkout.diskBlob else {
      return .waits(
        checkout.diskBlob == nil
          ? localized("is in the place of another file from the sync")
          : localized("has unsaved changes"))
    }
    if isOpen || hasTrace(path, in: folder) { return .waits(localized("is open in an editor")) }
    guard let target, let kept else {
      let aside = try folder.remove(path, expecting: present.bytes, asideDirectory: stateFolder)
      if let aside { brought.asides.append((path, aside, [])) }
      folder.removeEmptyFolders(above: path)
      brought.done.append(path)
      return .finished
    }
    switch try folder.replace(
      path, expecting: present.bytes, with: target, asideDirectory: stateFolder,
      allowPlainRename: true)
    {
    case .changed: return .waits(localized("is being written"))
    case .done(let aside):
      if let aside { brought.asides.append((path, aside, target)) }
      brought.done.append(path)
      return .stands(kept.id)
    }
  }

  // None of these is inlined: Swift 6.3.1 crashes in a release build when it splits a coroutine
  // that has them inside.

  @inline(never)
  private func kept(at path: EntryPath) async throws -> TreeEntry? {
    try await repository.keptFile(path)
  }

  /// What a file is that Diary does not write itself; `nil` for the others.
  @inline(never)
  private func leftToGit(_ path: EntryPath, _ kept: TreeEntry?) async throws -> String? {
    guard kept?.kind.isFile == true else { return localized("is a link or another repository") }
    guard let inside = gitLocation.inJournal(path) else { return nil }
    return try await repository.unusualAttributes([inside])[inside].map {
      localized("is under \($0)")
    }
  }

  /// `nil` where git cannot tell.
  @inline(never)
  private func namesThatDiffer() async -> Set<EntryPath>? { try? await git.namesThatDiffer() }

  @inline(never)
  private func content(_ blob: ObjectID?, _ path: EntryPath) async throws -> [UInt8]? {
    guard let blob else { return nil }
    return try await repository.diskContent(of: blob, at: path)
  }

  /// What git would keep of these bytes of the disk.
  @inline(never)
  private func name(of bytes: [UInt8]?, _ path: EntryPath) async throws -> ObjectID? {
    guard let bytes else { return nil }
    return try await repository.blobID(ofDisk: bytes, at: path)
  }

  private func isLink(_ path: EntryPath, in folder: JournalFolder) -> Bool {
    let place = folder.root + "/" + path.text
    return (try? FileManager.default.destinationOfSymbolicLink(atPath: place)) != nil
  }

  private func hasTrace(_ path: EntryPath, in folder: JournalFolder) -> Bool {
    EditorLockFiles.traces(beside: path, in: folder).contains { $0.owner != .dead }
  }
}
