import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization
import Synchronization

/// An entry as a web page shows and edits it.
package struct EditableEntry: Sendable {
  /// The path of the file.
  package var path: EntryPath
  /// The entry's row of the list, with number 0.
  package var summary: EntrySummary
  /// The whole file.
  package var content: EntryText
  /// The title and the body; `nil` if the entry is read-only.
  package var text: EditableText?
  /// The reason the entry is read-only, as a sentence without the file's name.
  package var readOnlyReason: String?
  /// The blob id of the text in hex, which a save names as its base version.
  package var version: String
  /// The program that has the entry open, if any.
  package var heldBy: String?
}

/// The result of writing a page's text.
package enum WriteOutcome: Sendable {
  /// The text is on disk and durably saved. `merged`: title or body have changes from elsewhere;
  /// `keptBoth`: it contains two versions of a passage.
  case written(EditableEntry, merged: Bool, keptBoth: Bool)
  /// The entry was deleted, and was not created again.
  case deleted
  /// A program has the entry open and would not notice its replacement. Nothing was written.
  case held(by: String)
  /// The text cannot be merged with the current entry, which is given. Nothing was written.
  case unknownVersion(EditableEntry)
}

/// A page's text to write.
private struct PageEdit {
  let path: EntryPath
  let title: String
  let body: String
  /// The text that the edit started from; `nil` if it is not available any more.
  let base: [UInt8]?
}

extension PageEditing {
  /// An entry for a page. Throws if there is none at the path.
  package func editable(_ path: EntryPath) async throws -> EditableEntry {
    guard PathClassifier(journal).kind(of: path) == .entry, let file = try journal.folder.read(path)
    else {
      throw DiaryError.missingFile(path)
    }
    return try await editable(path, file.bytes, heldBy: journal.holder(of: path))
  }

  fileprivate func editable(
    _ path: EntryPath, _ bytes: [UInt8], heldBy holder: String?
  ) async throws -> EditableEntry {
    let version = try await journal.repository.blobID(of: bytes, at: path)
    journal.servedTexts.withLock { $0.add(bytes, as: version) }
    let content = EntryText(bytes)
    var entry = EditableEntry(
      path: path, summary: journal.history.summary(of: content, at: path), content: content,
      version: version.description, heldBy: holder)
    do throws(EditableText.ReadOnlyReason) {
      entry.text = try EditableText(content, path: path, settings: journal.settings)
    } catch {
      entry.readOnlyReason = error.description
    }
    return entry
  }

  /// Writes a page's title and body into an entry, merged with other changes since `version`, and
  /// saves them durably. The sitting stays open: a watcher or ``endSittingUnlessWatched()`` ends
  /// it. An unchanged text is not written.
  ///
  /// - Parameter earlier: title and body that the page has sent from the same version before, and that
  ///   were written.
  package func write(
    _ path: EntryPath, title: String, body: String, from version: String,
    after earlier: (title: String, body: String)? = nil
  ) async throws -> WriteOutcome {
    for text in [title, body] {
      try Entries.refuseFaults(
        of: text, hint: localized("nothing was changed; remove it and try again"))
    }
    guard PathClassifier(journal).kind(of: path) == .entry else { return .deleted }
    var base = await baseText(version, at: path)
    if let earlier, let known = base {
      let text = try? EditableText(EntryText(known), path: path, settings: journal.settings)
      base = text?.bytes(title: earlier.title, body: earlier.body) ?? known
    }
    let edit = PageEdit(path: path, title: title, body: body, base: base)
    return try await journal.locked { locked in
      for _ in 0..<10 {
        if let outcome = try await locked.attemptWrite(edit) { return outcome }
      }
      throw DiaryError.keepsChanging(path)
    }
  }

  /// The text that a page was given as this version. Saved versions are in git.
  func baseText(_ version: String, at path: EntryPath) async -> [UInt8]? {
    guard let id = ObjectID(version) else { return nil }
    if let bytes = journal.servedTexts.withLock({ $0[id] }) { return bytes }
    return try? await journal.repository.content(of: id, as: path)
  }

