import DiaryCore
import EntryFiles
import Foundation
import Localization

extension Entries {
  /// Adds or removes the stars of entries. In each header only `starred` changes. Returns the
  /// entries that changed.
  package func star(
    _ paths: [EntryPath], _ isStarred: Bool
  ) async throws -> (changed: [EntryPath], save: SaveOutcome) {
    return try await journal.locked { locked in
      var asked: [EntryPath] = []
      for path in paths where try !asked.contains(path) && needsStarChange(path, isStarred) {
        asked.append(path)
      }
      guard !asked.isEmpty else { return ([], SaveOutcome()) }
      var draft = try await locked.startOperation(
        isStarred ? .star : .unstar, journal.history.subject(of: asked), asked)
      var changed: [EntryPath] = []
      var refusal: (any Error)?
      for path in asked where refusal == nil {
        do {
          let file = try draft.files.file(at: path)
          if try await locked.setStar(file, isStarred) { changed.append(path) }
        } catch {
          refusal = error
        }
      }
      // Save the entries that were written before one was refused.
      draft.subject = journal.history.subject(of: changed)
      let save =
        changed.isEmpty ? SaveOutcome() : try await locked.saveCommandChanges(changed, as: draft)
      if let refusal { throw refusal }
      return (changed, save)
    }
  }

  /// True if the entry's star differs, or the entry is missing, which is refused later.
  private func needsStarChange(_ path: EntryPath, _ isStarred: Bool) throws -> Bool {
    guard let bytes = try journal.folder.read(path)?.bytes else { return true }
    return EntryText(bytes).isStarred != isStarred
  }
}

extension LockedJournal {
  /// Sets or removes the star. Returns true if the entry changed.
  fileprivate func setStar(_ file: SettledFile, _ isStarred: Bool) async throws -> Bool {
    var isChanged = false
    try await saver.rewrite(file) { text in
      isChanged = text.isStarred != isStarred
      guard isChanged else { return }
      if isStarred {
        try text.set(EntryText.starKey, .text("true"))
      } else {
        try text.remove(EntryText.starKey)
      }
    }?.discard()
    return isChanged
  }
}
