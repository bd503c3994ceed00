import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory

extension Journal {
  /// The metadata key of the entries that the index had and the folder no longer has. Usually there
  /// are none; then neither the repository nor git's index is queried.
  private static let metadataKey = "gone"

  /// The saved entries that are missing from the folder, by path, from the index without an update.
  package func missingEntries() async throws -> [EntryPath] {
    let known = try indexDatabase.metadata(Self.metadataKey)
    if known == "" { return [] }
    let removed: [EntryPath]
    if let known {
      removed = known.split(separator: "\n").compactMap { EntryPath(percentEncoded: String($0)) }
    } else {
      // A new index, or one that an older Diary wrote.
      let rules = EntryMatcher(settings: settings)
      removed = try await repository.savedPaths().filter { rules.isEntry($0) }
    }
    let missing = try await savedButMissing(removed.filter { !folder.hasFile($0) })
    let text = missing.map(\.percentEncoded).joined(separator: "\n")
    if text != known { try? indexDatabase.setMetadata(Self.metadataKey, text) }
    return missing
  }

  /// Records the entries that an index update no longer found, except moved ones. The next list
  /// checks if they are saved.
  func recordRemoved(_ change: IndexChange) async throws {
    guard let known = try indexDatabase.metadata(Self.metadataKey), !change.removed.isEmpty else {
      return
    }
    var removed = Set(change.removed)
    if !change.added.isEmpty {
      let added = change.added.compactMap { path in
        ((try? folder.read(path)) ?? nil).map {
          FileChange.write(path, $0.bytes, executable: false)
        }
      }
      removed.subtract(try await movedFiles(of: removed, among: added).paths.keys)
    }
    let lines = known.split(separator: "\n").map(String.init)
    try indexDatabase.setMetadata(
      Self.metadataKey, Set(lines + removed.map(\.percentEncoded)).sorted().joined(separator: "\n"))
  }

  /// The paths that are saved, not deleted on purpose, and without a pending checkout.
  private func savedButMissing(_ paths: [EntryPath]) async throws -> [EntryPath] {
    guard !paths.isEmpty else { return [] }
    let pending = try loadPendingCheckouts()
    return try await repository.missingPaths(among: paths.filter { pending[$0] == nil })
  }

  /// The last saved versions of the missing entries.
  func missingEntryVersions() async throws -> [DeletedEntry] {
    let missing = try await missingEntries()
    guard !missing.isEmpty else { return [] }
    let saved = try await repository.savedBlobs(at: missing)
    var found: [DeletedEntry] = []
    for path in missing {
      guard let blob = saved[path] else { continue }
      let bytes = try await repository.content(of: blob)
      if settings.isGeneratedList(bytes[...], at: path) { continue }
      let entry = Entry(path: path, text: EntryText(bytes), settings: settings, zone: zone)
      found.append(DeletedEntry(saved: entry, at: now, commit: ""))
    }
    return found
  }
}
