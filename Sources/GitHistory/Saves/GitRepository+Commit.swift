import CLibgit2
import DiaryCore

/// The input of a sitting's commit.
private struct CommitRequest: Sendable {
  var paths: [EntryPath]?
  var read: @Sendable (EntryPath) throws -> FileContents?
  var message: @Sendable ([CommittedChange]) -> String
  var time: CommitTime
}

extension GitRepository {
  /// Ends a sitting: makes one commit on the user's branch with `paths` (`nil`: all pending paths),
  /// atomically against the user's git.
  ///
  /// `read` returns the file on disk, or `nil` if it is missing. It is called while git's index is
  /// locked, so that git cannot change the file between the read and the commit. Only saved texts
  /// are committed: a path stays pending if `read` fails, or if the file differs from its save, for
  /// only the next save compares it with what a sync or git brought.
  /// `message` makes the commit message from the actual changes. The timeout limits the wait, with
  /// growing pauses, for another process's lock.
  package func commitSitting(
    _ paths: [EntryPath]?, read: @escaping @Sendable (EntryPath) throws -> FileContents?,
    message: @escaping @Sendable ([CommittedChange]) -> String, at seconds: Int,
    offsetMinutes: Int, timeout: Duration = .seconds(10)
  ) async throws(GitError) -> SittingOutcome {
    let request = CommitRequest(
      paths: paths, read: read, message: message,
      time: CommitTime(seconds: seconds, offsetMinutes: offsetMinutes))
    do throws(GitError) {
      let outcome = try await retryWhileLocked(timeout, deferred: SittingOutcome.deferred) {
        () throws(GitError) in
        try tryCommit(request)
      }
      try endFlush()
      return outcome
    } catch {
      abandonFlush()
      throw error
    }
  }

  private enum DiskState {
    /// The file, and the id of its bytes before filters.
    case file(FileContents, ObjectID?)
    case missing
  }

  /// Makes one attempt, from acquiring the lock to releasing it; no other job runs on this actor.
  private func tryCommit(_ request: CommitRequest) throws(GitError) -> BranchMoveAttempt<
    SittingOutcome
  > {
    beginFlush()
    if request.paths == nil, try pending().isEmpty { return .ended(.nothing(heldBack: [])) }
    // During an operation of git even a short lock would be in its way. The lock's holder checks
    // everything again.
    if let operation = operationFile() { return .deferred(.operation(operation)) }
    return try withLockedIndex { lock, head, lockedIndex throws(GitError) in
      var objects = ObjectBatch()
      let plan = try plan(request, head, lockedIndex.index)
      guard !plan.changes.isEmpty else {
        if !plan.unchanged.isEmpty { try markCommitted(plan, head, request.time) }
        return .ended(.nothing(heldBack: plan.heldBackPaths))
      }
      if plan.changes.contains(where: \.isStagedAsOnDisk), wasIndexJustWritten || isGitRunning {
        return .headIsMoving
      }
      let commit = try writeCommit(plan, head, request, &objects)
      try lock.write(
        lockedIndex.updatedBytes(applying: plan.changes), mode: lockedIndex.mode)
      try lock.recordCompletion(
        reference: branchReference(head), commit: commit, target: indexPath)
      let (count, inode) = (plan.changes.count, lock.inode)
      let reason = "diary: \(count) \(count == 1 ? "file" : "files")"
      let written = objects
      let mark = { () throws(GitError) in
        try self.verifyStored(written)
        try self.markCommitted(plan, .branch(head.branchName, commit), request.time)
      }
      // Between the updates of branch and index, the mark needs no barriers of its own.
      let isFlushOpen = flush.isOpen
      switch try moveBranch(
        head, to: commit, reason, request.time, completing: lock, mark: isFlushOpen ? mark : nil)
      {
      case .locked(let path): return .locked(path)
      case .changed: return .headIsMoving
      case .moved: break
      }
      recordWrittenIndex(inode)
      if !isFlushOpen { try mark() }
      let paths = plan.changes.compactMap { location.journalPath($0.path) }
      return .ended(.committed(commit, paths, heldBack: plan.heldBackPaths))
    }
  }

