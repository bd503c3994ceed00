import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Synchronization

extension Catalog {
  /// Updates the index to the current folder, or to a scan that was just made: one scan, merged
  /// with the rows.
  @discardableResult
  func updateIndex(_ scan: FolderScan? = nil) async throws -> IndexChange {
    let walk = scan ?? journal.folder.scan(EntryMatcher(settings: journal.settings))
    try walk.throwIfIncomplete(journal.folder)
    let change = try journal.indexDatabase.update(
      files: walk.entries, ignored: try await initialIgnoredPaths(walk),
      read: { try readEntries($0) })
    try await updateIgnored(walk)
    if !change.removed.isEmpty { try await recordRemoved(change) }
    return change
  }

  /// Returns the result of a query on an up-to-date index. A damaged database is rebuilt, once.
  func query<Answer: Sendable>(
    _ body: (EntryIndexDatabase) throws -> Answer
  ) async throws -> Answer {
    try await updateIndexFromTracker()
    do {
      return try body(journal.indexDatabase)
    } catch IndexError.damaged {
      try await updateIndex()
      return try body(journal.indexDatabase)
    }
  }

  /// Makes this process ask the kernel for changes from now on. It scans the folder only if the
  /// kernel cannot tell. For a process with many queries.
  package func startChangeTracking() {
    journal.changeTracker.withLock { $0 = FolderChangeTracker(of: journal.folder) }
  }

  private func updateIndexFromTracker() async throws {
    guard let tracker = journal.changeTracker.withLock(\.self) else {
      try await updateIndex()
      return
    }
    let unindexed = tracker.unindexedFiles(ignoreKey: externalIgnoreKey.joined(separator: "\n"))
    switch unindexed.what {
    case .nothing: return
    case .paths(let paths): _ = try await updateIndex(only: paths)
    case .everything: try await updateIndex()
    }
    tracker.markIndexed(through: unindexed.generation)
  }

  /// Updates the index for a few paths; returns `nil` if no entry is among them.
  func updateIndex(only paths: [EntryPath]) async throws -> IndexChange? {
    let rules = EntryMatcher(settings: journal.settings)
    let entries = paths.filter { rules.isEntry($0) }
    guard !entries.isEmpty else { return nil }
    do {
      // The files are read while the index is locked, so that no newer row is overwritten. The bytes
      // that a save has read may be older, even if the file's signature is the same.
      let change = try journal.indexDatabase.update(paths: entries) { try readEntries($0) }
      try await updateIgnored(nil)
      if !change.removed.isEmpty { try await recordRemoved(change) }
      return change
    } catch IndexError.incomplete {
      return try await updateIndex()
    }
  }

  /// Reads the entries. Unreadable files, and files that are now in another repository or an encrypted
  /// folder, are skipped; a system error (EMFILE, EIO) fails the whole update.
  private func readEntries(_ paths: [EntryPath]) throws -> [ReadEntry] {
    var others: [EntryPath: Bool] = [:]
    let paths = paths.filter { path in
      guard let parent = path.folder else { return true }
      let isOther = others[parent] ?? journal.folder.isInsideForeignFolder(path)
      others[parent] = isOther
      return !isOther
    }
    let found = concurrentMap(paths) { path -> Result<ReadEntry?, FileError> in
      Result { () throws(FileError) in try readEntry(path) }
    }
    var refused: [EntryPath: FileError.Reason] = [:]
    let entries = try zip(paths, found).compactMap { path, found throws(FileError) in
      do throws(FileError) {
        return try found.get()
      } catch {
        if error.isSystemFailure { throw error }
        if error.code != nil { refused[path] = error.reason }
        return nil
      }
    }
    journal.unreadableEntries.withLock { known in
      for path in paths { known[path] = refused[path] }
    }
    return entries
  }

  private func readEntry(_ path: EntryPath) throws(FileError) -> ReadEntry? {
    guard let file = try journal.folder.readBeginning(path, maxBytes: maxEntryBytes),
      !journal.settings.isListFile(file.bytes[...], at: path)
    else { return nil }
    let entry = Entry(
      path: path, text: EntryText(file.bytes), settings: journal.settings, zone: journal.zone)
    return ReadEntry(entry: entry, signature: file.signature, readAt: file.readAt)
  }

  /// The ignored files of an index that is still empty. They are queried first, so that the rows
  /// are not written twice.
  private func initialIgnoredPaths(_ walk: FolderScan) async throws -> IgnoredPaths? {
    // The update repairs a damaged index.
    guard (try? journal.indexDatabase.isEmpty) == true else { return nil }
    let key = ignoreKey(walk)
    return IgnoredPaths(
      paths: try await ignored(among: walk.entries.map(\.path)), metadata: ("ignore", key))
  }

  /// The ignored paths. git never ignores tracked files, and that check is fast.
  private func ignored(among paths: [EntryPath]) async throws -> Set<EntryPath> {
    let tracked = try await journal.repository.trackedPaths(among: paths)
    return try await journal.repository.ignoredPaths(among: paths.filter { !tracked.contains($0) })
  }

  /// Queries git for paths of unknown ignore state, or for all paths if an ignore file has changed.
  private func updateIgnored(_ walk: FolderScan?) async throws {
    if let walk {
      let key = ignoreKey(walk)
      if try journal.indexDatabase.metadata("ignore") != key {
        try journal.indexDatabase.clearIgnored()
        try journal.indexDatabase.setMetadata("ignore", key)
      }
    }
    let unknown = try journal.indexDatabase.pathsWithUnknownIgnore()
    guard !unknown.isEmpty else { return }
    let ignored = try await ignored(among: unknown)
    try journal.indexDatabase.setIgnored(
      Dictionary(uniqueKeysWithValues: unknown.map { ($0, ignored.contains($0)) }))
  }

  /// Deletes the index and builds a new one. Returns the number of entries.
  package func rebuildIndex() async throws -> Int {
    try journal.indexDatabase.rebuild()
    _ = try await updateIndex()
    try await journal.locked { _ in try writeListFile() }
    return try journal.indexDatabase.count()
  }

  /// Compares the index with one that is built from scratch. Returns the differences.
  package func verifyIndex() async throws -> [String] {
    let walk = journal.folder.scan(EntryMatcher(settings: journal.settings))
    try await updateIndex(walk)
    return try indexDifferences(from: walk)
  }

  /// The differences, without an update of the index first.
  func indexDifferences(from seen: FolderScan? = nil) throws -> [String] {
    let walk = seen ?? journal.folder.scan(EntryMatcher(settings: journal.settings))
    try walk.throwIfIncomplete(journal.folder)
    return try journal.indexDatabase.verify(
      against: readEntries(walk.entries.map(\.path)).map(\.entry)
    ).map {
      "\($0.path.text): \($0.kind.rawValue)"
    }
  }
}
