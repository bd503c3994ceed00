import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Synchronization

extension Journal {
  /// Brings the index up to the folder as it stands now (or as a walk just found it): one walk,
  /// merged with the rows.
  @discardableResult
  func updateIndex(_ scan: FolderScan? = nil) async throws -> IndexChange {
    await refreshMergeDriver()
    let walk = scan ?? folder.scan(EntryMatcher(settings: settings))
    try walk.throwIfIncomplete(folder)
    let change = try indexDatabase.update(
      files: walk.entries.map { IndexedFile(path: $0.path, signature: $0.signature) },
      readAt: walk.startedAt, ignored: try await initialIgnoredPaths(walk),
      read: { try readEntries($0) }
    )
    try await updateIgnored(walk)
    if !change.removed.isEmpty { try await recordRemoved(change) }
    return change
  }

  /// An answer of the index about the files as they are now. A database that turns out to be damaged
  /// is made again, once.
  func query<Answer: Sendable>(
    _ body: (EntryIndexDatabase) throws -> Answer
  ) async throws -> Answer {
    try await updateIndexFromTracker()
    do {
      return try body(indexDatabase)
    } catch IndexError.damaged {
      try await updateIndex()
      return try body(indexDatabase)
    }
  }

  /// From now on this process asks the kernel what has changed, and walks the folder only where it cannot
  /// tell: for one that answers many questions.
  package func startChangeTracking() {
    changeTracker.withLock { $0 = FolderChangeTracker(of: folder) }
  }

  @inline(never)
  private func updateIndexFromTracker() async throws {
    guard let tracker = changeTracker.withLock(\.self) else {
      try await updateIndex()
      return
    }
    let pending = tracker.pendingFiles(ignoreKey: externalIgnoreKey.joined(separator: "\n"))
    switch pending.what {
    case .nothing: return
    case .paths(let paths): _ = try await updateIndex(only: paths)
    case .everything: try await updateIndex()
    }
    tracker.markIndexed(through: pending.generation)
  }

  /// The same for a few paths; `nil` when no entry is among them. Of those that a save has just `seen`
  /// the bytes are not read again.
  func updateIndex(
    only paths: [EntryPath], scanned: [EntryPath: SaveCandidate] = [:]
  ) async throws -> IndexChange? {
    let rules = EntryMatcher(settings: settings)
    let entries = paths.filter { rules.isEntry($0) }
    guard !entries.isEmpty else { return nil }
    do {
      // Asked while the index is held, as the files are read: nobody's newer look is undone by it.
      let change = try indexDatabase.update(paths: entries) {
        try readEntries($0, scanned: scanned)
      }
      try await updateIgnored(nil)
      if !change.removed.isEmpty { try await recordRemoved(change) }
      return change
    } catch IndexError.incomplete {
      return try await updateIndex()
    }
  }

  /// One that cannot be read is no entry; where the machine is in the way, nothing is said of any. What
  /// has become another repository's since it was found is no entry, either.
  private func readEntries(
    _ paths: [EntryPath], scanned: [EntryPath: SaveCandidate] = [:]
  ) throws -> [ReadEntry] {
    var others: [EntryPath: Bool] = [:]
    let paths = paths.filter { path in
      guard let parent = path.folder else { return true }
      let isOther = others[parent] ?? folder.isInsideOtherRepository(path)
      others[parent] = isOther
      return !isOther
    }
    let found = concurrentMap(paths) { path -> Result<ReadEntry?, FileError> in
      Result { () throws(FileError) in try readEntry(path, scanned[path]?.file) }
    }
    return try found.compactMap { found throws(FileError) in
      do throws(FileError) {
        return try found.get()
      } catch {
        if error.isSystemFailure { throw error }
        return nil
      }
    }
  }

  private func readEntry(
    _ path: EntryPath, _ scanned: FileContents?
  ) throws(FileError) -> ReadEntry? {
    // The disk may show other bytes by now: a save takes back nothing that was written after its scan.
    let isSame =
      if let scanned { try folder.signature(of: path) == scanned.signature } else { false }
    let file =
      isSame
      ? scanned?.beginning(maxBytes: maxEntryBytes)
      : try folder.readBeginning(path, maxBytes: maxEntryBytes)
    guard let file, !EntryMatcher.isGeneratedList(file.bytes[...])
    else { return nil }
    let entry = Entry(path: path, text: EntryText(file.bytes), settings: settings, zone: zone)
    return ReadEntry(entry: entry, signature: file.signature, readAt: file.readAt)
  }

  /// What git says of every file, where the index is still to be made: asked before, it need not be
  /// written into every row afterwards.
  @inline(never)
  private func initialIgnoredPaths(_ walk: FolderScan) async throws -> IgnoredPaths? {
    // A damaged one is the update's to mend.
    guard (try? indexDatabase.isEmpty) == true else { return nil }
    let key = ignoreKey(walk)
    return IgnoredPaths(
      paths: try await ignored(among: walk.entries.map(\.path)), metadata: ("ignore", key))
  }

  /// What git tracks it never ignores, and that is told at once.
  @inline(never)
  private func ignored(among paths: [EntryPath]) async throws -> Set<EntryPath> {
    let tracked = try await repository.trackedPaths(among: paths)
    return try await repository.ignoredPaths(among: paths.filter { !tracked.contains($0) })
  }

  /// Asks git about paths that it has not been asked about; about all when an ignore file changed.
  private func updateIgnored(_ walk: FolderScan?) async throws {
    if let walk {
      let key = ignoreKey(walk)
      if try indexDatabase.metadata("ignore") != key {
        try indexDatabase.clearIgnored()
        try indexDatabase.setMetadata("ignore", key)
      }
    }
    let unknown = try indexDatabase.pathsWithUnknownIgnore()
    guard !unknown.isEmpty else { return }
    let ignored = try await ignored(among: unknown)
    try indexDatabase.setIgnored(
      Dictionary(uniqueKeysWithValues: unknown.map { ($0, ignored.contains($0)) }))
  }

  /// Throws the index away and makes it anew; answers how many entries it holds.
  package func rebuildIndex() async throws -> Int {
    try indexDatabase.rebuild()
    _ = try await updateIndex()
    try await withJournalLock { try self.writeListFile() }
    return try indexDatabase.count()
  }

  /// Compares the index as it is kept with one made from nothing; answers what differs.
  package func verifyIndex() async throws -> [String] {
    let walk = folder.scan(EntryMatcher(settings: settings))
    try await updateIndex(walk)
    return try indexDifferences(from: walk)
  }

  /// The same without bringing it up to date before.
  func indexDifferences(from seen: FolderScan? = nil) throws -> [String] {
    let walk = seen ?? folder.scan(EntryMatcher(settings: settings))
    try walk.throwIfIncomplete(folder)
    return try indexDatabase.verify(against: readEntries(walk.entries.map(\.path)).map(\.entry)).map
    {
      "\($0.path.text): \($0.kind.rawValue)"
    }
  }
}
