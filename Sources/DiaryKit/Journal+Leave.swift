import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc

extension Journal {
  /// Takes away all that Diary added: its settings folder, list, local config and `.git/diary`. The
  /// entries and the repository stay; what is unsaved is saved first.
  ///
  /// - Parameter keepingSaves: leave the ref that holds the single saves of each sitting.
  public func leave(keepingSaves: Bool) async throws -> SaveOutcome {
    guard runningWatcher == nil else {
      throw DiaryError(
        "a watcher runs in \(root)", hint: "end it first: interrupt it, or stop its service")
    }
    let outcome = try await save()
    if let waiting = outcome.waiting {
      throw DiaryError(
        "the last saves could not go to the branch yet: \(waiting)",
        hint: "finish that in git, then run `diary leave` again; nothing was changed")
    }
    if !outcome.stagedByWriter.isEmpty {
      throw DiaryError(
        "what you have staged is not on the branch yet",
        details: outcome.stagedByWriter.prefix(5).map(\.text),
        hint: "commit or unstage it, then run `diary leave` again; nothing was changed")
    }
    // What was saved on another branch, or on none, has no other place than the refs that go.
    if !keepingSaves, let kept = try await repository.keptNowhereElse().first {
      let place = kept.branch == "HEAD" ? "no branch" : "the branch \(kept.branch)"
      throw DiaryError(
        "something was saved on \(place) and never committed",
        details: kept.paths.prefix(5).map(\.text),
        hint: "check it out and run `diary save`, or keep the saves with --keep-saves; "
          + "nothing was changed")
    }
    try await exclusively {
      if let list = self.settings.indexFile, let file = try self.folder.read(list),
        EntryRules.isMadeByDiary(file.bytes[...]), !self.settings.indexIsCommitted
      {
        _ = try self.folder.remove(list, expecting: file.bytes)
      }
      let shared = try await self.repository.headEntries().keys.filter {
        $0.text.hasPrefix(".diary/")
      }
      for path in shared { _ = try self.folder.remove(path, expecting: nil) }
      if let config = EntryPath(".diary/config.yml") {
        _ = try? self.folder.remove(config, expecting: nil)
        self.folder.removeEmptyFolders(above: config)
      }
      rmdir(self.root + "/.diary/templates")
      rmdir(self.root + "/.diary")
      var last = SaveOutcome()
      last = try await self.keep(
        try await self.gather([], atStart: false).adding(deletions: shared))
      try await self.endSitting(into: &last)
      try await self.repository.removeLocalLines()
      try await self.repository.removeLocalConfig(Journal.mergeDriverKeys)
      if !keepingSaves { try await self.repository.removeSavesRefs() }
    }
    try? FileManager.default.removeItem(atPath: stateFolder)
    return outcome
  }
}

extension Gathered {
  func adding(deletions: [EntryPath]) -> Gathered {
    var sum = self
    sum.changes += deletions.map { .delete($0) }
    return sum
  }
}
