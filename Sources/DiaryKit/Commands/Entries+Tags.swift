import DiaryCore
import EntryFiles
import EntryIndex
import GitHistory
import Localization

/// The result of renaming a tag.
package struct TagRename: Sendable {
  /// The entries that changed.
  package var changed: [EntryPath] = []
  /// The entries that still have the old tag, each with the reason.
  package var refusals: [DiaryError] = []
  /// The save.
  package var save = SaveOutcome()
}

extension Entries {
  /// Renames a tag, and all tags below it, in every entry. An entry that is open, or that cannot be
  /// rewritten, keeps it.
  package func renameTag(_ old: String, to new: String) async throws -> TagRename {
    let marks = journal.settings.tagMarks
    let (old, new) = (marks.removed(from: old), marks.removed(from: new))
    guard marks.canMark(new) else {
      throw DiaryError(
        localized("\"\(new)\" cannot be a tag"), kind: .usage,
        hint: localized("a tag begins with a letter, and has letters, digits, -, _ and /"))
    }
    guard old != new else {
      throw DiaryError(
        localized("both names are \(new)"), kind: .usage,
        hint: localized("`diary tags --rename OLD NEW`"))
    }
    _ = try await journal.catalog.updateIndex()
    let paths = try journal.indexDatabase.list(ListFilter(tags: [old])).map(\.path)
    guard !paths.isEmpty else {
      throw DiaryError(
        localized("no entry has the tag \(old)"), kind: .nothingFound,
        hint: localized("`diary tags` lists all tags"))
    }
    return try await journal.locked { locked in
      var rename = TagRename()
      // A text that waits for its file may have the tag, too.
      let waiting = try journal.state.checkouts.load().filter(\.isWaiting).compactMap {
        $0.path.flatMap(journal.gitLocation.journalPath)
      }
      let paths = paths + waiting.filter { $0.isMarkdown && !paths.contains($0) }
      let draft = try await locked.startOperation(.tag, "#\(old) → #\(new)", paths)
      for path in paths {
        var isChanged = false
        do {
          // The change is made again if the file changes meanwhile.
          try await locked.saver.rewrite(draft.files.file(at: path)) { text in
            let before = text
            try text.renameTag(old, to: new, marked: marks)
            isChanged = text != before
          }?.discard()
          if isChanged { rename.changed.append(path) }
        } catch let error as FrontMatterError {
          rename.refusals.append(DiaryError("\(path.text): \(error.description)"))
        } catch {
          rename.refusals.append(DiaryError(error))
        }
      }
      let count = rename.changed.count
      rename.save = try await locked.saveCommandChanges(
        rename.changed, as: draft,
        message: "Rename the tag #\(old) to #\(new) in \(History.entryCount(count))")
      let entries = counted(count, "entry", "entries")
      rename.save.commit?.subject = localized("Rename the tag #\(old) to #\(new) in \(entries)")
      return rename
    }
  }
}
