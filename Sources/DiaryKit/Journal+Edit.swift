import DiaryCore
import EntryFiles
import Foundation

extension Journal {
  /// The editor's command line: the settings', else `$VISUAL`, else `$EDITOR`; `nil` when none is
  /// set.
  public var editor: String? {
    [settings.editor, surroundings.environment["VISUAL"], surroundings.environment["EDITOR"]]
      .compactMap(\.self).first { !$0.allSatisfy(\.isWhitespace) }
  }

  /// Opens the entry in the writer's editor, waits for it, and saves what was written.
  ///
  /// - Parameter began: the file was made for this sitting: it may be blank, and may get its name
  ///   from its title.
  public func edit(_ path: EntryPath, line: Int? = nil, began: Bool) async throws -> Sitting {
    guard let editor else { throw DiaryError.noEditor }
    let before = try folder.read(path)?.bytes
    let started = Autosave.clock
    let status = try await programs.attend(
      shellLine: editor, words: [root + "/" + path.text], folder: root)
    let seconds = Double(Autosave.clock - started) / 1_000_000_000
    let after = try folder.read(path)?.bytes
    guard status == 0 else {
      if began, try await isBlank(path) { try removeBlank(path) }
      let kept = after == nil ? "" : "; \(path.text) is kept"
      throw DiaryError(
        "the editor ended with exit code \(status)\(kept)",
        details: ["editor: \(editor)"],
        hint: "set another with `editor:` in "
          + "\(surroundings.personalSettings), $VISUAL or $EDITOR")
    }
    if seconds < 2, after != nil, after == before { return .editorForked(path) }
    return try await exclusively { try await self.finishSitting(path, began: began) }
  }

  private func finishSitting(_ path: EntryPath, began: Bool) async throws -> Sitting {
    if began, try await isBlank(path) {
      try removeBlank(path)
      return .blank
    }
    guard try folder.stamp(path) != nil else {
      // That it is gone is not yet a deletion: the folder must show it (promise 7).
      let outcome = try await saveOwn([path], from: .editor)
      return .written(path, outcome)
    }
    let named = began ? try nameFromTitle(path) : path
    if named != path { try moveOwed(from: path, to: named) }
    try remember(blank: nil, at: path)
    let gone: Set<EntryPath> = named == path ? [] : [path]
    let outcome =
      began
      ? try await saveOwn([named], deleted: gone, from: .editor, as: begun(named))
      : try await saveOwn([named], deleted: gone, from: .editor)
    // The editor may have shown an older text than a sync brought meanwhile.
    if try !waitingArrivals().isEmpty {
      for aside in try await bringArrivals().asides { aside.file.discard() }
      _ = try await refresh(only: [named])
    }
    return .written(named, outcome)
  }

  /// `diary new` without a title names its file when the editor has let go: only then is it known
  /// what the entry is called.
  private func nameFromTitle(_ path: EntryPath) throws -> EntryPath {
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

extension DiaryError {
  /// There is nothing to write with.
  public static var noEditor: DiaryError {
    DiaryError(
      "no editor is set",
      hint: "set $EDITOR (`export EDITOR=nano`), or give the text with --message")
  }
}
