import DiaryCore
import EntryFiles
import GitHistory
import Localization

/// A file that a command may replace, move or remove: its text is saved, no sync has a newer one
/// for it, and no program is known to have it open. Only ``Saver/enter(_:beforeSave:)``
/// makes one.
struct SettledFile: Sendable {
  let path: EntryPath
  /// The file on disk; `nil` if there is none.
  let content: FileContents?

  fileprivate init(path: EntryPath, content: FileContents?) {
    self.path = path
    self.content = content
  }

  /// The bytes on disk. Throws if there is no file.
  func requiredBytes() throws(DiaryError) -> [UInt8] {
    guard let content else { throw .missingFile(path) }
    return content.bytes
  }
}

/// The reason a command must not change a file.
enum FileRefusal: Sendable {
  /// A program has it open. The value is the program's name.
  case open(String)
  /// A sync has a newer version, which is not on the disk yet.
  case notUpdated(String)
  /// The text on disk cannot be saved. The reason completes a sentence that begins with the path.
  case notSaved(String)
  /// A crash of the machine has emptied it; its last save has the text. The value is the file, and
  /// the end of a sentence that begins with the path.
  case emptiedByCrash(FileContents, String)
  /// It is saved, and absent from the disk without evidence of a deletion.
  case missing
  /// Another program writes it again and again.
  case changing

  /// The reason, as the remainder of a sentence that begins with the path.
  var reason: String {
    switch self {
    case .open(let program): localized("is open in \(program)")
    case .notUpdated: localized("is not yet updated from the last sync")
    case .notSaved(let reason), .emptiedByCrash(_, let reason): reason
    case .missing: localized("is missing from the folder")
    case .changing: localized("is being written")
    }
  }

  func error(for path: EntryPath) -> DiaryError {
    switch self {
    case .open: .openInEditor(path)
    case .notUpdated(let reason):
      DiaryError(
        localized("\(path.text) is not yet updated from the last sync, so nothing was changed"),
        details: ["\(path.text) \(reason)"],
        hint: localized("run `diary sync`, then try again"))
    case .notSaved(let reason), .emptiedByCrash(_, let reason):
      DiaryError(
        localized("\(path.text) \(reason); nothing was changed"),
        hint: localized("`diary status` shows why"))
    case .missing:
      DiaryError(
        localized("\(path.text) is saved, but missing from the folder"), kind: .nothingFound,
        hint: localized("`diary restore \(path.text)` brings it back"))
    case .changing: .keepsChanging(path)
    }
  }
}

/// The files that a command asked for, each settled or refused.
struct EnteredFiles: Sendable {
  fileprivate(set) var settled: [EntryPath: SettledFile] = [:]
  fileprivate(set) var refusals: [EntryPath: FileRefusal] = [:]
  /// The files that got a text of another device just now, which nobody here has seen.
  fileprivate(set) var updated: Set<EntryPath> = []

  /// The settled file. Throws its refusal.
  func file(at path: EntryPath) throws(DiaryError) -> SettledFile {
    if let file = settled[path] { return file }
    throw (refusals[path] ?? .changing).error(for: path)
  }

  /// The settled file for a command that takes words away. Throws its refusal, and also if the file
  /// was updated just now: nobody answers for words that nobody here has seen.
  func seenFile(at path: EntryPath) throws(DiaryError) -> SettledFile {
    guard updated.contains(path) else { return try file(at: path) }
    throw DiaryError(
      localized("\(path.text) got text from another device just now, so nothing else was changed"),
      hint: localized("look at it, then try again"))
  }

  /// The settled file for a restore, which also takes one that a crash has emptied.
  func restorableFile(at path: EntryPath) throws(DiaryError) -> SettledFile {
    if case .emptiedByCrash(let file, _) = refusals[path] {
      return SettledFile(path: path, content: file)
    }
    return try seenFile(at: path)
  }

  mutating func merge(_ other: EnteredFiles) {
    settled.merge(other.settled) { $1 }
    refusals.merge(other.refusals) { $1 }
    updated.formUnion(other.updated)
  }
}

extension Saver {
  /// Settles files before a command changes them: saves the text on the disk as a version, applies
  /// the checkouts that wait, and reads the files again. A command therefore never meets an unsaved
  /// text, an old buffer, or a file that a sync has yet to update. With `beforeSave` the versions
  /// become durable with the command's own save, which must follow.
  func enter(_ paths: [EntryPath], beforeSave: Bool = false) async throws -> EnteredFiles {
    var entered = EnteredFiles()
    var unsettled = paths
    for _ in 0..<10 where !unsettled.isEmpty {
      unsettled = try await settle(unsettled, beforeSave, into: &entered)
    }
    for path in unsettled { entered.refusals[path] = .changing }
    return entered
  }

