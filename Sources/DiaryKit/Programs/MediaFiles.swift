import DiaryCore
import EntryFiles
import Synchronization

/// The pictures and the like of a journal by name, for links that tell no folder. The folder is walked
/// when the first of them is looked for.
final class MediaFiles: Sendable {
  private let folder: JournalFolder
  private let rules: EntryMatcher
  private let byName = Mutex<[String: [EntryPath]]?>(nil)

  init(_ journal: Journal) {
    folder = journal.folder
    rules = EntryMatcher(settings: journal.settings)
  }

  /// The files that a reference may mean: its candidates that exist; else, for `[[…]]`, the one whose
  /// path ends so, the nearest to the root first, as Obsidian does.
  func files(of reference: FileReference) -> [EntryPath] {
    let present = reference.candidates.filter(folder.hasFile)
    return present.isEmpty ? [reference.pathEnd.flatMap(file)].compactMap(\.self) : present
  }

  private func file(endingWith end: EntryPath) -> EntryPath? {
    let key = end.name.lowercased()
    let files = byName.withLock { known in
      if let known { return known[key] ?? [] }
      let all = folder.scan(rules, includesOthers: true).otherFiles.map(\.path).filter(
        FileName.isMedia)
      let names = Dictionary(grouping: all) { $0.name.lowercased() }
      known = names
      return names[key] ?? []
    }
    let wanted = end.text.lowercased()
    return files.filter { path in
      let text = path.text.lowercased()
      return text == wanted || text.hasSuffix("/" + wanted)
    }.min { ($0.names.count, $0) < ($1.names.count, $1) }
  }
}
