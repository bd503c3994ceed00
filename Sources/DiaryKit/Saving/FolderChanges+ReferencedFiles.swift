import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import Localization

extension FolderChanges {
  /// The files inside the journal that an entry embeds or links to, and the embedded files that do
  /// not exist.
  func referencedFiles(
    in text: FileContents?, of path: EntryPath, _ media: LinkedFileLookup
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
    _ path: EntryPath, among media: LinkedFileLookup, excluding others: Set<EntryPath> = []
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
