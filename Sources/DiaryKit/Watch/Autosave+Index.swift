import DiaryCore

extension Autosave {
  /// Updates the index and the list file for the whole folder.
  func updateIndexAndList() async {
    await runReportingErrors {
      try await $0.catalog.updateIndex()
      try $0.catalog.writeListFile()
    }
  }

  /// Updates them for the paths that were saved in this round. It runs after the commit, which must
  /// not wait for the list file.
  func indexSavedFiles() async {
    guard !unindexed.isEmpty else { return }
    let saved = unindexed
    unindexed = [:]
    await runReportingErrors {
      _ = try await $0.catalog.updateIndex(only: saved.keys.sorted(), scanned: saved)
      try $0.catalog.writeListFile()
    }
  }
}
