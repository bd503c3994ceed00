import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import Localization

/// The paths that Diary saves in this journal (docs/autosave.md, "What is saved").
struct SavePolicy {
  private let journal: Journal
  private let entries: EntryMatcher

  init(_ journal: Journal) {
    self.journal = journal
    entries = EntryMatcher(settings: journal.settings)
  }

  enum Kind { case entry, settings, attachment, file, never }

  func kind(of path: EntryPath) -> Kind {
    if let list = journal.settings.indexFile, path == list {
      return journal.settings.indexIsCommitted ? .file : .never
    }
    if path.text == ".diary/config.yml" || path.text.hasPrefix(".diary/templates/") {
      return FileName.isNeverSaved(path) ? .never : .settings
    }
    if path.isHidden || FileName.isNeverSaved(path) || FileName.isSecret(path) { return .never }
    if entries.isEntry(path) { return .entry }
    if FileName.isMedia(path) { return .attachment }
    return journal.savedFiles == .all ? .file : .never
  }
}

extension FolderChanges {
  /// The files inside the journal that an entry embeds or links to, and the embedded files that do
  /// not exist.
  func referencedFiles(
    in text: FileContents?, of path: EntryPath, _ media: MediaFileLookup
  ) -> (found: [EntryPath], notFound: [SkippedFile]) {
    guard let text else { return ([], []) }
    var (found, notFound): ([EntryPath], [SkippedFile]) = ([], [])
    var references: [FileReference] = []
    EntryText(text.bytes).readBody { references += fileReferences(in: $0, of: path) }
    var seen: Set<FileReference> = []
    for reference in references where seen.insert(reference).inserted {
      let files = media.files(of: reference)
      found += files
      if files.isEmpty, reference.isShown,
        let name = reference.pathEnd ?? reference.candidates.first
      {
        notFound.append(
          SkippedFile(
            path: name, reason: localized("is linked in \(path.text), but does not exist")))
      }
    }
    return (found, notFound)
  }

  /// True if an indexed entry, other than `others`, refers to the file. Queries the index for the
  /// entries that contain its name.
  func isReferenced(
    _ path: EntryPath, among media: MediaFileLookup, excluding others: Set<EntryPath> = []
  ) -> Bool {
    guard let entries = try? entriesMentioning(path.name) else { return false }
    return entries.contains { entry in
      if others.contains(entry) { return false }
      let text = (try? journal.folder.read(entry)) ?? nil
      return referencedFiles(in: text, of: entry, media).found.contains(path)
    }
  }

  /// The entries whose text contains a file's name, plain or percent-encoded.
  func entriesMentioning(_ name: String) throws -> [EntryPath] {
    let encoded = name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
    let found = try Set([name, encoded]).flatMap { spelling in
      try journal.indexDatabase.search(.terms([SearchQuery.Term(spelling)]), isMarked: false)
        .map(\.summary.path)
    }
    return Set(found).sorted()
  }
}
