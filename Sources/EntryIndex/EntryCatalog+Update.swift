import DiaryCore
import Foundation
import GRDB

extension EntryCatalog {
  /// How many entries are read and then stored in one transaction.
  static let portion = 1000

  /// Brings the whole catalogue up to date with a walk of the journal.
  ///
  /// - Parameters:
  ///   - files: every file that has the name of an entry and is taken by the settings.
  ///   - readAt: when the walk began, ns since 1970.
  ///   - progress: how many of the entries that had to be read are done; only told when there are
  ///     any.
  ///   - ignored: what git says of all these files; only looked at while ``isEmpty``.
  ///   - read: called with the paths that are new, changed or in doubt, some hundred at a time, and
  ///     outside any transaction. What it leaves out is gone, or no entry. Its errors end the update.
  public func update(
    files: [IndexedFile], readAt: Int64, ignored: KnownIgnored? = nil,
    progress: ((_ done: Int, _ total: Int) -> Void)? = nil,
    read: ([EntryPath]) throws -> [ReadEntry]
  ) throws -> IndexChange {
    let sorted = files.isSorted ? files : files.sorted { $0.path < $1.path }
    let seen = FilesPrint(sorted)
    return try enduring { store in
      let (isKnown, isFirst, found) = try store.queue.read {
        (try seen.isKnown($0), try Schema.fact($0, Schema.complete) == nil, try store.rows($0))
      }
      if isKnown { return IndexChange(from: found) }
      if isFirst, store.name != nil {
        return try fill(sorted.map(\.path), ignored, progress, read)
      }
      let merge = try store.queue.read {
        try SortedMerge(
          $0, files: sorted, seen, in: try KnownRuns($0).stretches(seen), walkedAt: readAt)
      }
      var change = IndexChange(from: found)
      change.isFirst = isFirst
      if !merge.missing.isEmpty {
        change.removed = try store.transaction { rows in
          try merge.missing.filter { try rows.remove($0.path, readAt: $0.readAt) }.map(\.path)
        }
        change.left?.changes += 1
      }
      try take(merge.unread, into: store, &change, progress, read)
      try store.queue.write { database in
        if isFirst { try Schema.setFact(database, Schema.complete, "1") }
        // Somebody else may have written meanwhile.
        guard let left = change.left, try store.rows(database) == left else { return }
        try seen.remember(database, except: merge.differing)
      }
      return change
    }
  }

  /// Brings these paths up to date, whether they are still there or not; `read` as in
  /// ``update(files:readAt:progress:read:)``. Throws ``CatalogError/incomplete(path:)`` when the
  /// catalogue has not seen a whole walk yet, or was lost meanwhile.
  public func update(
    paths: [EntryPath], read: ([EntryPath]) throws -> [ReadEntry]
  ) throws -> IndexChange {
    try enduring { store in
      let (isComplete, found) = try store.queue.read {
        (try Schema.fact($0, Schema.complete) != nil, try store.rows($0))
      }
      guard isComplete else { throw CatalogError.incomplete(path: path) }
      var change = IndexChange(from: found)
      try take(Array(Set(paths)).sorted(), into: store, &change, nil, read)
      return change
    }
  }

  private func take(
    _ paths: [EntryPath], into store: CatalogStore, _ change: inout IndexChange,
    _ progress: ((Int, Int) -> Void)?, _ read: ([EntryPath]) throws -> [ReadEntry]
  ) throws {
    for start in stride(from: 0, to: paths.count, by: EntryCatalog.portion) {
      let asked = Array(paths[start..<min(start + EntryCatalog.portion, paths.count)])
      let found: [ReadEntry]
      do { found = try read(asked) } catch { throw ReadingFailed(cause: error) }
      let portion = try store.transaction { rows in
        var rows = rows
        if paths.count > EntryCatalog.portion {
          rows.leavesFolding = true
          try Schema.setFact(rows.database, Schema.unfolded, "1")
        }
        return try rows.take(asked, found)
      }
      change.left?.changes += 1
      change.added += portion.added
      change.changed += portion.changed
      change.removed += portion.removed
      progress?(start + asked.count, paths.count)
    }
    change.sort()
  }

  /// Runs an update; where the database fails, once more in a new one, and then in memory. What the
  /// caller threw while reading, and the catalogue's own words, pass through.
  private func enduring(_ work: (CatalogStore) throws -> IndexChange) throws -> IndexChange {
    var failures = 0
    while true {
      let store: CatalogStore
      do { store = try liveStore() } catch {
        throw CatalogError("open the index", path: path, error)
      }
      do {
        return try work(store)
      } catch let error as ReadingFailed {
        throw error.cause
      } catch let error as CatalogError {
        throw error
      } catch {
        let told = CatalogError("update the index", path: path, error)
        failures += 1
        guard failures < 3, store.name != nil else { throw told }
        if isDamage(error), failures == 1 {
          try replaceStore(store)
        } else {
          try moveToMemory(store, reason: told.description)
        }
      }
    }
  }
}

/// Carries an error of the caller past the handling of the database's own.
struct ReadingFailed: Error { let cause: any Error }

extension CatalogStore {
  /// Takes the write lock at once: a transaction that began by reading could not wait for it.
  fileprivate func transaction<T>(_ work: (EntryRows) throws -> T) throws -> T {
    try queue.write { database in
      try Schema.count(database, .files)
      return try work(EntryRows(database: database))
    }
  }
}

extension EntryRows {
  /// Stores what was found of the paths that were asked for, and forgets the others.
  fileprivate func take(_ asked: [EntryPath], _ found: [ReadEntry]) throws -> IndexChange {
    var change = IndexChange()
    var absent = Set(asked)
    for read in found {
      absent.remove(read.entry.path)
      switch try store(read) {
      case .added: change.added.append(read.entry.path)
      case .changed: change.changed.append(read.entry.path)
      case .same: break
      }
    }
    for path in absent where try remove(path) { change.removed.append(path) }
    return change
  }
}

extension [IndexedFile] {
  fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0.path < $1.path } }
}
