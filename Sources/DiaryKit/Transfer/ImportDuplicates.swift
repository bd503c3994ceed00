import DiaryCore
import EntryFiles
import EntryFormats
import EntryIndex
import GitHistory

/// The parts of an import that the journal already has. An import on one device must not repeat
/// what another device has imported and synced.
struct ImportDuplicates {
  private typealias Twin = (path: EntryPath, day: Day?)

  /// The entries with a text, by the text's digest, in the order of their paths.
  private var twins: [Substring: [Twin]] = [:]
  /// The entry of each source ID, and the digest of its last import.
  private(set) var sources: [String: (path: EntryPath, digest: String?)] = [:]
  /// Source IDs whose entries were deleted here, other than by undoing an import.
  private(set) var deletedSources: Set<String> = []

  init(_ journal: Journal, wanted reading: ImportReading) async throws {
    for entry in try journal.indexDatabase.list(ListFilter()).sorted(by: { $0.path < $1.path }) {
      guard let file = try journal.folder.read(entry.path) else { continue }
      twins[Self.key(contentDigest(file.bytes)), default: []].append(
        (entry.path, entry.date?.date))
      let text = EntryText(file.bytes)
      guard let source = text.string(Transfer.sourceKey) else { continue }
      sources[source] = (entry.path, text.string(Transfer.digestKey))
    }
    // A file that keeps its bytes has no source in its header.
    let items = reading.parts.flatMap(\.batch.entries).filter { $0.path == nil }
    let asked = Set(items.compactMap(\.sourceID))
    let missing = asked.subtracting(sources.keys)
    guard !missing.isEmpty else { return }
    try await findDeleted(journal, missing)
  }

  /// The entries of this day with the text of a digest, in the order of their paths. Without a
  /// day, the text decides.
  func paths(of digest: String, on day: Day?) -> [EntryPath] {
    (twins[Self.key(digest)] ?? []).filter { twin in
      day == nil || twin.day == day || twin.day == nil
    }.map(\.path)
  }

  /// The part of a digest that the marks contain.
  private static func key(_ digest: String) -> Substring { digest.prefix(16) }

  /// The commit's message tells if an import was undone; the deletion of another file is the same
  /// commit.
  private mutating func findDeleted(_ journal: Journal, _ missing: Set<String>) async throws {
    var isUndo: [CommitID: Bool] = [:]
    for file in try await journal.repository.deletedFiles().files where file.path.isMarkdown {
      let bytes = try await journal.repository.content(of: file.blob)
      guard let source = EntryText(bytes).string(Transfer.sourceKey), missing.contains(source)
      else {
        continue
      }
      if isUndo[file.commit] == nil {
        isUndo[file.commit] = try await journal.repository.message(of: file.commit)
          .contains("\n" + Transfer.undoneImportTrailer)
      }
      if isUndo[file.commit] == false { deletedSources.insert(source) }
    }
  }
}
