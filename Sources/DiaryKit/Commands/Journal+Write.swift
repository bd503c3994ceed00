import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization
import Synchronization

/// An entry as a page shows and edits it.
package struct EditableEntry: Sendable {
  /// Where the file is.
  package var path: EntryPath
  /// Its row of the list; the number is 0.
  package var summary: EntrySummary
  /// The whole file.
  package var content: EntryText
  /// Title and body; `nil` when the entry can only be shown.
  package var text: EditableText?
  /// Why it can only be shown: one sentence without the file's name.
  package var readOnlyReason: String?
  /// The name that git gives to the text, in hex: what a save says that it began from.
  package var version: String
  /// The program that has the entry open, if any.
  package var heldBy: String?
}

/// What became of a page's text.
package enum WriteOutcome: Sendable {
  /// It is on the disk and durably kept. `merged`: the text is not the one that was sent, for it has
  /// changes from elsewhere too; `keptBoth`: two versions of something stand in it.
  case written(EditableEntry, merged: Bool, keptBoth: Bool)
  /// The entry is gone, and was not made again.
  case deleted
  /// A program has the entry open and would not see that it was replaced; nothing was written.
  case held(by: String)
  /// It cannot be merged with the entry as it is now, which is given; nothing was written.
  case unknownVersion(EditableEntry)
}

/// A page's text on its way to the disk.
private struct PageEdit {
  let path: EntryPath
  let title: String
  let body: String
  /// The text that it began from; `nil` when nobody has that any more.
  let base: [UInt8]?
}

extension Journal {
  /// An entry for a page; fails when there is none at the path.
  package func editable(_ path: EntryPath) async throws -> EditableEntry {
    guard SavePolicy(self).kind(of: path) == .entry, let file = try folder.read(path) else {
      throw DiaryError(localized("\(path.text) is gone"), kind: .nothingFound)
    }
    return try await editable(path, file.bytes, heldBy: holder(of: path))
  }

  private func editable(
    _ path: EntryPath, _ bytes: [UInt8], heldBy holder: String?
  ) async throws -> EditableEntry {
    let version = try await repository.blobID(of: bytes, at: path)
    servedTexts.withLock { $0.add(bytes, as: version) }
    let content = EntryText(bytes)
    var entry = EditableEntry(
      path: path, summary: summary(of: content, at: path), content: content,
      version: version.description, heldBy: holder)
    do throws(EditableText.ReadOnlyReason) {
      entry.text = try EditableText(content, path: path, settings: settings)
    } catch {
      entry.readOnlyReason = error.description
    }
    return entry
  }

  /// Writes a page's title and body into an entry, merged with what came from elsewhere since the page
  /// was given `version`, and keeps them durably. The sitting goes on: a watcher ends it, or
  /// ``endSittingUnlessWatched()``. The same words again write nothing.
  package func write(
    _ path: EntryPath, title: String, body: String, from version: String
  ) async throws -> WriteOutcome {
    for text in [title, body] {
      try Journal.refuseFaults(
        of: text, hint: localized("nothing was changed; remove it and try again"))
    }
    guard SavePolicy(self).kind(of: path) == .entry else { return .deleted }
    let edit = PageEdit(
      path: path, title: title, body: body, base: await baseText(version, at: path))
    return try await withJournalLock {
      for _ in 0..<10 {
        if let outcome = try await self.attemptWrite(edit) { return outcome }
      }
      throw DiaryError(
        localized("\(path.text) keeps changing"),
        hint: localized("close the program that writes it"))
    }
  }

  /// The text that a page was given as this version. Saved ones are in git.
  private func baseText(_ version: String, at path: EntryPath) async -> [UInt8]? {
    guard let id = ObjectID(version) else { return nil }
    if let bytes = servedTexts.withLock({ $0[id] }) { return bytes }
    return try? await repository.content(of: id, as: path)
  }

  /// One try; `nil` when somebody else wrote the file meanwhile.
  @inline(never)
  private func attemptWrite(_ edit: PageEdit) async throws -> WriteOutcome? {
    let path = edit.path
    guard let file = try folder.read(path) else { return .deleted }
    guard file.isConsistent else { return nil }
    let present = file.bytes
    let base = EntryText(edit.base ?? present)
    guard let page = try? EditableText(base, path: path, settings: settings) else {
      return .unknownVersion(try await editable(path, present, heldBy: nil))
    }
    let edited = page.bytes(title: edit.title, body: edit.body)
    let needsNoMerge = edited == present || edit.base == present || edit.base == edited
    guard needsNoMerge || EntryMerge.canMerge(present), TextFault(in: edited) == nil else {
      return .unknownVersion(try await editable(path, present, heldBy: nil))
    }
    let merge = EntryMerge(base: edit.base, edited, present)
    if merge.bytes != present {
      if let holder = holder(of: path) { return .held(by: holder) }
      // What came from elsewhere becomes a version of its own first.
      if try await !repository.isSaved(present, at: path), try await !saveWritten(path) {
        return nil
      }
      guard
        case .replaced(let aside) = try folder.replace(
          path, expecting: present, with: merge.bytes, displacedDirectory: stateFolder,
          allowPlainRename: true, syncsName: false)
      else { return nil }
      defer { aside?.discard() }
      guard try await saveWritten(path) else { return nil }
    } else if edited == present, try await !repository.isSaved(present, at: path) {
      guard try await saveWritten(path) else { return nil }
    }
    guard let now = try folder.read(path)?.bytes else { return .deleted }
    return .written(
      try await editable(path, now, heldBy: nil), merged: now != edited, keptBoth: merge.hasConflict
    )
  }

