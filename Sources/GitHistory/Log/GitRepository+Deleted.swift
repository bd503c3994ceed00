import DiaryCore

extension GitRepository {
  /// Returns every file that was deleted and does not exist now, newest deletion first, from the
  /// branch's history and the saves. A renamed file is not deleted.
  ///
  /// `isCutOff` is true if a shallow clone ends before the start of the journal.
  ///
  /// - Parameter since: deletions before this time (Unix seconds) are not looked for.
  package func deletedFiles(
    since: Int = .min
  ) throws(GitError) -> (files: [DeletedFile], isCutOff: Bool) {
    let reader = try ObjectReader(repository, location)
    let head = try head()
    let search = try searchDeletions(head, reader, since: since)
    let present = try savedBlobs(at: search.found.keys.compactMap { location.journalPath($0) })
    var files: [DeletedFile] = []
    for (full, deletion) in search.found {
      guard let deletion, let path = location.journalPath(full), present[path] == nil else {
        continue
      }
      files.append(
        DeletedFile(
          path: path, file: deletion.entry, commit: deletion.commit,
          deletedAt: deletion.authorTime)
      )
    }
    files += try lostFiles(head, search, reader)
    files.removeAll { $0.deletedAt < since }
    files.sort { ($1.deletedAt, $0.path) < ($0.deletedAt, $1.path) }
    return (files, search.isCutOff)
  }
}

extension GitRepository {
  /// Returns where a file that is not there any more was moved; `nil` if it was not, or if the file
  /// there may be another one: two entries of one template are alike.
  ///
  /// - Parameter since: moves before this time (Unix seconds) are not looked for.
  package func newPath(of path: EntryPath, since: Int) throws(GitError) -> EntryPath? {
    let head = try head()
    let starts = try deletionStarts(head)
    if knownMoves?.starts != starts {
      let reader = try ObjectReader(repository, location)
      let search = try searchDeletions(head, reader, since: since, findsMoves: true)
      knownMoves = (starts, search.moves)
    }
    return knownMoves?.moves[location.repositoryPath(path)].flatMap(location.journalPath)
  }

  private func deletionStarts(_ head: Head) throws(GitError) -> [ObjectID] {
    var starts = [try target(of: savesReference(head)), head.commit]
    for name in try savesReferences() { starts.append(try target(of: name)) }
    return starts.compactMap { $0 }
  }

  private func searchDeletions(
    _ head: Head, _ reader: ObjectReader, since: Int, findsMoves: Bool = false
  ) throws(GitError) -> DeletionSearch {
    var search = DeletionSearch(reader, findsMoves: findsMoves)
    try search.run(from: try deletionStarts(head), since: since)
    return search
  }

  /// Returns files that saves contain and no commit has deleted: the branch was moved back behind
  /// them (`git reset --hard`), or the branch of these saves was removed.
  private func lostFiles(
    _ head: Head, _ search: DeletionSearch, _ reader: ObjectReader
  ) throws(GitError) -> [DeletedFile] {
    let currentSaves = try savesReference(head)
    let committed = try tree(of: head.commit)
    var found: [EntryPath: DeletedFile] = [:]
    for name in [currentSaves] + (try savesReferences()) {
      guard let newest = try target(of: name) else { continue }
      let save = try reader.commit(newest)
      let changes = TreeDiff(reader)
      let (removed, added) = try changes.between(save.tree, committed)
      let renamed = Set(try changes.renames(removed, added).values)
      let branch = try target(of: "refs/heads/" + Self.branch(ofSaves: name))
      let branchTree = name == currentSaves ? committed : try tree(of: branch)
      for file in removed where search.found[file.path] == nil && !renamed.contains(file.path) {
        guard let path = location.journalPath(file.path), found[path] == nil,
          try fileEntry(at: file.path, in: branchTree) == nil
        else { continue }
        found[path] = DeletedFile(
          path: path, file: file.entry, commit: newest, deletedAt: save.authorTime,
          isLostByReset: name == currentSaves)
      }
    }
    let present = try savedBlobs(at: Array(found.keys))
    return found.values.filter { present[$0.path] == nil }
  }
}

