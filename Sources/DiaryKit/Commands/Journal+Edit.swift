import DiaryCore
import EntryFiles
import Foundation
import Localization

extension Journal {
  /// Opens the entry in the user's editor, waits for it, and saves what was written.
  ///
  /// - Parameters:
  ///   - began: the file was made for this sitting: it may be blank, and may get its name from its
  ///     title.
  ///   - wantsHeaderBack: asked when the header is no longer at the top; whether it can be put back
  ///     there, and whether it shall be.
  package func edit(
    _ path: EntryPath, in editor: EditorCommand, began: DraftEntry? = nil,
    wantsHeaderBack: @Sendable (_ canBe: Bool) -> Bool
  ) async throws -> Sitting {
    let before = try folder.read(path)
    let line = began?.line ?? before.map { EntryText($0.bytes).lineToWrite } ?? 1
    let started = Autosave.clock
    let status = try await programs.attend(
      shellLine: editor.shellLine,
      words: editor.arguments(opening: root + "/" + path.text, at: line),
      folder: root)
    let seconds = Double(Autosave.clock - started) / 1_000_000_000
    let after = try folder.read(path)
    // An editor that wrote the very same bytes has saved a title that the user gave.
    let isUntouched =
      before != nil && after?.bytes == before?.bytes
      && (began?.hasWords != true || after?.stamp == before?.stamp)
    let isBlank = isUntouched && began != nil ? try await isBlank(path) : false
    guard status == 0 else {
      if isBlank { try removeBlank(path) }
      throw failure(of: editor, status, isKept: after != nil && !isBlank, path)
    }
    if isUntouched, !editor.waits, seconds < 2 { return .editorForked(path) }
    if isBlank {
      try await exclusively { try self.removeBlank(path) }
      return .blank
    }
    if let before, let after { try await mendHeader(of: path, before, after, wantsHeaderBack) }
    return try await exclusively { try await self.finishSitting(path, began: began != nil) }
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
          + "\(environment.personalSettings), $VISUAL or $EDITOR"))
  }

  /// Puts the header back to the top where words were written above it, if the user wants it. What the
  /// editor wrote is kept as a version first.
  private func mendHeader(
    of path: EntryPath, _ before: FileContents, _ after: FileContents,
    _ wantsHeaderBack: @Sendable (_ canBe: Bool) -> Bool
  ) async throws {
    let (former, text) = (EntryText(before.bytes), EntryText(after.bytes))
    guard former.isHeaderAtTop, !text.isHeaderAtTop else { return }
    let mended = text.withHeaderAtTop(formerly: former)
    // A header that was taken out on purpose is nowhere.
    guard mended != nil || text.headerKind == .unreadable || text.holds(headerOf: former) else {
      return
    }
    guard wantsHeaderBack(mended != nil), let mended else { return }
    try await exclusively {
      _ = try await self.keep(try await self.collectChanges([path], atStart: false))
      try self.put(mended.bytes, over: after.bytes, at: path)
    }
  }

  private func finishSitting(_ path: EntryPath, began: Bool) async throws -> Sitting {
    guard try folder.stamp(path) != nil else {
      // That it is gone is not yet a deletion: the folder must show it.
      let outcome = try await saveCommandChanges([path], from: .editor)
      return .written(path, outcome)
    }
    let named = began ? try nameFromTitle(path) : path
    if named != path { try moveOwed(from: path, to: named) }
    try remember(blank: nil, at: path)
    let gone: Set<EntryPath> = named == path ? [] : [path]
    let outcome =
      began
      ? try await saveCommandChanges([named], deleted: gone, from: .editor, as: begun(named))
      : try await saveCommandChanges([named], deleted: gone, from: .editor)
    // The editor may have shown an older text than a sync brought meanwhile.
    if try !waitingArrivals().isEmpty {
      for aside in try await applyPendingCheckouts().asides { aside.file.discard() }
      _ = try await refresh(only: [named])
    }
    return .written(named, outcome)
  }

  /// `diary new` without a title names its file when the editor has let go: only then is it known
  /// what the entry is called.
  func nameFromTitle(_ path: EntryPath) throws -> EntryPath {
    guard let entry = try entry(at: path), let date = entry.date,
      let layout = layout(settings.layout), path != dailyNotePath(of: date)
    else { return path }
    let day = date.day(startingAt: settings.dayStartsAt)
    let untitled = layout.path(title: nil, date: date, day: day)
    guard path.stem.hasPrefix(untitled.stem), entry.title != path.stem, !isHeld(path) else {
      return path
    }
    for _ in 0..<100 {
      let free = layout.path(title: entry.title, date: date, day: day) {
        folder.has($0)
      }
      if try folder.moves(path, to: free) { return free }
    }
    return path
  }
}
