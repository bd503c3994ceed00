import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory

extension Journal {
  /// Under which name the index remembers the entries that it had and the folder has no more. Mostly
  /// there are none, and then neither the repository nor git's index is asked about them.
  private static let remark = "gone"

  /// The saved entries that are missing from the folder, by path; of the index as it stands.
  package func missingEntries() async throws -> [EntryPath] {
    let known = try catalog.metadata(Self.remark)
    if known == "" { return [] }
    let gone: [EntryPath]
    if let known {
      gone = known.split(separator: "\n").compactMap { EntryPath(percentEncoded: String($0)) }
    } else {
      // A new index, or one of an older Diary's.
      let rules = EntryMatcher(settings: settings)
      gone = try await savedPaths().filter { rules.isEntry($0) }
    }
    let missing = try await stillSaved(gone.filter { !folder.has($0) })
    let text = missing.map(\.percentEncoded).joined(separator: "\n")
    if text != known { try? catalog.setMetadata(Self.remark, text) }
    return missing
  }

  /// Remembers the entries that an update of the index has not found any more, but for those that
  /// moved: the next list asks whether they are saved.
  func noteGone(_ change: IndexChange) async throws {
    guard let known = try catalog.metadata(Self.remark), !change.removed.isEmpty else { return }
    var gone = Set(change.removed)
    if !change.added.isEmpty {
      let added = change.added.compactMap { path in
        ((try? folder.read(path)) ?? nil).map {
          FileChange.write(path, $0.bytes, executable: false)
        }
      }
      gone.subtract(try await moves(of: gone, among: added).paths.keys)
    }
    let lines = known.split(separator: "\n").map(String.init)
    try catalog.setMetadata(
      Self.remark, Set(lines + gone.map(\.percentEncoded)).sorted().joined(separator: "\n"))
  }

  /// Those of the paths that are saved and not meant to be gone, nor still to be brought by a sync.
  @inline(never)
  private func stillSaved(_ paths: [EntryPath]) async throws -> [EntryPath] {
    guard !paths.isEmpty else { return [] }
    let waiting = try waitingArrivals()
    return try await repository.missing(among: paths.filter { waiting[$0] == nil })
  }

  @inline(never)
  private func savedPaths() async throws -> [EntryPath] { try await repository.savedPaths() }

  /// What the missing entries were when they were last saved.
  func missingAsSaved() async throws -> [DeletedEntry] {
    let missing = try await missingEntries()
    guard !missing.isEmpty else { return [] }
    let kept = try await repository.kept(missing)
    var found: [DeletedEntry] = []
    for path in missing {
      guard let blob = kept[path] else { continue }
      let bytes = try await repository.content(of: blob)
      if EntryMatcher.isMadeByDiary(bytes[...]) { continue }
      found.append(
        DeletedEntry(entry: listed(EntryText(bytes), at: path), at: now, commit: ""))
    }
    return found
  }
}