  /// Returns the files that changed in the meantime.
  private func settle(
    _ paths: [EntryPath], _ beforeSave: Bool, into entered: inout EnteredFiles
  ) async throws -> [EntryPath] {
    let found = try await collectChanges(paths, atStart: false, notIgnored: Set(paths))
    let outcome = try await saveChanges(found, beforeCommit: beforeSave)
    var waiting: [EntryPath: String] = [:]
    if outcome.hasWaitingCheckouts {
      let checkout = try await applyWaitingCheckouts()
      entered.updated.formUnion(checkout.updated)
      waiting = checkout.waiting
    }
    let states = try await journal.changes.states(
      of: paths, in: try await collectChanges(paths, atStart: false, notIgnored: Set(paths)),
      refused: outcome.skipped.filter { !found.skipped.contains($0) }, waiting: waiting,
      holders: journal.holders(of: paths))
    var changed: [EntryPath] = []
    for state in states {
      switch state.refusal {
      case nil:
        entered.settled[state.path] = SettledFile(path: state.path, content: state.disk.file)
      case .changing: changed.append(state.path)
      case .some(let refusal): entered.refusals[state.path] = refusal
      }
    }
    return changed
  }

  /// Applies the checkouts that wait. Returns the updated files, and those that go on waiting, with
  /// the reasons.
  private func applyWaitingCheckouts() async throws -> (
    updated: [EntryPath], waiting: [EntryPath: String]
  ) {
    try await journal.repository.endFlush()
    let checkout = try await integration.applyCheckouts()
    for displaced in checkout.displaced { displaced.file.discard() }
    let updated = checkout.checkedOut.compactMap(journal.gitLocation.journalPath)
    _ = try await journal.catalog.updateIndex(only: updated)
    var waiting: [EntryPath: String] = [:]
    for file in checkout.waiting {
      if let path = journal.gitLocation.journalPath(file.path) { waiting[path] = file.reason }
    }
    return (updated, waiting)
  }

  /// Replaces a settled file. Returns the displaced one, for the caller to discard when a save has
  /// made the new name durable; throws if the file has changed since it was settled.
  func replace(
    _ file: SettledFile, with bytes: [UInt8], syncsName: Bool = true
  ) throws -> DisplacedFile? {
    guard
      case .replaced(let displaced) = try attemptReplace(file, with: bytes, syncsName: syncsName)
    else { throw DiaryError.changedMeanwhile(file.path) }
    return displaced
  }

  /// Replaces a settled file if it has not changed since it was settled.
  ///
  /// - Parameter allowsPlainRename: true if the file may be replaced by a plain rename where the
  ///   file system cannot exchange two names. A command of the user may do this, the watcher may
  ///   not.
  func attemptReplace(
    _ file: SettledFile, with bytes: [UInt8], syncsName: Bool, allowsPlainRename: Bool = true
  ) throws -> ReplaceResult {
    try journal.folder.replace(
      file.path, expecting: try file.requiredBytes(), with: bytes,
      displacedDirectory: journal.stateFolder,
      allowPlainRename: allowsPlainRename, syncsName: syncsName)
  }

  /// Changes the text of a settled file, which is settled again if it changed in the meantime.
  /// Returns the displaced file as ``replace(_:with:syncsName:)`` does; `nil` also for no change.
  func rewrite(
    _ file: SettledFile, syncsName: Bool = true, _ change: (inout EntryText) throws -> Void
  ) async throws -> DisplacedFile? {
    var file = file
    for _ in 0..<10 {
      let bytes = try file.requiredBytes()
      var text = EntryText(bytes)
      try Entries.refuseDamage(in: text, of: file.path)
      try change(&text)
      if text.bytes == bytes { return nil }
      let replaced = try attemptReplace(file, with: text.bytes, syncsName: syncsName)
      if case .replaced(let displaced) = replaced { return displaced }
      file = try await enter([file.path]).file(at: file.path)
    }
    throw DiaryError.keepsChanging(file.path)
  }

  /// Removes a settled file and the folders that it leaves empty.
  func remove(_ file: SettledFile, syncs: Bool) throws {
    guard let bytes = file.content?.bytes else { return }
    try journal.folder.remove(
      file.path, expecting: bytes, displacedDirectory: journal.stateFolder, syncs: syncs)?.discard()
    journal.folder.removeEmptyFolders(above: file.path)
  }
}
