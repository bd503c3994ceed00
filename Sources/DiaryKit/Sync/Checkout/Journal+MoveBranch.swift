import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

extension Journal {
  /// Files that Diary does not save (outside the journal, or none of its kinds) are replaced only
  /// where they are as the branch has them, as git itself would.
  func requireCleanOutside(_ files: [UpdatedFile]) async throws {
    let rules = SavePolicy(self)
    let top = try JournalFolder(root: gitLocation.workTree)
    var dirty: [EntryPath] = []
    for file in files {
      if let path = gitLocation.inJournal(file.path), rules.kind(of: path) != .never { continue }
      guard file.old?.kind.isFile ?? true else { continue }
      let present = (try? top.read(file.path)) ?? nil
      guard let present else { continue }
      let shown = try await repository.blobID(ofDisk: present.bytes, at: file.path)
      if shown != content(of: file.old), shown != content(of: file.new) { dirty.append(file.path) }
    }
    guard !dirty.isEmpty else { return }
    throw DiaryError(
      localized("another device changed the same files as you, and Diary does not save these"),
      details: dirty.prefix(10).map(\.text),
      hint: localized("commit or stash them with git, then run `diary sync`"))
  }

  private func content(of file: TreeEntry?) -> ObjectID? {
    guard let file, file.kind.isFile else { return nil }
    return file.id
  }

  /// What the disk shows of the files that are about to change. A file that waits already keeps the
  /// version that its editor shows.
  ///
  /// - Parameter moved: where each path that the sync touched is now; `nil`: to be found out.
  func recordPendingCheckouts(_ files: [UpdatedFile], moved: [EntryPath: EntryPath]?) async throws {
    let targets: [EntryPath: EntryPath]
    if let moved {
      targets = Dictionary(
        uniqueKeysWithValues: moved.filter { $0.key != $0.value }.map {
          (gitLocation.inRepository($0.key), gitLocation.inRepository($0.value))
        })
    } else {
      targets = try await renamed(files)
    }
    let moment = now
    var all = try pendingCheckouts.load()
    let known = Set(all.filter(\.isWaiting).compactMap(\.path))
    let fresh = Set(files.map(\.path)).subtracting(known)
    var unanswered: [EntryPath: [String]] = [:]
    for checkout in all where !checkout.isWaiting {
      if let path = checkout.path { unanswered[path] = checkout.seen }
    }
    all.removeAll { $0.path.map(fresh.contains) ?? true }
    for file in files where fresh.contains(file.path) {
      all.append(
        PendingCheckout(
          path: file.path, disk: file.old?.kind.isFile == true ? file.old?.id : nil,
          seen: unanswered[file.path] ?? [], movedTo: file.new == nil ? targets[file.path] : nil,
          at: moment))
    }
    for index in all.indices where all[index].isWaiting {
      guard let path = all[index].path, known.contains(path),
        files.contains(where: { $0.path == path && $0.new == nil })
      else { continue }
      all[index].movedTo = targets[path]?.percentEncoded
    }
    try setArrivals(all)
  }

  /// New names of files that a fast-forward brings: the branch's own commits tell no more than which
  /// paths came and went.
  private func renamed(_ files: [UpdatedFile]) async throws -> [EntryPath: EntryPath] {
    let gone = files.filter { $0.new == nil && $0.old?.kind.isFile == true }
    let came = files.filter { $0.old == nil && $0.new?.kind.isFile == true }
    guard !gone.isEmpty, !came.isEmpty else { return [:] }
    var old: [RenameCandidate] = []
    var new: [RenameCandidate] = []
    for file in gone {
      guard let kept = file.old else { continue }
      let bytes = file.path.isMarkdown ? try await repository.content(of: kept.id) : nil
      old.append(RenameCandidate(path: file.path, identity: kept.id.bytes, bytes: bytes))
    }
    for file in came {
      guard let kept = file.new else { continue }
      let bytes = file.path.isMarkdown ? try await repository.content(of: kept.id) : nil
      new.append(RenameCandidate(path: file.path, identity: kept.id.bytes, bytes: bytes))
    }
    var targets: [EntryPath: EntryPath] = [:]
    for (new, old) in renames(gone: old, new: new) { targets[old] = new }
    return targets
  }

  /// A list that is kept in git is made anew from the merged entries, and saved in the same sync.
  func saveList(into news: inout IntegrationResult) async throws {
    guard let list = settings.indexFile, settings.indexIsCommitted else { return }
    var save = try await keep(try await collectChanges([list], atStart: false))
    guard !save.saved.isEmpty else { return }
    try await endSitting(into: &save, only: [list])
    news.tip = try await repository.head().commit
  }
}
