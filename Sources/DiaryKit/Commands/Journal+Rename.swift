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
  /// Notes that are not entries and link to the old path.
  package var notesWithStaleLinks: [EntryPath]
  /// The save.
  package var save: SaveOutcome
}

extension Journal {
  /// Gives an entry a new title and the matching file name, and updates the relative links to it.
  /// Notes that are not entries are not changed; those that link to it are only returned.
  package func rename(_ path: EntryPath, to title: String) async throws -> RenameOutcome {
    guard !title.allSatisfy(\.isWhitespace) else {
      throw DiaryError(
        localized("the new title is blank, so \(path.text) keeps its title"), kind: .usage,
        hint: localized("`diary rename REF TITLE…`"))
    }
    try Journal.refuseFaults(
      of: title, hint: localized("\(path.text) keeps its title; remove it and try again"))
    guard !isOpenInEditor(path) else {
      throw DiaryError(
        localized("\(path.text) is open in an editor"), hint: localized("close it, then try again"))
    }
    _ = try await updateIndex()
    return try await withJournalLock {
      // Save unsaved text as a separate version before any file moves.
      let linking = try self.entriesMentioning(path.stem)
      let draft = try await self.startOperation(
        .rename, self.subject(of: [path]), [path] + linking, beforeSave: true)
      // The old files' removal may reach the disk before the new names: save in between.
      var replaced: [DisplacedFile] = []
      defer { for file in replaced { file.discard() } }
      try self.setTitle(title, of: path, &replaced)
      let renamed = try self.move(path, toTitle: title)
      if renamed != path { try self.moveQueuedStamp(from: path, to: renamed) }
      let updated = renamed == path ? [] : try self.updateLinks(from: path, to: renamed, &replaced)
      let outcome = try await self.saveCommandChanges(
        [renamed] + updated, deleted: renamed == path ? [] : [path], as: draft)
      let others = renamed == path ? [] : self.otherNotes(linkingTo: path)
      return RenameOutcome(
        path: renamed, updated: updated, notesWithStaleLinks: others, save: outcome)
    }
  }

  private func setTitle(
    _ title: String, of path: EntryPath, _ replaced: inout [DisplacedFile]
  ) throws {
    let old = try rewrite(path, syncsName: false) { text in
      if text.headerKind == .none, text.setHeading(title) { return }
      try text.set("title", .text(title))
    }
    if let old { replaced.append(old) }
  }

  /// Reads, changes and writes an entry, again if it changed in the meantime.
  func rewrite(_ path: EntryPath, _ change: (inout EntryText) throws -> Void) throws {
    try rewrite(path, syncsName: true, change)?.discard()
  }

  /// Rewrites an entry and returns the displaced file for the caller to discard; without
  /// `syncsName`, only after a save has made the new name durable.
  private func rewrite(
    _ path: EntryPath, syncsName: Bool, _ change: (inout EntryText) throws -> Void
  ) throws -> DisplacedFile? {
    for _ in 0..<10 {
      guard let file = try folder.read(path) else {
        throw DiaryError(localized("the file \(path.text) no longer exists"))
      }
      var text = EntryText(file.bytes)
      try Journal.refuseDamage(in: text, of: path)
      try change(&text)
      if text.bytes == file.bytes { return nil }
      if case .replaced(let aside) = try folder.replace(
        path, expecting: file.bytes, with: text.bytes, displacedDirectory: stateFolder,
        allowPlainRename: true, syncsName: syncsName)
      {
        return aside
      }
    }
    throw DiaryError(
      localized("\(path.text) keeps changing"), hint: localized("close the program that writes it"))
  }

  /// Renames a file after its title. A date at the start of the old name stays.
  private func move(_ path: EntryPath, toTitle title: String) throws -> EntryPath {
    let titleSlug = slug(of: title)
    let dated = path.stem.prefix { $0.isNumber || $0 == "-" || $0 == "_" }
    let prefix = String(dated).trimmingCharacters(in: CharacterSet(charactersIn: "-_"))
    let isDated = EntryPath(prefix + ".md")?.impliedDay != nil
    let date =
      isDated ? prefix.prefix(10).trimmingCharacters(in: CharacterSet(charactersIn: "-_")) : ""
    let stem = [date, titleSlug].filter { !$0.isEmpty }
    guard !titleSlug.isEmpty, stem.joined(separator: "-") != path.stem else { return path }
    for number in 1...10_000 {
      let name =
        stem.joined(separator: "-") + (number == 1 ? "" : "-\(number)") + "." + path.fileExtension
      let target = path.folder?.appending(name.utf8) ?? EntryPath(name)
      guard let target, target != path else { return path }
      if try folder.moveIfFree(path, to: target, syncsNames: false) { return target }
    }
    throw DiaryError(localized("cannot find a free file name for \(title)"))
  }

  /// The Markdown files that are not entries and have links to `old`.
  private func otherNotes(linkingTo old: EntryPath) -> [EntryPath] {
    let rules = EntryMatcher(settings: settings)
    let notes = folder.scan(EntryMatcher(settings: Settings())).entries.map(\.path)
      .filter { !rules.isEntry($0) }
    let linking = concurrentMap(notes) { [folder] note in
      guard let text = try? folder.read(note) else { return false }
      // Any other name works: the question is whether a link would change.
      let other = old.folder?.appending("-".utf8) ?? EntryPath("-")
      return other.flatMap {
        EntryText(text.bytes).rewritingLinks(in: note, from: old, to: $0)
      } != nil
    }
    return zip(notes, linking).filter(\.1).map(\.0)
  }

  private func updateLinks(
    from old: EntryPath, to new: EntryPath, _ replaced: inout [DisplacedFile]
  ) throws -> [EntryPath] {
    var updated: [EntryPath] = []
    for path in try entriesMentioning(old.stem) where path != old && !isOpenInEditor(path) {
      let before = try folder.read(path)?.bytes
      do {
        let aside = try rewrite(path, syncsName: false) { text in
          text = text.rewritingLinks(in: path, from: old, to: new) ?? text
        }
        if let aside { replaced.append(aside) }
      } catch let error as FileError where error.reason == .hardLinked {
        continue
      }
      if try folder.read(path)?.bytes != before { updated.append(path) }
    }
    return updated
  }
}
