import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

/// The result of merging a conflict copy into its entry.
package enum ConflictCopyMerge: Sendable, Equatable {
  /// The entry contains the text of both. With `keptBoth` it has two versions of a passage.
  case merged(keptBoth: Bool)
  /// The entry already contained all text of the copy.
  case alreadyContained
  /// The entry did not exist any more, so the copy got its name.
  case becameEntry
}

extension Checkouts {
  /// The copies that sync programs made of files that Diary saves, in the order of their paths.
  package func conflictCopies() async throws -> [ConflictCopy] {
    try await conflictCopies(in: nil)
  }

  /// The conflict copies that a scan of the folder has found.
  func conflictCopies(in walk: FolderScan?) async throws -> [ConflictCopy] {
    let walk = walk ?? journal.folder.scan(EntryMatcher(settings: journal.settings))
    let saved = PathClassifier(journal)
    let copies = walk.conflictCopies.compactMap { ConflictCopy($0.path) }
      .filter { saved.kind(of: $0.original) != .never }
    guard !copies.isEmpty else { return [] }
    let ignored = try await journal.repository.ignoredPaths(among: copies.map(\.original))
    let records = try journal.state.checkouts.load()
    return copies.filter { !ignored.contains($0.original) }.map { follow($0, records) }
  }

  /// The copy as one of the entry that a sync has moved since.
  private func follow(_ copy: ConflictCopy, _ records: [CheckoutRecord]) -> ConflictCopy {
    var (followed, passed) = (copy, Set<EntryPath>())
    while !journal.folder.hasFile(followed.original), passed.insert(followed.original).inserted {
      let name = checkoutName(followed.original)
      let record = records.first { $0.name == name }
      guard let moved = record?.target.flatMap(journal.gitLocation.journalPath) else { return copy }
      followed.original = moved
    }
    return journal.folder.hasFile(followed.original) ? followed : copy
  }

  /// True if ``merge(_:)`` can merge the copy, because it is a copy of an entry.
  package func isOfEntry(_ copy: ConflictCopy) -> Bool {
    EntryMatcher(settings: journal.settings).isEntry(copy.original)
  }

  /// Merges a conflict copy into its entry and removes the copy. The copy's text is saved as a
  /// version of the entry first, so that `diary history` has both texts as they were.
  package func merge(
    _ copy: ConflictCopy
  ) async throws -> (merge: ConflictCopyMerge, outcome: SaveOutcome) {
    for path in [copy.path, copy.original] where journal.isOpenInEditor(path) {
      throw DiaryError(
        localized("\(path.text) is open in an editor, so \(copy.path.text) was not merged"),
        hint: localized("close it, then run `diary check --fix` again"))
    }
    return try await journal.locked { locked in
      guard try loadWaitingCheckouts()[copy.original] == nil else {
        throw DiaryError(
          localized(
            "\(copy.original.text) is not yet updated from the last sync, so "
              + "\(copy.path.text) was not merged"),
          hint: localized("run `diary sync`, then `diary check --fix` again"))
      }
      guard let bytes = try journal.folder.read(copy.path)?.bytes else {
        throw DiaryError(
          localized("there is no file \(copy.path.text)"),
          hint: localized("run `diary check` again"))
      }
      guard let present = try journal.folder.read(copy.original)?.bytes else {
        return (.becameEntry, try await locked.rename(copy, holding: bytes))
      }
      return try await locked.merge(copy, holding: bytes, into: present)
    }
  }
}

extension LockedJournal {
  fileprivate func merge(
    _ copy: ConflictCopy, holding bytes: [UInt8], into present: [UInt8]
  ) async throws -> (ConflictCopyMerge, SaveOutcome) {
    guard EntryMerge.canMerge(bytes), EntryMerge.canMerge(present) else {
      throw DiaryError(
        localized("\(copy.path.text) cannot be merged, because one of the two is not UTF-8 text"),
        hint: localized(
          "compare it with \(copy.original.text), and delete the one that you do not need"))
    }
    let draft = try await startOperation(
      .merge, journal.history.subject(of: [copy.original]), [copy.original])
    let file = try draft.files.file(at: copy.original)
    guard file.content?.bytes == present else { throw DiaryError.changedMeanwhile(copy.original) }
    let merge = EntryMerge(
      conflictCopy: bytes, into: present, versions: try await texts(of: copy.original) + [present])
    // The copy's version is saved after the entry is written: if Diary is killed in between, the
    // version is not taken for the base of the next attempt.
    if merge.bytes != present {
      try saver.replace(file, with: merge.bytes)?.discard()
    }
    try await saver.keepVersion(bytes, of: copy.original)
    let outcome = try await finish(copy, holding: bytes, as: draft)
    if merge.hasConflict { try await integration.addReviews([copy.original]) }
    return (
      merge.bytes == present ? .alreadyContained : .merged(keptBoth: merge.hasConflict), outcome
    )
  }

  /// Gives the copy the name of its entry, which another device deleted or which never existed.
  fileprivate func rename(_ copy: ConflictCopy, holding bytes: [UInt8]) async throws -> SaveOutcome
  {
    let draft = try await startOperation(.merge, copy.original.text, [copy.original])
    guard try journal.folder.createIfFree(copy.original, bytes) else {
      throw DiaryError(
        localized("\(copy.original.text) exists again"), hint: localized("run the command again"))
    }
    // Of an entry that was deleted after a sync, the copy is no old buffer.
    _ = try await saver.saveChanges(
      try await saver.collectChanges([copy.original], atStart: false), from: .command)
    try await requireSaved(bytes, copy.original)
    return try await finish(copy, holding: bytes, as: draft)
  }

  /// Removes the copy, whose text is saved by now, and saves the entry. The copy is a file of the
  /// operation, so that an undo brings it back.
  private func finish(
    _ copy: ConflictCopy, holding bytes: [UInt8], as draft: OperationDraft
  ) async throws -> SaveOutcome {
    // If git tracks the copy, its deletion is saved before it is removed, as in a delete.
    let isTracked = try await !journal.repository.trackedPaths(among: [copy.path]).isEmpty
    if isTracked { try await saver.saveDeletions([copy.path]) }
    var draft = draft
    let blob = try await journal.repository.blobID(of: bytes, at: copy.original)
    draft.unsaved = [
      JournalOperation.File(name: copy.path.percentEncoded, before: blob.description)
    ]
    try journal.folder.remove(copy.path, expecting: bytes, displacedDirectory: journal.stateFolder)?
      .discard()
    let title = "\"" + truncated(terminalLine(draft.subject), toWidth: 60) + "\""
    var outcome = try await saveCommandChanges(
      [copy.original], deleted: isTracked ? [copy.path] : [], as: draft,
      message: "Merge a conflict copy into " + title)
    outcome.commit?.subject = localized("Merge a conflict copy into \(title)")
    return outcome
  }

  /// The saved texts of the entry, oldest first. A version that was purged is left out.
  private func texts(of path: EntryPath) async throws -> [[UInt8]] {
    let repository = try journal.repository
    var last: ObjectID?
    var texts: [[UInt8]] = []
    for version in try await repository.versions(of: path).versions.reversed() {
      guard let blob = version.blob, blob != last, try await repository.contains(blob) else {
        continue
      }
      texts.append(try await repository.content(of: blob, as: version.path))
      last = blob
    }
    return texts
  }
}
