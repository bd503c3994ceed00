import DiaryCore
import EntryFiles
import Foundation
import Localization

extension Entries {
  /// Opens the entry in the user's editor, waits for it, and saves the changes.
  ///
  /// - Parameters:
  ///   - draft: the new entry, if the file was created for this edit. It may be blank, and may be
  ///     named after its title.
  ///   - shouldRestoreHeader: called if the header is no longer at the top, with whether it can be
  ///     moved back there. Returns true to move it.
  package func edit(
    _ path: EntryPath, in editor: EditorCommand, draft: DraftEntry? = nil,
    shouldRestoreHeader: @Sendable (_ canBe: Bool) -> Bool
  ) async throws -> EditResult {
    let before = try journal.folder.read(path)
    let line = draft?.line ?? before.map { EntryText($0.bytes).editorLine } ?? 1
    let started = MonotonicTime.now
    let status = try await journal.programs.runInteractive(
      shellLine: editor.shellLine,
      arguments: editor.arguments(opening: journal.root + "/" + path.text, at: line),
      folder: journal.root)
    let seconds = Double(MonotonicTime.now - started) / 1_000_000_000
    let after = try journal.folder.read(path)
    // An editor that wrote the same bytes again has saved the entry, if the user gave it a title.
    let isUntouched =
      before != nil && after?.bytes == before?.bytes
      && (draft?.hasInput != true || after?.signature == before?.signature)
    let isBlank = isUntouched && draft != nil ? try await journal.changes.isBlank(path) : false
    guard status == 0 else {
      if isBlank { try await journal.locked { try $0.saver.removeBlank(path) } }
      throw failure(of: editor, status, isKept: after != nil && !isBlank, path)
    }
    if isUntouched, !editor.isBlocking, seconds < 2 { return .editorForked(path) }
    if isBlank {
      try await journal.locked { try $0.saver.removeBlank(path) }
      return .blank
    }
    if let before, let after {
      try await restoreHeader(of: path, before, after, shouldRestoreHeader)
    }
    return try await journal.locked { try await $0.saveEdited(path, isNew: draft != nil) }
  }

  private func failure(
    of editor: EditorCommand, _ status: Int, isKept: Bool, _ path: EntryPath
  ) -> DiaryError {
    let kept = isKept ? localized("; \(path.text) is kept") : ""
    return DiaryError(
      status == 127
        ? localized("cannot find the editor \(editor.shellLine)\(kept)")
        : localized("the editor ended with exit code \(status)\(kept)"),
      details: [localized("editor: \(editor.shellLine)")],
      hint: localized(
        "set another with `editor:` in "
          + "\(journal.environment.personalSettingsPath), $VISUAL or $EDITOR"))
  }

  /// Moves the header back to the top if text was written above it and the user agrees. The
  /// editor's text is saved as a version first.
  private func restoreHeader(
    of path: EntryPath, _ before: FileContents, _ after: FileContents,
    _ shouldRestoreHeader: @Sendable (_ canBe: Bool) -> Bool
  ) async throws {
    let (former, text) = (EntryText(before.bytes), EntryText(after.bytes))
    guard former.isHeaderAtTop, !text.isHeaderAtTop else { return }
    let repaired = text.withHeaderAtTop(previous: former)
    // A header that was removed on purpose is nowhere in the text.
    guard repaired != nil || text.headerKind == .unreadable || text.containsHeader(of: former)
    else {
      return
    }
    guard shouldRestoreHeader(repaired != nil), let repaired else { return }
    try await journal.locked { locked in
      let file = try await locked.saver.enter([path]).file(at: path)
      guard file.content?.bytes == after.bytes else { throw DiaryError.changedMeanwhile(path) }
      try locked.saver.replace(file, with: repaired.bytes)?.discard()
    }
  }
}

extension LockedJournal {
  fileprivate func saveEdited(_ path: EntryPath, isNew: Bool) async throws -> EditResult {
    guard try journal.folder.signature(of: path) != nil else {
      // Only the next scan of the folder decides if the missing file was deleted.
      let outcome = try await saver.saveCommandChanges([path], from: .editor)
      return .written(path, outcome)
    }
    let renamed = isNew ? try nameFromTitle(path) : path
    if renamed != path { try saver.follow([path: renamed]) }
    try saver.recordBlank(nil, at: path)
    let removed: Set<EntryPath> = renamed == path ? [] : [path]
    let outcome =
      isNew
      ? try await saveCommandChanges(
        [renamed], deleted: removed, from: .editor, as: journal.history.newEntryOperation(renamed))
      : try await saver.saveCommandChanges([renamed], deleted: removed, from: .editor)
    // A sync may have updated the file while the editor showed an older text.
    if try !journal.checkouts.loadWaitingCheckouts().isEmpty {
      try await saver.discard(integration.applyCheckouts().displaced)
      _ = try await journal.catalog.updateIndex(only: [renamed])
    }
    return .written(renamed, outcome)
  }

  /// Names a file that `diary new` created without a title. This runs after the editor has closed,
  /// because the title is known only then.
  func nameFromTitle(_ path: EntryPath) throws -> EntryPath {
    guard let entry = try journal.weather.entry(at: path), let date = entry.date,
      let layout = journal.entries.layout(journal.settings.layout),
      path != journal.entries.dailyNotePath(of: date)
    else { return path }
    let day = date.day(startingAt: journal.settings.dayStartsAt)
    let untitled = layout.path(title: nil, date: date, day: day)
    guard path.stem.hasPrefix(untitled.stem), entry.title != path.stem,
      !journal.isOpenInEditor(path)
    else {
      return path
    }
    for _ in 0..<100 {
      let free = layout.path(title: entry.title, date: date, day: day) {
        journal.folder.hasFile($0)
      }
      if try journal.folder.moveIfFree(path, to: free) { return free }
    }
    return path
  }
}
