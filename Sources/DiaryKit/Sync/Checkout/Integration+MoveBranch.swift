import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

extension Integration {
  /// Throws if a file that Diary does not save (outside the journal, or of another kind) has
  /// changes that the move would overwrite, as git does.
  func requireCleanOutside(_ files: [UpdatedFile]) async throws {
    let rules = PathClassifier(journal)
    let top = try JournalFolder(root: journal.gitLocation.workTree)
    var dirty: [EntryPath] = []
    for file in files {
      if let path = journal.gitLocation.journalPath(file.path), rules.kind(of: path) != .never {
        continue
      }
      guard file.old?.kind.isFile ?? true else { continue }
      let present = (try? top.read(file.path)) ?? nil
      guard let present else { continue }
      let shown = try await journal.repository.blobID(ofDisk: present.bytes, at: file.path)
      if shown != fileBlobID(of: file.old), shown != fileBlobID(of: file.new) {
        dirty.append(file.path)
      }
    }
    guard !dirty.isEmpty else { return }
    throw DiaryError(
      localized("another device changed the same files as you, and Diary does not save these"),
      details: dirty.prefix(10).map(\.text),
      hint: localized("commit or stash them with git, then run `diary sync`"))
  }

  private func fileBlobID(of file: TreeEntry?) -> ObjectID? {
    guard let file, file.kind.isFile else { return nil }
    return file.id
  }

  /// Records the content on disk of the files that are about to change. A file that waits
  /// already keeps the version that its editor shows.
  ///
  /// - Parameters:
  ///   - moved: the new path of each file that the sync touched; `nil` to detect renames.
  ///   - deleted: the former content of files that were deleted here and that the sync restores. An
  ///     editor may still have them open.
  func recordCheckouts(
    _ files: [UpdatedFile], moved: [EntryPath: EntryPath]?, deleted: [EntryPath: ObjectID] = [:]
  ) async throws {
    let targets: [EntryPath: EntryPath]
    if let moved {
      targets = Dictionary(
        uniqueKeysWithValues: moved.filter { $0.key != $0.value }.map {
          (journal.gitLocation.repositoryPath($0.key), journal.gitLocation.repositoryPath($0.value))
        })
    } else {
      targets = try await detectedRenames(files)
    }
    let (moment, today) = (journal.now, dayOfUse())
    var all = try journal.state.checkouts.load()
    let names = Dictionary(files.map { ($0.path.percentEncoded, $0) }) { first, _ in first }
    var former: [String: [String]] = [:]
    all.removeAll { checkout in
      guard !checkout.isWaiting, names[checkout.name] != nil else { return false }
      former[checkout.name] = checkout.isExpired(on: today) ? [] : checkout.shown
      return true
    }
    for index in all.indices {
      if let file = names[all[index].name] {
        // A file that is back at its path is no longer at another one.
        all[index].movedTo = file.new == nil ? targets[file.path]?.percentEncoded : nil
      } else if let next = all[index].target.flatMap({ targets[$0] }) {
        all[index].movedTo = next.percentEncoded
      }
    }
    let waiting = Set(all.filter(\.isWaiting).map(\.name))
    for file in files where !waiting.contains(file.path.percentEncoded) {
      let seen = former[file.path.percentEncoded] ?? []
      all.append(
        CheckoutRecord(
          path: file.path, disk: file.old?.kind.isFile == true ? file.old?.id : nil,
          seen: seen.isEmpty ? [deleted[file.path]?.description].compactMap(\.self) : seen,
          movedTo: file.new == nil ? targets[file.path] : nil, at: moment, day: today))
    }
    try writeCheckoutRecords(all)
    var moves: [EntryPath: EntryPath] = [:]
    for (old, new) in targets {
      if let old = journal.gitLocation.journalPath(old) {
        moves[old] = journal.gitLocation.journalPath(new)
      }
    }
    try saver.followImports(moves: moves)
  }

  /// Detects the renames of a fast-forward. Its commits only show which paths were removed and
  /// which were added.
  func detectedRenames(_ files: [UpdatedFile]) async throws -> [EntryPath: EntryPath] {
    let removed = files.filter { $0.new == nil && $0.old?.kind.isFile == true }
    let added = files.filter { $0.old == nil && $0.new?.kind.isFile == true }
    guard !removed.isEmpty, !added.isEmpty else { return [:] }
    var old: [RenameCandidate] = []
    var new: [RenameCandidate] = []
    for file in removed {
      guard let kept = file.old else { continue }
      let bytes = file.path.isMarkdown ? try await journal.repository.content(of: kept.id) : nil
      old.append(RenameCandidate(path: file.path, contentID: kept.id.bytes, bytes: bytes))
    }
    for file in added {
      guard let kept = file.new else { continue }
      let bytes = file.path.isMarkdown ? try await journal.repository.content(of: kept.id) : nil
      new.append(RenameCandidate(path: file.path, contentID: kept.id.bytes, bytes: bytes))
    }
    var targets: [EntryPath: EntryPath] = [:]
    for (new, old) in renames(removed: old, added: new) { targets[old] = new }
    return targets
  }

  /// Saves the list file of the merged entries in the same sync, if the list is committed.
  func saveListFile(into integration: inout IntegrationResult) async throws {
    guard let list = journal.settings.indexFile, journal.settings.indexIsCommitted else { return }
    var save = try await saver.saveChanges(try await saver.collectChanges([list], atStart: false))
    guard !save.saved.isEmpty else { return }
    try await saver.endSitting(into: &save, only: [list])
    integration.tip = try await journal.repository.head().commit
  }
}
