import DiaryCore
import EntryFiles
import Synchronization

/// The media files and notes of a journal by name, for links without a folder. The folder is scanned
/// at the first lookup.
final class LinkedFileLookup: Sendable {
  private let folder: JournalFolder
  private let isVault: Bool
  private let rules: EntryMatcher
  private let byName = Mutex<[String: [EntryPath]]?>(nil)

  init(_ journal: Journal) {
    folder = journal.folder
    isVault = journal.settings.isVault
    rules = EntryMatcher(settings: journal.settings)
  }

  /// The files that a reference may name: its existing candidates. Otherwise, for `[[…]]` and in a
  /// vault, the file whose path ends with it and that is nearest to the root, as in Obsidian.
  func files(of reference: FileReference) -> [EntryPath] {
    let present = reference.candidates.filter(folder.hasFile)
    guard present.isEmpty, reference.isWiki || isVault else { return present }
    return [reference.pathEnd.flatMap(file)].compactMap(\.self)
  }

  /// The note of a link `[[name]]`: the one with this path, or whose path ends with it.
  func note(_ name: EntryPath) -> EntryPath? {
    folder.hasFile(name) ? name : file(endingWith: name)
  }

  private func file(endingWith end: EntryPath) -> EntryPath? {
    let key = end.name.lowercased()
    let files = byName.withLock { known in
      if let known { return known[key] ?? [] }
      let found = folder.scan(rules, includesOthers: true)
      let all = found.entries.map(\.path) + found.otherFiles.map(\.path).filter(FileName.isMedia)
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
