import CLibgit2
import DiaryCore
import Glibc

/// How an attempt to move the branch to what a sync brought ended. Paths are the repository's.
public enum Advance: Sendable, Equatable {
  /// The branch and the index have moved; the working files are the caller's to replace.
  case moved([MovedFile])
  /// Not now.
  case waiting(WaitReason)
  /// The writer has staged other versions of these files; nothing has moved.
  case staged([EntryPath])
  /// The work tree is not where it was expected to be; nothing has moved.
  case elsewhere(Head)
}

/// A file that differs between two commits.
public struct MovedFile: Sendable, Equatable {
  /// Where it is, as the repository spells it.
  public let path: EntryPath
  /// What the commit before holds there; `nil`: nothing.
  public let old: KeptFile?
  /// What the new commit holds there; `nil`: nothing.
  public let new: KeptFile?
  /// Left out of the work tree by a sparse checkout: there is no working file to replace.
  public let isSkipped: Bool
}

/// A file as a commit holds it.
public struct KeptFile: Hashable, Sendable {
  /// Its blob; of a submodule, its commit.
  public let id: ObjectID
  /// What it is.
  public let kind: FileKind

  init(_ entry: TreeEntry) {
    id = entry.id
    kind = entry.kind
  }
}

extension GitRepository {
  /// Moves the current branch from where `head` found it to `new`, and with it the index entries of
  /// the files that differ, if they are as the branch had them. All of it happens, or nothing; what
  /// else the writer has staged stays as it is. The objects of `new` must be durable.
  ///
  /// `reason` is the reflog's line (`diary sync: merge`). `at`: seconds since 1970. `patience`: how
  /// long somebody else's lock is waited for.
  public func advance(
    to new: CommitID, from head: Head, reason: String, at seconds: Int, offsetMinutes: Int,
    patience: Duration = .seconds(10)
  ) async throws(GitError) -> Advance {
    let time = CommitTime(seconds: seconds, offsetMinutes: offsetMinutes)
    switch try await untilUnlocked(
      patience, since: seconds,
      { () throws(GitError) in
        try attemptAdvance(new, head, reason, time)
      })
    {
    case .ended(let outcome): return outcome
    case .waiting(let reason): return .waiting(reason)
    }
  }

  /// The files that differ between two commits (`nil`: no commit), in order.
  public func changedFiles(
    from old: CommitID?, to new: CommitID?
  ) throws(GitError) -> [MovedFile] {
    try differences(tree(of: old), tree(of: new)).map { path, change in
      MovedFile(
        path: path, old: change.old.map { KeptFile($0) }, new: change.new.map { KeptFile($0) },
        isSkipped: false)
    }.sorted { $0.path < $1.path }
  }

  /// One try, from taking the index lock to giving it back.
  private func attemptAdvance(
    _ new: CommitID, _ expected: Head, _ reason: String, _ time: CommitTime
  ) throws(GitError) -> Attempt<Advance> {
    try endFlush()
    guard let lock = try LinkLock.take(indexPath + ".lock", in: place, flush) else {
      return .locked(indexPath + ".lock")
    }
    defer { lock.release() }
    if let operation = operationFile() { return .ended(.waiting(.operation(operation))) }
    let head = try head()
    if case .detached = head { return .ended(.waiting(.detached)) }
    guard head == expected else { return .ended(.elsewhere(head)) }
    let staging: Staging
    switch try openStaging() {
    case .unreadable(let reason): return .ended(.waiting(.indexUnreadable(reason)))
    case .readable(let opened): staging = opened
    }
    if staging.index.hasConflicts { return .ended(.waiting(.operation("conflict"))) }

    if indexIsFresh, gitRuns { return .headMoves }
    let look = try lookAhead(from: head.commit, to: new, staging.index)
    guard look.held.isEmpty else { return .ended(.staged(look.held.map(\.path).sorted())) }
    guard try settleCommitted(head, time) else {
      return try .locked("\(place.commonDirectory)/\(savesReference(head)).lock")
    }
    // What the writer has staged already as it will be keeps what git knows of its file.
    let stale = look.changes.filter { $0.staged?.entry != $0.new }
    if !stale.isEmpty {
      try lock.fill(staging.rewritten(stale), mode: staging.mode)
      try lock.promise(reference: branchReference(head), commit: new, target: indexPath)
    }
    switch try moveBranch(head, to: new, reason, time, then: lock) {
    case .locked(let path): return .locked(path)
    case .changed: return .headMoves
    case .moved: break
    }
    try confirmKept(NewObjects())
    return .ended(.moved(moved(look)))
  }

  private func lookAhead(
    from old: CommitID?, to new: CommitID, _ index: GitIndex
  ) throws(GitError) -> SittingLook {
    let base = try tree(of: old)
    var look = SittingLook(base: base)
    let changes = try differences(base, tree(of: new))
    // What goes comes first: a file may take the place of a folder that goes.
    for (path, change) in changes.filter({ $0.value.new == nil }) {
      look.addSynced(path, old: change.old, new: nil, index)
    }
    for (path, change) in changes.filter({ $0.value.new != nil }) {
      look.addSynced(path, old: change.old, new: change.new, index)
    }
    return look
  }

  private func moved(_ look: SittingLook) -> [MovedFile] {
    look.changes.map { change in
      MovedFile(
        path: change.path, old: change.old.map { KeptFile($0) },
        new: change.new.map { KeptFile($0) }, isSkipped: change.staged?.isSkipped == true)
    }.sorted { $0.path < $1.path }
  }
}

extension SittingLook {
  /// Sorts a path in by the same rule as a sitting's, but a file that a sparse checkout leaves out
  /// moves on in the index.
  fileprivate mutating func addSynced(
    _ path: EntryPath, old: TreeEntry?, new: TreeEntry?, _ index: GitIndex
  ) {
    if let staged = index.entry(at: path), staged.isSkipped, staged.entry == old {
      changes.append(Change(path: path, old: old, new: new, content: nil, staged: staged))
    } else {
      add(path, old: old, new: new, content: nil, index)
    }
  }
}