  /// Creates an entry from a page's first text, a blank one only if it `canBeBlank` since files
  /// follow. With a `template`, text and title are its own as the user has changed them; an empty name
  /// is that of the usual one. If it has vanished, the words are saved without it. The date is that of
  /// the writer's `zone` (IANA). The weather is queued. Until ``finishEditing(_:)`` the file is named by the time.
  package func create(
    title: String, body: String, template: String? = nil, zone: String? = nil,
    canBeBlank: Bool = false
  ) async throws -> EditableEntry {
    let hasTitle = title.contains { !$0.isWhitespace }
    let hasBody = body.contains { !$0.isWhitespace }
    guard hasTitle || hasBody || canBeBlank else {
      throw DiaryError(localized("there is nothing to save yet"), kind: .usage)
    }
    var new = NewEntry()
    let isUnwritten: Bool
    if let template {
      new.template = template.isEmpty ? nil : template
      let text = try? journal.entries.templateText(named: new.template)
      if text == nil { new.template = Settings().template }
      if text?.title != title, hasTitle { new.title = title }
      new.edited = (title, body)
      isUnwritten = text?.title == title && text?.body == body
    } else {
      isUnwritten = !hasTitle && !hasBody
      new.title = hasTitle ? title : nil
      new.message = hasBody ? body : nil
    }
    new.isForPage = true
    new.zone = zone.flatMap { TimeZone(identifier: $0) }
    let path = try await journal.entries.createDraft(new).path
    return try await journal.locked { locked in
      try locked.saver.recordBlank(nil, at: path)
      _ = try await locked.saveWritten(path)
      let entry = try await editable(path)
      journal.servedTexts.withLock { $0.drafts[path] = isUnwritten ? entry.version : "" }
      return entry
    }
  }

  /// Ends the editing of an entry on a page. An entry from ``create(title:body:template:canBeBlank:)`` is named after
  /// its title once, and is removed if it is empty. Returns the entry's path; `nil` if there is no
  /// entry.
  package func finishEditing(_ path: EntryPath) async throws -> EntryPath? {
    guard let unwritten = journal.servedTexts.withLock({ $0.drafts[path] }) else {
      return journal.folder.hasFile(path) ? path : nil
    }
    guard let entry = try? await editable(path) else {
      journal.servedTexts.withLock { $0.drafts[path] = nil }
      return nil
    }
    guard entry.heldBy == nil else { return path }
    let isBlank =
      entry.text.map { $0.titleLocation == .name && $0.body.allSatisfy(\.isWhitespace) } ?? false
    if isBlank || entry.version == unwritten {
      _ = try await journal.entries.delete([path])
      journal.servedTexts.withLock { $0.drafts[path] = nil }
      return nil
    }
    return try await journal.locked { locked in
      let renamed = try locked.nameFromTitle(path)
      if renamed != path {
        try locked.saver.follow([path: renamed])
        _ = try await locked.saveWritten(renamed, deleted: [path])
      }
      journal.servedTexts.withLock {
        $0.drafts[path] = nil
        if renamed != path { $0.formerNames.insert(path) }
      }
      return renamed
    }
  }

  /// Deletes an entry if it is still the given `version`. Returns an id for ``undoDeletion(_:)``.
  package func delete(_ path: EntryPath, from version: String) async throws -> String {
    guard try await editable(path).version == version else {
      throw DiaryError.changedMeanwhile(path)
    }
    _ = try await journal.entries.delete([path])
    journal.servedTexts.withLock { $0.drafts[path] = nil }
    let done = try journal.history.operations().last {
      $0.command == .delete && !$0.isUndone && $0.files.contains { $0.path == path }
    }
    return done?.after ?? ""
  }