  /// Keeps what stands at the path now, durably, and shows it to the list. Answers `false` when it was
  /// being written meanwhile. The caller holds the lock.
  @inline(never)
  private func saveWritten(_ path: EntryPath, deleted: Set<EntryPath> = []) async throws -> Bool {
    do {
      let found = try await collectChanges(
        [path] + deleted, atStart: false, deletions: .explicit(deleted), notIgnored: [path])
      if !found.written.contains(path) { syncFiles([path]) }
      guard !found.stillChanging.contains(path) else { return false }
      // The page has shown what is on the disk, and so what the user takes out is meant; not so where
      // the disk does not have it yet.
      let name = gitLocation.repositoryPath(path)
      let isPending = found.scan.checkouts.contains { $0.isPending && $0.path == name }
      let outcome = try await save(found, from: isPending ? .command : .restore)
      if outcome.hasPendingCheckouts {
        for aside in try await applyPendingCheckouts().displaced { aside.file.discard() }
      }
      _ = try await updateIndex(
        only: [path] + deleted, scanned: isPending ? [:] : found.scan.candidates)
      return true
    } catch {
      syncFiles([path])
      throw error
    }
  }

  /// Makes an entry of a page's first words; nothing blank is ever made. Its weather is owed, and its
  /// file is named by the time until ``leave(_:)``.
  package func create(title: String, body: String) async throws -> EditableEntry {
    let hasTitle = title.contains { !$0.isWhitespace }
    let hasBody = body.contains { !$0.isWhitespace }
    guard hasTitle || hasBody else {
      throw DiaryError(localized("there is nothing to save yet"), kind: .usage)
    }
    var new = NewEntry()
    new.title = hasTitle ? title : nil
    new.message = hasBody ? body : nil
    new.isForPage = true
    let path = try await createDraft(new).path
    return try await withJournalLock {
      try self.recordBlank(nil, at: path)
      _ = try await self.saveWritten(path)
      self.servedTexts.withLock { _ = $0.drafts.insert(path) }
      return try await self.editable(path)
    }
  }

  /// Ends the writing of an entry on a page. One that was made by ``create(title:body:)`` is named once
  /// by its title, and removed when it has no words any more. Answers where the entry is now; `nil`
  /// when it is nowhere.
  package func finishEditing(_ path: EntryPath) async throws -> EntryPath? {
    guard servedTexts.withLock({ $0.drafts.contains(path) }) else {
      return folder.hasFile(path) ? path : nil
    }
    guard let entry = try? await editable(path) else {
      servedTexts.withLock { _ = $0.drafts.remove(path) }
      return nil
    }
    guard entry.heldBy == nil else { return path }
    if let text = entry.text, text.titleLocation == .name,
      !text.body.contains(where: { !$0.isWhitespace })
    {
      _ = try await delete([path])
      servedTexts.withLock { _ = $0.drafts.remove(path) }
      return nil
    }
    return try await withJournalLock {
      let renamed = try self.nameFromTitle(path)
      if renamed != path {
        try self.moveQueuedStamp(from: path, to: renamed)
        _ = try await self.saveWritten(renamed, deleted: [path])
      }
      self.servedTexts.withLock { _ = $0.drafts.remove(path) }
      return renamed
    }
  }

  /// Deletes an entry that is still what a page was given as `version`. Answers a name for
  /// ``undoDeletion(_:)``.
  package func delete(_ path: EntryPath, from version: String) async throws -> String {
    guard try await editable(path).version == version else {
      throw DiaryError(
        localized("\(path.text) changed in the meantime, so Diary did not touch it"),
        hint: localized("try again"))
    }
    _ = try await delete([path])
    servedTexts.withLock { _ = $0.drafts.remove(path) }
    let done = try operations.load().last {
      $0.command == .delete && $0.files.contains { $0.path == path }
    }
    return done?.after ?? ""
  }

  /// Brings back what one deletion on a page took away.
  package func undoDeletion(_ id: String) async throws -> EditableEntry {
    let done = try operations.load().last { $0.command == .delete && $0.after == id }
    guard let done, let path = done.files.first?.path else {
      throw DiaryError(localized("there is no operation to undo"), kind: .nothingFound)
    }
    let plan = try await undoPlan(for: done)
    if let left = plan.skipped.first { throw DiaryError("\(left.path.text) \(left.reason)") }
    _ = try await undo(plan)
    return try await editable(path)
  }

  /// Ends the sitting of what pages have written where no watcher does.
  package func endSittingUnlessWatched() async throws -> SaveOutcome {
    guard runningWatcher == nil else { return SaveOutcome() }
    return try await withJournalLock {
      var outcome = SaveOutcome()
      try await self.endSitting(into: &outcome)
      try self.writeListFile()
      return outcome
    }
  }

  /// The program that has an entry open, as it should be called; `nil` when none is known.
  package func holder(of path: EntryPath) -> String? {
    if let lockFile = EditorLockFiles.lockFiles(of: path, in: folder).first {
      return lockFile.program
    }
    return OpenFiles.openPaths(among: [path], root: root).isEmpty
      ? nil : localized("another program")
  }
}
