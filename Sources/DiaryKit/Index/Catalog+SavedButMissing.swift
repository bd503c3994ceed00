import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory

extension Catalog {
  /// The metadata key of the entries that the index had and the folder no longer has. Usually there
  /// are none; then neither the repository nor git's index is queried.
  private static let metadataKey = "gone"

  /// The saved entries that are missing from the folder, by path, from the index without an update.
  package func missingEntries() async throws -> [EntryPath] {
    let known = try journal.indexDatabase.metadata(Catalog.metadataKey)
    if known == "" { return [] }
    let removed: [EntryPath]
    if let known {
      removed = known.split(separator: "\n").compactMap { EntryPath(percentEncoded: String($0)) }
    } else {
      // A new index, or one that an older Diary wrote.
      let rules = EntryMatcher(settings: journal.settings)
      removed = try await journal.repository.savedPaths().filter { rules.isEntry($0) }
    }
    let missing = try await savedButMissing(removed.filter { !journal.folder.hasFile($0) })
    let text = missing.map(\.percentEncoded).joined(separator: "\n")
    if text != known { try? journal.indexDatabase.setMetadata(Catalog.metadataKey, text) }
    return missing
  }

  /// Records the entries that an index update no longer found, except moved ones. The next list
  /// checks if they are saved.
  func recordRemoved(_ change: IndexChange) async throws {
    guard let known = try journal.indexDatabase.metadata(Catalog.metadataKey),
      !change.removed.isEmpty
    else {
      return
    }
    var removed = Set(change.removed)
    if !change.added.isEmpty {
      let added = change.added.compactMap { path in
        ((try? journal.folder.read(path)) ?? nil).map {
          FileChange.write(path, $0.bytes, executable: false)
        }
      }
      removed.subtract(try await journal.changes.movedFiles(of: removed, among: added).paths.keys)
    }
    let lines = known.split(separator: "\n").map(String.init)
    try journal.indexDatabase.setMetadata(
      Catalog.metadataKey,
      Set(lines + removed.map(\.percentEncoded)).sorted().joined(separator: "\n"))
  }

  /// The paths that are saved, not deleted on purpose, and without a waiting checkout.
  private func savedButMissing(_ paths: [EntryPath]) async throws -> [EntryPath] {
    guard !paths.isEmpty else { return [] }
    let waiting = try journal.checkouts.loadWaitingCheckouts()
    return try await journal.repository.missingPaths(among: paths.filter { waiting[$0] == nil })
  }

  /// The last saved versions of the missing entries.
  func missingEntryVersions() async throws -> [DeletedEntry] {
    let missing = try await missingEntries()
    guard !missing.isEmpty else { return [] }
    let saved = try await journal.repository.savedBlobs(at: missing)
    var found: [DeletedEntry] = []
    for path in missing {
      guard let blob = saved[path] else { continue }
      let bytes = try await journal.repository.content(of: blob)
      if journal.settings.isListFile(bytes[...], at: path) { continue }
      let entry = Entry(
        path: path, text: EntryText(bytes), settings: journal.settings, zone: journal.zone)
      found.append(DeletedEntry(saved: entry, at: journal.now, commit: ""))
    }
    return found
  }
}
