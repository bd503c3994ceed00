import DiaryCore

/// The result of an attempt to move the branch to a synced commit. Paths are the repository's.
package enum AdvanceResult: Sendable, Equatable {
  /// The branch and the index have moved; the caller must replace the working files.
  case moved([UpdatedFile])
  /// The move is deferred.
  case deferred(DeferReason)
  /// The user has staged other versions of these files. The branch has not moved.
  case staged([EntryPath])
  /// HEAD is not where it was expected to be. The branch has not moved.
  case headMoved(Head)
}

/// A file that differs between two commits.
package struct UpdatedFile: Sendable, Equatable {
  /// The path in the repository.
  package let path: EntryPath
  /// The entry in the old commit, or `nil` if there is none.
  package let old: TreeEntry?
  /// The entry in the new commit, or `nil` if there is none.
  package let new: TreeEntry?
  /// True if a sparse checkout omits the file: there is no working file to replace.
  package let isSkipWorktree: Bool
}

extension GitRepository {
  /// Moves the current branch from the commit in `head` to `new`, and the index entries of the
  /// files that differ if they equal the branch's. All of this happens or nothing. Other changes
  /// that the user has staged stay. The objects of `new` must be durable.
  ///
  /// `reason` is the reflog message (`diary sync: merge`). `at`: seconds since 1970. The timeout
  /// limits the wait for another process's lock.
  package func advance(
    to new: CommitID, from head: Head, reason: String, at seconds: Int, offsetMinutes: Int,
    timeout: Duration = .seconds(10)
  ) async throws(GitError) -> AdvanceResult {
    let time = CommitTime(seconds: seconds, offsetMinutes: offsetMinutes)
    return try await retryWhileLocked(timeout, deferred: AdvanceResult.deferred) {
      () throws(GitError) in
      try attemptAdvance(new, head, reason, time)
    }
  }

  /// Returns the files that differ between two commits (`nil`: no commit), sorted by path.
  package func changedFiles(
    from old: CommitID?, to new: CommitID?
  ) throws(GitError) -> [UpdatedFile] {
    try differences(tree(of: old), tree(of: new)).map { path, change in
      UpdatedFile(
        path: path, old: change.old, new: change.new,
        isSkipWorktree: false)
    }.sorted { $0.path < $1.path }
  }

  /// Makes one attempt, from acquiring the index lock to releasing it.
  private func attemptAdvance(
    _ new: CommitID, _ expected: Head, _ reason: String, _ time: CommitTime
  ) throws(GitError) -> BranchMoveAttempt<AdvanceResult> {
    try endFlush()
    let unexpected: (Head) -> AdvanceResult? = { $0 == expected ? nil : .headMoved($0) }
    return try withLockedIndex(unless: unexpected) { lock, head, lockedIndex throws(GitError) in
      if wasIndexJustWritten, isGitRunning { return .headIsMoving }
      let plan = try planAdvance(from: head.commit, to: new, lockedIndex.index)
      guard plan.heldBackChanges.isEmpty else {
        return .ended(.staged(plan.heldBackChanges.map(\.path).sorted()))
      }
      guard try markCommitted(head, time) else {
        return try .locked("\(location.commonDirectory)/\(savesReference(head)).lock")
      }
      // An entry that the user has already staged in the new version keeps its file status.
      let stale = plan.changes.filter { $0.staged?.entry != $0.new }
      if !stale.isEmpty {
        try lock.write(lockedIndex.updatedBytes(applying: stale), mode: lockedIndex.mode)
        try lock.recordCompletion(reference: branchReference(head), commit: new, target: indexPath)
      }
      switch try moveBranch(head, to: new, reason, time, completing: lock) {
      case .locked(let path): return .locked(path)
      case .changed: return .headIsMoving
      case .moved: break
      }
      try verifyStored(ObjectBatch())
      return .ended(.moved(updatedFiles(in: plan)))
    }
  }

  private func planAdvance(
    from old: CommitID?, to new: CommitID, _ index: GitIndex
  ) throws(GitError) -> CommitPlan {
    let base = try tree(of: old)
    var plan = CommitPlan(base: base)
    let changes = try differences(base, tree(of: new))
    // Deletions come first: a file may replace a folder that is removed.
    for (path, change) in changes.filter({ $0.value.new == nil }) {
      plan.addFromRemote(path, old: change.old, new: nil, index)
    }
    for (path, change) in changes.filter({ $0.value.new != nil }) {
      plan.addFromRemote(path, old: change.old, new: change.new, index)
    }
    return plan
  }

  private func updatedFiles(in plan: CommitPlan) -> [UpdatedFile] {
    plan.changes.map { change in
      UpdatedFile(
        path: change.path, old: change.old,
        new: change.new, isSkipWorktree: change.staged?.isSkipWorktree == true)
    }.sorted { $0.path < $1.path }
  }
}

extension CommitPlan {
  /// Adds a path by the same rule as a sitting, but updates the index entry of a file that a sparse
  /// checkout omits.
  fileprivate mutating func addFromRemote(
    _ path: EntryPath, old: TreeEntry?, new: TreeEntry?, _ index: GitIndex
  ) {
    if let staged = index.entry(at: path), staged.isSkipWorktree, staged.entry == old {
      changes.append(Change(path: path, old: old, new: new, content: nil, staged: staged))
    } else {
      add(path, old: old, new: new, content: nil, index)
    }
  }
}