  /// Restores the entry of one deletion on a page.
  package func undoDeletion(_ id: String) async throws -> EditableEntry {
    let done = try journal.history.operations().last {
      $0.command == .delete && !$0.isUndone && $0.after == id
    }
    guard let done, let path = done.files.first?.path else {
      throw DiaryError(localized("there is no operation to undo"), kind: .nothingFound)
    }
    let plan = try await journal.history.undoPlan(for: done)
    if let left = plan.skipped.first { throw DiaryError("\(left.path.text) \(left.reason)") }
    _ = try await journal.history.undo(plan)
    return try await editable(path)
  }

  /// Commits the changes made on pages if no watcher does.
  package func endSittingUnlessWatched() async throws -> SaveOutcome {
    guard journal.runningWatcher == nil else { return SaveOutcome() }
    return try await journal.locked { locked in
      var outcome = SaveOutcome()
      try await locked.saver.endSitting(into: &outcome)
      try journal.catalog.writeListFile()
      return outcome
    }
  }
}

extension LockedJournal {
  /// Makes one attempt; `nil` if another program wrote the file in the meantime.
  fileprivate func attemptWrite(_ edit: PageEdit) async throws -> WriteOutcome? {
    let path = edit.path
    guard let file = try journal.folder.read(path) else { return .deleted }
    guard file.isConsistent else { return nil }
    let present = file.bytes
    let base = EntryText(edit.base ?? present)
    guard let page = try? EditableText(base, path: path, settings: journal.settings) else {
      return .unknownVersion(try await journal.page.editable(path, present, heldBy: nil))
    }
    let edited = page.bytes(title: edit.title, body: edit.body)
    let needsNoMerge = edited == present || edit.base == present || edit.base == edited
    guard needsNoMerge || EntryMerge.canMerge(present), TextFault(in: edited) == nil else {
      return .unknownVersion(try await journal.page.editable(path, present, heldBy: nil))
    }
    let merge = EntryMerge(base: edit.base, edited, present)
    if merge.bytes != present {
      if let holder = journal.holder(of: path) { return .held(by: holder) }
      // Changes from elsewhere become a separate version first.
      let files = try await saver.enter([path])
      let settled = try files.file(at: path)
      guard settled.content?.bytes == present,
        case .replaced(let aside) = try saver.attemptReplace(
          settled, with: merge.bytes, syncsName: false)
      else { return nil }
      defer { aside?.discard() }
      guard try await saveWritten(path) else { return nil }
    } else if edited == present, try await !journal.repository.isSaved(present, at: path) {
      guard try await saveWritten(path) else { return nil }
    }
    guard let now = try journal.folder.read(path)?.bytes else { return .deleted }
    let entry = try await journal.page.editable(path, now, heldBy: nil)
    guard now != edited else {
      return .written(entry, merged: false, keptBoth: merge.hasConflict)
    }
    // A change of the header alone is no change of what the page sent.
    let sent = try? EditableText(EntryText(edited), path: path, settings: journal.settings)
    return .written(
      entry, merged: sent?.title != entry.text?.title || sent?.body != entry.text?.body,
      keptBoth: merge.hasConflict)
  }

  /// Saves the file's current content durably and updates the index. Returns false if the file was
  /// being written in the meantime.
  fileprivate func saveWritten(_ path: EntryPath, deleted: Set<EntryPath> = []) async throws -> Bool
  {
    do {
      let found = try await saver.collectChanges(
        [path] + deleted, atStart: false, deletions: .explicit(deleted), notIgnored: [path])
      if !found.written.contains(path) { saver.syncFiles([path]) }
      guard !found.stillChanging.contains(path) else { return false }
      // The page has shown the text on disk, so text that the user removes is removed on purpose.
      // This does not hold while the disk still lacks the sync's version.
      let name = journal.gitLocation.repositoryPath(path)
      let isPending = found.scan.checkouts.contains { $0.isWaiting && $0.path == name }
      let outcome = try await saver.saveChanges(found, from: isPending ? .command : .restore)
      if outcome.hasWaitingCheckouts {
        for aside in try await integration.applyCheckouts().displaced {
          aside.file.discard()
        }
      }
      _ = try await journal.catalog.updateIndex(only: [path] + deleted)
      return true
    } catch {
      saver.syncFiles([path])
      throw error
    }
  }
}
