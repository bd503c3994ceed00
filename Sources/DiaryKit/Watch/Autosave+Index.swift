import DiaryCore

extension Autosave {
  /// Brings the index and the list up to date with the whole folder.
  func list() async {
    await look {
      try await $0.refresh()
      try $0.writeList()
    }
  }

  /// The same for the paths that were saved in this round: after its commit, which must not wait for
  /// the list.
  func listSaved() async {
    guard !unlisted.isEmpty else { return }
    let saved = unlisted
    unlisted = [:]
    await look {
      _ = try await $0.refresh(only: saved.keys.sorted(), seen: saved)
      try $0.writeList()
    }
  }
}