/// A search through all commits for deleted files.
private struct DeletionSearch {
  struct Deletion {
    var commit: ObjectID
    var entry: TreeEntry
    var authorTime: Int
  }

  /// The last deletion of each removed path, or `nil` if a rename removed the path.
  private(set) var found: [EntryPath: Deletion?] = [:]
  /// The present path of each removed file that was moved and is the same for certain, unless a file
  /// came to its old path again.
  private(set) var moves: [EntryPath: EntryPath] = [:]
  /// Where the file is now that was removed from a path by the oldest commit visited so far; `nil` if it
  /// is nowhere.
  private var places: [EntryPath: EntryPath?] = [:]
  private var came: Set<EntryPath> = []
  private(set) var isCutOff = false
  private let reader: ObjectReader
  private let changes: TreeDiff
  /// False if ``moves`` are not needed, for which each text that was moved is read.
  private let findsMoves: Bool

  init(_ reader: ObjectReader, findsMoves: Bool) {
    (self.reader, self.findsMoves) = (reader, findsMoves)
    changes = TreeDiff(reader)
  }

  mutating func run(from starts: [ObjectID], since: Int) throws(GitError) {
    var walk = try CommitWalk(starts, walk: 1, reader)
    // Newest first, never a commit before its children.
    while let commit = walk.next(), commit.monotonicTime >= since {
      isCutOff = isCutOff || commit.isShallowBoundary
      try visit(commit)
    }
  }

  private mutating func visit(_ commit: CommitNode) throws(GitError) {
    guard let first = commit.parentNodes.first else { return }
    var removed: [TreeDiff.File] = []
    var added: [TreeDiff.File] = []
    for parent in commit.parentNodes {
      let (removedHere, addedHere) = try changes.between(parent.tree, commit.tree)
      // Every parent that matters must have had the file; a save's tip may never have had it.
      let paths = Set(removedHere.map(\.path))
      if parent === first || commit.save != nil {
        removed += removedHere.filter { file in !removed.contains { $0.path == file.path } }
      } else {
        removed.removeAll { !paths.contains($0.path) }
      }
      added += addedHere
    }
    defer { came.formUnion(added.map(\.path)) }
    guard !removed.isEmpty else { return }
    var unique: [EntryPath: TreeDiff.File] = [:]
    for file in added { unique[file.path] = file }
    let renames = try changes.renames(removed, Array(unique.values))
    let targets = Dictionary(renames.map { ($1, $0) }) { first, _ in first }
    for file in removed {
      let target = targets[file.path].flatMap { unique[$0] }
      if findsMoves { try follow(file, to: target) }
      guard found[file.path] == nil else { continue }
      let deletion = Deletion(commit: commit.id, entry: file.entry, authorTime: commit.authorTime)
      found.updateValue(target == nil ? deletion : nil, forKey: file.path)
    }
  }

  private mutating func follow(_ file: TreeDiff.File, to target: TreeDiff.File?) throws(GitError) {
    var place: EntryPath?
    if let target, try isSame(file, target) { place = places[target.path] ?? target.path }
    places.updateValue(place, forKey: file.path)
    if moves[file.path] == nil, !came.contains(file.path) { moves[file.path] = place }
  }

  /// True if a move has left the text below the title as it was.
  private func isSame(_ old: TreeDiff.File, _ new: TreeDiff.File) throws(GitError) -> Bool {
    let (text, other) = (try textBelowTitle(of: old), try textBelowTitle(of: new))
    return !text.isEmpty && text == other
  }

  private func textBelowTitle(of file: TreeDiff.File) throws(GitError) -> ArraySlice<UInt8> {
    let bytes = try reader.read(file.entry.id, "version") { Array($0) }
    let body = EntryText(bytes).bodyBytes.drop { $0 <= 0x20 }
    guard body.first == UInt8(ascii: "#"), body.dropFirst().first == 0x20 else { return body }
    return body.drop { $0 != 0x0A }.drop { $0 <= 0x20 }
  }
}
