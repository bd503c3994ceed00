import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Localization

/// The result of a rename.
package struct RenameOutcome: Sendable {
  /// The entry's new path.
  package var path: EntryPath
  /// The entries whose links were updated.
  package var updated: [EntryPath]
  /// Files that still link to the old path: notes that are not entries, and entries that are open
  /// or cannot be rewritten.
  package var filesWithStaleLinks: [EntryPath]
  /// The save.
  package var save: SaveOutcome
}

extension Entries {
  /// Gives an entry a new title and the matching file name, and updates the relative links to it.
  /// Notes that are not entries, and entries that cannot be rewritten, are not changed; those that
  /// link to it are only returned.
  package func rename(_ path: EntryPath, to title: String) async throws -> RenameOutcome {
    guard !title.allSatisfy(\.isWhitespace) else {
      throw DiaryError(
        localized("the new title is blank, so \(path.text) keeps its title"), kind: .usage,
        hint: localized("`diary rename REF TITLE…`"))
    }
    try Entries.refuseFaults(
      of: title, hint: localized("\(path.text) keeps its title; remove it and try again"))
    _ = try await journal.catalog.updateIndex()
    return try await journal.locked { locked in
      // Save unsaved text as a separate version before any file moves.
      let linking = try journal.changes.entriesMentioning(path.stem)
      let draft = try await locked.startOperation(
        .rename, journal.history.subject(of: [path]), [path] + linking, beforeSave: true)
      // Displaced files are removed after the save: a power failure could keep their removal and
      // lose the new names.
      var replaced: [DisplacedFile] = []
      defer { for file in replaced { file.discard() } }
      let old = try await locked.saver.rewrite(draft.files.file(at: path), syncsName: false) {
        text in
        if text.headerKind == .none, text.setHeading(title) { return }
        try text.set("title", .text(title))
      }
      if let old { replaced.append(old) }
      let renamed = try locked.move(path, toTitle: title)
      if renamed != path { try locked.saver.follow([path: renamed]) }
      let (updated, notUpdated) =
        renamed == path
        ? ([], [])
        : await locked.updateLinks(in: linking, draft.files, from: path, to: renamed, &replaced)
      let outcome = try await locked.saveCommandChanges(
        [renamed] + updated, deleted: renamed == path ? [] : [path], as: draft)
      let others = renamed == path ? [] : otherNotes(linkingTo: path)
      return RenameOutcome(
        path: renamed, updated: updated, filesWithStaleLinks: notUpdated + others, save: outcome)
    }
  }

  /// The Markdown files that are not entries and have links to `old`.
  private func otherNotes(linkingTo old: EntryPath) -> [EntryPath] {
    let rules = EntryMatcher(settings: journal.settings)
    let notes = journal.folder.scan(EntryMatcher(settings: Settings())).entries.map(\.path)
      .filter { !rules.isEntry($0) }
    let linking = concurrentMap(notes) { [folder = journal.folder] note in
      guard let text = try? folder.read(note) else { return false }
      // Any other name works: the question is whether a link would change.
      return old.sibling("-".utf8).flatMap {
        EntryText(text.bytes).rewritingLinks(in: note, from: old, to: $0)
      } != nil
    }
    return zip(notes, linking).filter(\.1).map(\.0)
  }
}

extension LockedJournal {
  /// Renames a file after its title. A date at the start of the old name stays.
  fileprivate func move(_ path: EntryPath, toTitle title: String) throws -> EntryPath {
    let titleSlug = slug(of: title)
    let dated = path.stem.prefix { $0.isNumber || $0 == "-" || $0 == "_" }
    let prefix = String(dated).trimmingCharacters(in: CharacterSet(charactersIn: "-_"))
    let isDated = EntryPath(prefix + ".md")?.impliedDay != nil
    let date =
      isDated ? prefix.prefix(10).trimmingCharacters(in: CharacterSet(charactersIn: "-_")) : ""
    let stem = [date, titleSlug].filter { !$0.isEmpty }.joined(separator: "-")
    guard !titleSlug.isEmpty, stem != path.stem,
      let wanted = path.sibling((stem + "." + path.fileExtension).utf8)
    else { return path }
    let target = try wanted.firstFreePath {
      try $0 == path || journal.folder.moveIfFree(path, to: $0, syncsNames: false)
    }
    guard let target else {
      throw DiaryError(localized("cannot find a free file name for \(title)"))
    }
    return target
  }

  /// Updates the links to a moved entry. The move is done, so an entry that cannot be rewritten
  /// does not end the rename.
  fileprivate func updateLinks(
    in linking: [EntryPath], _ files: EnteredFiles, from old: EntryPath, to new: EntryPath,
    _ replaced: inout [DisplacedFile]
  ) async -> (updated: [EntryPath], notUpdated: [EntryPath]) {
    var (updated, notUpdated): ([EntryPath], [EntryPath]) = ([], [])
    for path in linking {
      // The moved entry links to itself.
      let path = path == old ? new : path
      do {
        // A file that is refused may link to the old path, too.
        guard let bytes = try journal.folder.read(path)?.bytes,
          EntryText(bytes).rewritingLinks(in: path, from: old, to: new) != nil
        else { continue }
        let file =
          try path == new
          ? await saver.enter([new], beforeSave: true).file(at: new) : files.file(at: path)
        let aside = try await saver.rewrite(file, syncsName: false) { text in
          text = text.rewritingLinks(in: path, from: old, to: new) ?? text
        }
        if let aside { replaced.append(aside) }
        if path != new { updated.append(path) }
      } catch {
        notUpdated.append(path)
      }
    }
    return (updated, notUpdated)
  }
}
