import DiaryCore

/// The updates of the index and the list file for the files that the watcher saves.
final class IndexUpdates {
  /// Files that were saved in this round and are not yet in the index and the list file.
  private var files: Set<EntryPath> = []

  func add(_ saved: some Sequence<EntryPath>) { files.formUnion(saved) }

  /// Updates them for the saved files. It runs after the commit, which must not wait for the list
  /// file.
  nonisolated(nonsending) func updateSavedFiles(in journal: Journal) async throws {
    guard !files.isEmpty else { return }
    let saved = files.sorted()
    files = []
    _ = try await journal.catalog.updateIndex(only: saved)
    try journal.catalog.writeListFile()
  }
}
