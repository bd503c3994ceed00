import DiaryCore
import EntryFiles
import EntryFormats
import EntryIndex
import GitHistory

/// The parts of an import that the journal already has. An import on one device must not repeat
/// what another device has imported and synced.
struct PresentEntries {
  /// The day of each entry with a text, by the text's digest; `nil` for an undated one.
  private var textDays: [String: [Day?]] = [:]
  /// The entry of each source ID, and the digest of its last import.
  private(set) var sources: [String: (path: EntryPath, digest: String?)] = [:]
  /// Source IDs whose entries were deleted here, other than by undoing an import.
  private(set) var deletedSources: Set<String> = []

  @inline(never)
  init(_ journal: Journal, wanted reading: ImportReading) async throws {
    for entry in try journal.indexDatabase.list(ListFilter()) {
      guard let file = try journal.folder.read(entry.path) else { continue }
      textDays[contentDigest(file.bytes), default: []].append(entry.date?.date)
      let text = EntryText(file.bytes)
      guard let source = text.string(Journal.sourceKey) else { continue }
      sources[source] = (entry.path, text.string(Journal.digestKey))
    }
    let asked = Set(reading.parts.flatMap(\.batch.entries).compactMap(\.sourceID))
    let missing = asked.subtracting(sources.keys)
    guard !missing.isEmpty else { return }
    try await findDeleted(journal, missing)
  }

  /// The number of entries with a text, by its digest.
  func textCount(_ digest: String) -> Int { textDays[digest]?.count ?? 0 }

  /// True if an entry of this day has the same text. Without a day, the text decides.
  func hasText(_ bytes: [UInt8], on day: Day?) -> Bool {
    guard let days = textDays[contentDigest(bytes)] else { return false }
    return day == nil || days.contains(day) || days.contains(nil)
  }

  private mutating func findDeleted(_ journal: Journal, _ missing: Set<String>) async throws {
    var isUndo: [CommitID: Bool] = [:]
    for file in try await journal.repository.deletedFiles().files where file.path.isMarkdown {
      let bytes = try await journal.repository.content(of: file.blob)
      guard let source = EntryText(bytes).string(Journal.sourceKey), missing.contains(source) else {
        continue
      }
      if isUndo[file.commit] == nil {
        let versions = try await journal.repository.versions(of: file.path).versions
        let deletion = versions.first { $0.commit == file.commit }
        isUndo[file.commit] =
          deletion?.message.contains("\n" + Journal.undoneImportTrailer) ?? false
      }
      if isUndo[file.commit] == false { deletedSources.insert(source) }
    }
  }
}
