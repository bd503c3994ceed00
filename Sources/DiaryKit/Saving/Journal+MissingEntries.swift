import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory

extension Journal {
  /// Under which name the index remembers the entries that it had and the folder has no more. Mostly
  /// there are none, and then neither the repository nor git's index is asked about them.
  private static let metadataKey = "gone"

  /// The saved entries that are missing from the folder, by path; of the index as it stands.
  package func missingEntries() async throws -> [EntryPath] {
    let known = try indexDatabase.metadata(Self.metadataKey)
    if known == "" { return [] }
    let removed: [EntryPath]
    if let known {
      removed = known.split(separator: "\n").compactMap { EntryPath(percentEncoded: String($0)) }
    } else {
      // A new index, or one of an older Diary's.
      let rules = EntryMatcher(settings: settings)
      removed = try await savedPaths().filter { rules.isEntry($0) }
    }
    let missing = try await savedButMissing(removed.filter { !folder.hasFile($0) })
    let text = missing.map(\.percentEncoded).joined(separator: "\n")
    if text != known { try? indexDatabase.setMetadata(Self.metadataKey, text) }
    return missing
  }

  /// Remembers the entries that an update of the index has not found any more, but for those that
  /// moved: the next list asks whether they are saved.
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

  /// Those of the paths that are saved and not meant to be gone, nor still to be brought by a sync.
  @inline(never)
  private func savedButMissing(_ paths: [EntryPath]) async throws -> [EntryPath] {
    guard !paths.isEmpty else { return [] }
    let pending = try loadPendingCheckouts()
    return try await repository.missingPaths(among: paths.filter { pending[$0] == nil })
  }

  @inline(never)
  private func savedPaths() async throws -> [EntryPath] { try await repository.savedPaths() }

  /// What the missing entries were when they were last saved.
  func missingEntryVersions() async throws -> [DeletedEntry] {
    let missing = try await missingEntries()
    guard !missing.isEmpty else { return [] }
    let saved = try await repository.savedBlobs(at: missing)
    var found: [DeletedEntry] = []
    for path in missing {
      guard let blob = saved[path] else { continue }
      let bytes = try await repository.content(of: blob)
      if EntryMatcher.isGeneratedList(bytes[...]) { continue }
      found.append(
        DeletedEntry(entry: summary(of: EntryText(bytes), at: path), at: now, commit: ""))
    }
    return found
  }
}
