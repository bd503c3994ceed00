import DiaryCore
import EntryFiles
import GitHistory
import Localization

extension FolderChanges {
  /// The record. Before the first one, it is made from the saved files that exist.
  fileprivate func loadKnownFolders() async throws -> [String: KnownFolder] {
    if let known = try journal.state.knownFolders.load() { return known }
    return try await foldersOfSavedFiles()
  }

  /// The present folders of the saved files that exist.
  fileprivate func foldersOfSavedFiles() async throws -> [String: KnownFolder] {
    var known: [String: KnownFolder] = [:]
    var seen: Set<EntryPath> = []
    for path in try await journal.repository.savedPaths() {
      guard let parent = path.folder, !seen.contains(parent), journal.folder.hasFile(path) else {
        continue
      }
      for above in path.folders where seen.insert(above).inserted {
        known[above.percentEncoded] = journal.folder.knownFolder(at: above)
      }
    }
    return known
  }

  /// The absent paths that do not count as deleted because of a folder above them.
  func folderDoubts(_ paths: [EntryPath]) async throws -> FolderDoubts {
    var doubts = FolderDoubts()
    if paths.isEmpty { return doubts }
    let known = try await loadKnownFolders()
    var gone: Set<EntryPath> = []
    for path in Set(paths.flatMap(\.folders)) {
      guard let now = journal.folder.knownFolder(at: path) else { continue }
      let was = known[path.percentEncoded]
      if was?.isMount == true, !now.isMount {
        doubts.away.insert(path)
      } else if was?.isMount ?? true || was?.isReplaced(by: now) ?? true {
        gone.insert(path)
      }
    }
    if !gone.isEmpty {
      let saved = try await journal.repository.savedPaths()
      for path in gone
      where !saved.contains(where: { $0.isInside(path) && journal.folder.hasFile($0) }) {
        if known[path.percentEncoded]?.isMount == false {
          doubts.away.insert(path)
        } else {
          doubts.unsure.insert(path)
        }
      }
    }
    return doubts
  }

  /// The reason why nothing may be created at the path, as the end of a sentence; `nil` if it may.
  func awayReason(at path: EntryPath) -> String? {
    journal.folder.awayFolder(above: path).map { away in
      localized("is in \(away.text), which is not mounted or was replaced by an empty folder")
    }
  }
}

extension Saver {
  /// Records the folders of files that were just saved, checked out or removed. A mount stays one,
  /// until the folder has no files any more.
  func recordFolders(of paths: some Sequence<EntryPath>) async throws {
    let folders = Set(paths.flatMap(\.folders))
    guard !folders.isEmpty else { return }
    let before = try await journal.changes.loadKnownFolders()
    var known = before
    for path in folders {
      let now = journal.folder.isEmptyFolder(path) ? nil : journal.folder.knownFolder(at: path)
      known[path.percentEncoded] = now?.following(before[path.percentEncoded])
    }
    try write(known)
  }

  /// Brings the record up to date with folders that other programs replaced or mounted, if saved
  /// files are in them, and leaves out those without any.
  func refreshKnownFolders() async throws {
    let before = try await journal.changes.loadKnownFolders()
    let changed = before.compactMap {
      key, was -> (key: String, path: EntryPath, now: KnownFolder)? in
      guard let path = EntryPath(percentEncoded: key),
        let now = journal.folder.knownFolder(at: path),
        now.following(was) != was
      else { return nil }
      return (key, path, now)
    }
    var known = before
    let saved = changed.isEmpty ? [] : try await journal.repository.savedPaths()
    for (key, path, now) in changed {
      let files = saved.filter { $0.isInside(path) }
      if files.isEmpty {
        known[key] = nil
      } else if files.contains(where: journal.folder.hasFile) {
        known[key] = now.following(before[key])
      }
    }
    try write(known)
  }

  /// Accepts the folders as they are, when the user has confirmed the deletions in them.
  func acceptFolders() async throws {
    try write(try await journal.changes.foldersOfSavedFiles())
  }

  private func write(_ known: [String: KnownFolder]) throws {
    let file = journal.state.knownFolders
    if try known != file.load() { try file.write(known) }
  }
}

/// The folders whose absent files do not count as deleted.
struct FolderDoubts {
  /// The folder is not the one in which Diary saw the files.
  var away: Set<EntryPath> = []
  /// All its files are gone, and it is a mount or not known to Diary.
  var unsure: Set<EntryPath> = []

  func isAway(_ path: EntryPath) -> Bool { path.folders.contains(where: away.contains) }

  func contains(_ path: EntryPath) -> Bool {
    isAway(path) || path.folders.contains(where: unsure.contains)
  }
}
