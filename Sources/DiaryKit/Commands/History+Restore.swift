import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

/// The result of a restore.
package struct RestoreOutcome: Sendable {
  /// The entry's current path.
  package var path: EntryPath
  /// The time when the restored version was saved, in Unix seconds.
  package var at: Int
  /// True if the entry is already identical, so nothing was done.
  package var isUnchanged = false
  /// The new save.
  package var save = SaveOutcome()
}

extension History {
  /// Restores a version of an entry, or a deleted entry, as a new save. Unsaved text is saved
  /// first. No file is overwritten unread, and a deleted entry whose name is taken gets a free one.
  ///
  /// - Parameter text: the version in the syntax of `--at`; `nil` for the last of a deleted entry.
  package func restore(_ found: EntryLookup, at text: String?) async throws -> RestoreOutcome {
    let path = found.path
    if case .current = found, text == nil, !isEmptiedByCrash(path) {
      throw DiaryError(
        localized("\(path.text) still exists; say which version to restore"), kind: .usage,
        hint: localized(
          "`--at 1` is the previous version; `diary history \(path.text)` lists them all"))
    }
    let version: (bytes: [UInt8], isExecutable: Bool, at: Int) =
      if let text {
        try await version(of: path, at: text)
      } else {
        try await lastVersion(of: path)
      }
    return try await journal.locked { locked in
      if journal.folder.hasFile(path), case .current = found {
        return try await locked.replace(path, with: version, titled: found.title)
      }
      guard let free = path.firstFreePath(where: { !journal.folder.hasFile($0) }) else {
        throw DiaryError(localized("cannot find a free file name for \(path.text)"))
      }
      let draft = try await locked.startOperation(.restore, found.title, [free])
      try journal.folder.create(free, version.bytes, mode: version.isExecutable ? 0o777 : 0o666)
      var save = try await locked.saveCommandChanges(
        [free], from: .restore, as: draft, message: inEnglish { restoreMessage(found.title) })
      save.commit?.subject = restoreMessage(found.title)
      return RestoreOutcome(path: free, at: version.at, save: save)
    }
  }

  private func isEmptiedByCrash(_ path: EntryPath) -> Bool {
    ((try? journal.folder.read(path)) ?? nil).map(journal.changes.isLikelyCrashDamage) ?? false
  }

  fileprivate func restoreMessage(_ title: String) -> String {
    localized("Restore \"\(truncated(terminalLine(title), toWidth: 60))\"")
  }

  /// The last version of a deleted entry.
  private func lastVersion(
    of path: EntryPath
  ) async throws -> (bytes: [UInt8], isExecutable: Bool, at: Int) {
    let versions = try await journal.repository.versions(of: path).versions
    guard let last = versions.first(where: { $0.blob != nil }), let blob = last.blob else {
      throw DiaryError(localized("\(path.text) has never been saved"), kind: .nothingFound)
    }
    return (
      try await journal.repository.content(of: blob, as: last.path), last.isExecutable, last.savedAt
    )
  }

  /// Restores every saved file that is missing from the folder without a recorded deletion. This
  /// includes files that only the saves ref has, because the branch was moved back.
  package func restoreMissing() async throws -> (paths: [EntryPath], save: SaveOutcome) {
    try await journal.locked { locked in
      let found = try await locked.saver.collectChanges(
        try await journal.changes.changedInGit(), atStart: true)
      var missing = found.missing
      for case .delete(let path) in found.changes where found.moved[path] == nil {
        missing.append(path)
      }
      missing.sort()
      var saved = try await journal.repository.savedFiles(at: missing)
      let rules = PathClassifier(journal)
      for file in try await journal.repository.deletedFiles().files
      where file.isLostByReset && rules.kind(of: file.path) != .never {
        saved[file.path] = file.file
        missing.append(file.path)
      }
      var restored: [EntryPath] = []
      let reachable = missing.filter { journal.folder.awayFolder(above: $0) == nil }
      if reachable.isEmpty { try journal.folder.requireInPlace(missing) }
      for path in reachable {
        guard let file = saved[path] else { continue }
        let bytes = try await journal.repository.content(of: file.id, as: path)
        if try journal.folder.createIfFree(path, bytes, isExecutable: file.isExecutable) {
          restored.append(path)
        }
      }
      var save = try await locked.saver.saveCommandChanges(restored, from: .restore)
      save.skipped += found.skipped.filter { file in missing.contains { $0.isInside(file.path) } }
      return (restored, save)
    }
  }
}

extension LockedJournal {
  fileprivate func replace(
    _ path: EntryPath, with version: (bytes: [UInt8], isExecutable: Bool, at: Int),
    titled title: String
  ) async throws -> RestoreOutcome {
    let draft = try await startOperation(.restore, title, [path])
    let file = try draft.files.restorableFile(at: path)
    if try await isSameBlob(file.requiredBytes(), version.bytes, at: path) {
      return RestoreOutcome(path: path, at: version.at, isUnchanged: true)
    }
    try saver.replace(file, with: version.bytes)?.discard()
    var save = try await saveCommandChanges(
      [path], from: .restore, as: draft,
      message: inEnglish { journal.history.restoreMessage(title) })
    save.commit?.subject = journal.history.restoreMessage(title)
    return RestoreOutcome(path: path, at: version.at, save: save)
  }

  /// True if git would store the same blob for both.
  private func isSameBlob(
    _ one: [UInt8], _ other: [UInt8], at path: EntryPath
  ) async throws -> Bool {
    if one == other { return true }
    return try await journal.repository.blobID(of: one, at: path)
      == journal.repository.blobID(of: other, at: path)
  }

  /// Throws if the bytes are not saved, because they must not be replaced then.
  func requireSaved(_ bytes: [UInt8], _ path: EntryPath) async throws {
    if try await journal.repository.isSaved(bytes, at: path) { return }
    throw DiaryError(
      localized("\(path.text) has changes that cannot be saved, so nothing was changed"),
      hint: localized("`diary status` shows why"))
  }

  /// Replaces a file if its content is still the given one.
  func replaceContent(with bytes: [UInt8], expecting present: [UInt8], at path: EntryPath) throws {
    try replaceContent(with: bytes, expecting: present, at: path, syncsName: true)?.discard()
  }

  /// Replaces a file and returns the displaced one for the caller to discard; without `syncsName`,
  /// only after a save has made the new name durable.
  func replaceContent(
    with bytes: [UInt8], expecting present: [UInt8], at path: EntryPath, syncsName: Bool
  ) throws -> DisplacedFile? {
    guard
      case .replaced(let aside) = try journal.folder.replace(
        path, expecting: present, with: bytes, displacedDirectory: journal.stateFolder,
        allowPlainRename: true,
        syncsName: syncsName)
    else {
      throw DiaryError.changedMeanwhile(path)
    }
    return aside
  }
}
