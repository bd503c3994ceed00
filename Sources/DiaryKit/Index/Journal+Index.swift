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
  func refresh(_ seen: FolderScan? = nil) async throws -> IndexChange {
    await refreshMergeDriver()
    let walk = seen ?? folder.walk(EntryMatcher(settings: settings))
    try walk.confirm(folder)
    let change = try catalog.update(
      files: walk.entries.map { IndexedFile(path: $0.path, stamp: $0.stamp) },
      readAt: walk.startedAt, ignored: try await ignoredAtFirst(walk), read: { try readEntries($0) }
    )
    try await updateIgnored(walk)
    if !change.removed.isEmpty { try await noteGone(change) }
    return change
  }

  /// An answer of the index about the files as they are now. A database that turns out to be damaged
  /// is made again, once.
  func ask<Answer: Sendable>(
    _ question: (EntryIndexDatabase) throws -> Answer
  ) async throws -> Answer {
    try await refreshByNews()
    do {
      return try question(catalog)
    } catch IndexError.damaged {
      try await refresh()
      return try question(catalog)
    }
  }

  /// From now on this process asks the kernel what has changed, and walks the folder only where it cannot
  /// tell: for one that answers many questions.
  package func listenForNews() { news.withLock { $0 = FolderNews(of: folder) } }

  @inline(never)
  private func refreshByNews() async throws {
    guard let news = news.withLock(\.self) else {
      try await refresh()
      return
    }
    let due = news.due(ignoring: outsideIgnoreKey.joined(separator: "\n"))
    switch due.what {
    case .nothing: return
    case .paths(let paths): _ = try await refresh(only: paths)
    case .everything: try await refresh()
    }
    news.done(due.generation)
  }

  /// The same for a few paths; `nil` when no entry is among them. Of those that a save has just `seen`
  /// the bytes are not read again.
  func refresh(
    only paths: [EntryPath], seen: [EntryPath: SaveCandidate] = [:]
  ) async throws -> IndexChange? {
    let rules = EntryMatcher(settings: settings)
    let entries = paths.filter { rules.isEntry($0) }
    guard !entries.isEmpty else { return nil }
    do {
      // Asked while the index is held, as the files are read: nobody's newer look is undone by it.
      let change = try catalog.update(paths: entries) { try readEntries($0, seen: seen) }
      try await updateIgnored(nil)
      if !change.removed.isEmpty { try await noteGone(change) }
      return change
    } catch IndexError.incomplete {
      return try await refresh()
    }
  }

  /// One that cannot be read is no entry; where the machine is in the way, nothing is said of any. What
  /// has become another repository's since it was found is no entry, either.
  private func readEntries(
    _ paths: [EntryPath], seen: [EntryPath: SaveCandidate] = [:]
  ) throws -> [ReadEntry] {
    var others: [EntryPath: Bool] = [:]
    let paths = paths.filter { path in
      guard let parent = path.folder else { return true }
      let isOther = others[parent] ?? folder.isInsideOtherRepository(path)
      others[parent] = isOther
      return !isOther
    }
    let found = sideBySide(paths) { path -> Result<ReadEntry?, FileError> in
      Result { () throws(FileError) in try readEntry(path, seen[path]?.file) }
    }
    return try found.compactMap { found throws(FileError) in
      do throws(FileError) {
        return try found.get()
      } catch {
        if error.isOfTheMachine { throw error }
        return nil
      }
    }
  }

  private func readEntry(
    _ path: EntryPath, _ seen: FileContents?
  ) throws(FileError) -> ReadEntry? {
    // The disk may show other bytes by now: a save takes back nothing that was written after its scan.
    let isSame = if let seen { try folder.stamp(path) == seen.stamp } else { false }
    let file =
      isSame
      ? seen?.beginning(most: largestListed)
      : try folder.readBeginning(path, most: largestListed)
    guard let file, !EntryMatcher.isMadeByDiary(file.bytes[...])
    else { return nil }
    let entry = Entry(path: path, text: EntryText(file.bytes), settings: settings, zone: zone)
    return ReadEntry(entry: entry, stamp: file.stamp, readAt: file.readAt)
  }

  /// What git says of every file, where the index is still to be made: asked before, it need not be
  /// written into every row afterwards.
  @inline(never)
  private func ignoredAtFirst(_ walk: FolderScan) async throws -> IgnoredPaths? {
    // A damaged one is the update's to mend.
    guard (try? catalog.isEmpty) == true else { return nil }
    let key = ignoreKey(walk)
    return IgnoredPaths(
      paths: try await ignored(among: walk.entries.map(\.path)), metadata: ("ignore", key))
  }

  /// What git tracks it never ignores, and that is told at once.
  @inline(never)
  private func ignored(among paths: [EntryPath]) async throws -> Set<EntryPath> {
    let tracked = try await repository.known(paths)
    return try await repository.ignored(paths.filter { !tracked.contains($0) })
  }

  /// Asks git about paths that it has not been asked about; about all when an ignore file changed.
  private func updateIgnored(_ walk: FolderScan?) async throws {
    if let walk {
      let key = ignoreKey(walk)
      if try catalog.metadata("ignore") != key {
        try catalog.forgetIgnored()
        try catalog.setMetadata("ignore", key)
      }
    }
    let unknown = try catalog.pathsWithUnknownIgnore()
    guard !unknown.isEmpty else { return }
    let hidden = try await ignored(among: unknown)
    try catalog.setIgnored(
      Dictionary(uniqueKeysWithValues: unknown.map { ($0, hidden.contains($0)) }))
  }

  /// Throws the index away and makes it anew; answers how many entries it holds.
  package func rebuildIndex() async throws -> Int {
    try catalog.rebuild()
    _ = try await refresh()
    try await exclusively { try self.writeList() }
    return try catalog.count()
  }

  /// Compares the index as it is kept with one made from nothing; answers what differs.
  package func verifyIndex() async throws -> [String] {
    let walk = folder.walk(EntryMatcher(settings: settings))
    try await refresh(walk)
    return try differences(from: walk)
  }

  /// The same without bringing it up to date before.
  func differences(from seen: FolderScan? = nil) throws -> [String] {
    let walk = seen ?? folder.walk(EntryMatcher(settings: settings))
    try walk.confirm(folder)
    return try catalog.verify(against: readEntries(walk.entries.map(\.path)).map(\.entry)).map {
      "\($0.path.text): \($0.kind.rawValue)"
    }
  }
}
