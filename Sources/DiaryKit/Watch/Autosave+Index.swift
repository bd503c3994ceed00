import DiaryCore

extension Autosave {
  /// Brings the index and the list up to date with the whole folder.
  func updateIndexAndList() async {
    await runReportingErrors {
      try await $0.updateIndex()
      try $0.writeListFile()
    }
  }

  /// The same for the paths that were saved in this round: after its commit, which must not wait for
  /// the list.
  func indexSavedFiles() async {
    guard !unindexed.isEmpty else { return }
    let saved = unindexed
    unindexed = [:]
    await runReportingErrors {
      _ = try await $0.updateIndex(only: saved.keys.sorted(), scanned: saved)
      try $0.writeListFile()
    }
  }
}