  private func plan(
    _ request: CommitRequest, _ head: Head, _ index: GitIndex
  ) throws(GitError) -> CommitPlan {
    let committed = try tree(of: head.commit)
    let saved = try pendingEdits(head, committed)
    var plan = CommitPlan(base: committed)
    let requested = request.paths ?? saved.keys.compactMap { location.journalPath($0) }
    var rules = AttributeRules(self)
    let folders = TreeCache()
    var found: [(path: EntryPath, old: TreeEntry?, new: TreeEntry?, content: FileContents?)] = []
    let paths = Set(requested).subtracting(try pathsInForeignFolders(requested)).sorted()
    // Of a picture only the id is needed: thousands of them must not be in memory at once.
    let onlyIDs = Set(
      paths.filter { path in
        !path.isMarkdown && !rules.mayHaveAttributes(location.repositoryPath(path), self)
      })
    for (path, disk) in zip(paths, readAll(paths, request, onlyIDs)) {
      guard let disk else { continue }
      let full = location.repositoryPath(path)
      let old = try fileEntry(at: full, in: committed, folders)
      guard case .file(let content, let plain) = disk else {
        // A missing file counts as deleted only if it was saved as deleted.
        if case .some(.none) = saved[full] { found.append((full, old, nil, nil)) }
        continue
      }
      let hasAttributes = rules.mayHaveAttributes(full, self)
      guard
        let id = hasAttributes
          ? try ObjectID(of: filtered(content.bytes, full, GIT_FILTER_TO_ODB)) : plain
      else { continue }
      let new = TreeEntry(id: id, mode: mode(content.signature.isExecutable, insteadOf: old))
      // Where git does not trust the disk's modes, only the bytes tell.
      let savedID = (saved[full] ?? nil)?.id
      guard id == savedID || new == old else { continue }
      found.append((full, old, new, content))
    }
    // Deletions come first: a file may replace a folder that is removed.
    for item in found.filter({ $0.new == nil }) + found.filter({ $0.new != nil }) {
      plan.add(item.path, old: item.old, new: item.new, content: item.content, index)
    }
    plan.holdBackStagedRenames()
    plan.changes.sort { $0.path < $1.path }
    plan.heldBackPaths = plan.heldBackChanges.compactMap { location.journalPath($0.path) }.sorted()
    return plan
  }

  /// Returns the file on disk at each path, or `nil` if it cannot be read; without its bytes for
  /// `onlyIDs`.
  private func readAll(
    _ paths: [EntryPath], _ request: CommitRequest, _ onlyIDs: Set<EntryPath>
  ) -> [DiskState?] {
    concurrentMap(paths) { path in
      try? request.read(path).map { file in
        let id = try? ObjectID(of: file.bytes)
        guard onlyIDs.contains(path) else { return .file(file, id) }
        var named = file
        named.bytes = []
        return .file(named, id)
      } ?? .missing
    }
  }

  private func writeCommit(
    _ plan: CommitPlan, _ head: Head, _ request: CommitRequest, _ objects: inout ObjectBatch
  ) throws(GitError) -> CommitID {
    var edits: TreeEdits = [:]
    var committedChanges: [CommittedChange] = []
    for change in plan.changes {
      edits.updateValue(change.new, forKey: change.path)
      let path = location.journalPath(change.path) ?? change.path
      let isText = path.isMarkdown
      let old = isText && change.old?.isRegular == true ? change.old?.id : nil
      committedChanges.append(
        CommittedChange(
          path: path, old: change.old?.id, new: change.new?.id,
          oldBytes: try old.flatMap { id throws(GitError) in
            try size(of: id) <= maxEntryBytes ? try content(of: id) : nil
          },
          newBytes: isText ? change.content?.bytes : nil))
    }
    let tree = try writeTree(plan.base, edits, &objects)
    let commit = try writeCommit(
      tree: tree, parents: [head.commit].compactMap { $0 },
      message: request.message(committedChanges),
      at: request.time, &objects)
    try store(objects)
    try confirmObjects(objects)
    return commit
  }

  /// Marks on the saves ref the changes that the branch now contains, so that they never count as
  /// pending again, and the paths that no longer differ on disk.
  private func markCommitted(_ plan: CommitPlan, _ head: Head, _ time: CommitTime) throws(GitError)
  {
    guard try target(of: savesReference(head)) != nil else { return }
    var objects = ObjectBatch()
    let done = plan.unchanged.union(plan.changes.map(\.path))
    // Bookkeeping only: if another Diary process is faster, the next sitting does it.
    _ = try updateSavesRef(
      [:], committed: done, isSittingEnd: true, head: head, message: "End of a sitting", at: time,
      &objects
    )
  }
}
