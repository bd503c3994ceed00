import CLibgit2
import Glibc

// Refs are moved without libgit2: after a kill, its lock files cannot be distinguished from the
// user's. Reading uses libgit2 (packed refs, symbolic refs).

/// The result of an attempt to move a ref.
enum ReferenceMove: Equatable {
  case moved
  /// Another process holds the ref's lock.
  case locked(String)
  /// The ref does not have the expected value.
  case changed
}

extension GitRepository {
  /// Moves `reference` from `old` (`nil`: it must not exist) to `new`, durably. With `logs`, the
  /// change is first written to these reflogs (`HEAD`, or the ref's name), as git does. `condition`
  /// is checked under the lock; if it is false, the ref counts as changed.
  func move(
    _ reference: String, from old: CommitID?, to new: CommitID, logs: [String] = [],
    log line: @autoclosure () -> String = "",
    if condition: () throws(GitError) -> Bool = { () throws(GitError) in true }
  ) throws(GitError) -> ReferenceMove {
    let name = try resolvedName(reference)
    let file = location.commonDirectory + "/" + name
    try makeFolders(parent(of: file))
    let content = Array("\(new)\n".utf8)
    guard
      let lock = try OwnedLockFile.acquire(file + ".lock", in: location, flush, content: content)
    else {
      return .locked(file + ".lock")
    }
    defer { lock.release() }
    guard try target(of: name) == old, try condition() else { return .changed }
    removeEmptyFolders(file)
    let text = line()
    for log in logs { try append(text, toLog: log) }
    sharedPermissions?.apply(to: lock.descriptor)
    share(parent(of: file))
    try lock.replace(file)
    return .moved
  }

  /// Moves the current branch from the commit in `head`, and then completes the index lock. Index
  /// and branch belong together, whatever fails in between, also in `mark`, run between them.
  func moveBranch(
    _ head: Head, to new: CommitID, _ reason: String, _ time: CommitTime,
    completing lock: OwnedLockFile,
    mark: (() throws(GitError) -> Void)? = nil
  ) throws(GitError) -> ReferenceMove {
    let outcome: ReferenceMove
    do {
      outcome = try moveBranch(head, to: new, reason, time)
    } catch {
      // The branch may have moved without a confirmed sync to disk.
      if (try? target(of: branchReference(head))) == new { try? lock.complete() }
      throw error
    }
    guard outcome == .moved else { return outcome }
    lock.requireAllWritten()
    var failure: GitError?
    do throws(GitError) { try mark?() } catch { failure = error }
    try lock.complete()
    if let failure { throw failure }
    return outcome
  }

  /// Moves the current branch from the commit in `head`, with a line in its reflog and HEAD's.
  private func moveBranch(
    _ head: Head, to new: CommitID, _ reason: String, _ time: CommitTime
  ) throws(GitError) -> ReferenceMove {
    let reference = branchReference(head)
    let none = String(repeating: "0", count: 40)
    return try move(
      reference, from: head.commit, to: new, logs: [reference, "HEAD"],
      log: "\(head.commit?.description ?? none) \(new) \(signatureLine(identity(), time))\t"
        + "\(reason)\n",
      if: { () throws(GitError) in try self.head() == head })
  }

  func branchReference(_ head: Head) -> String {
    let name = head.branchName
    return name.hasPrefix("refs/") ? name : "refs/heads/" + name
  }

  /// A branch may be a symbolic ref to another branch.
  private func resolvedName(_ reference: String) throws(GitError) -> String {
    var name = reference
    for _ in 0..<5 {
      var found: OpaquePointer?
      let code = GitError.read(&found) { git_reference_lookup(&$0, repository, name) }
      if code == GIT_ENOTFOUND.rawValue { return name }
      try GitError.check(code, "read", name)
      defer { git_reference_free(found) }
      guard let next = git_reference_symbolic_target(found) else { return name }
      name = String(cString: next)
    }
    throw GitError("follow", reference, .damaged, "it leads through too many references")
  }

  /// Removes the empty folders that deleted branches left at the path of a ref's file.
  private func removeEmptyFolders(_ path: String) {
    for name in names(in: path) { removeEmptyFolders(path + "/" + name) }
    rmdir(path)
  }

  /// Appends a line to a reflog in git's format. Each work tree has its own log of `HEAD`.
  private func append(_ line: String, toLog log: String) throws(GitError) {
    let folder = log == "HEAD" ? location.gitDirectory : location.commonDirectory
    let path = folder + "/logs/" + log
    let isLogEnabled = isConfigured("core.logAllRefUpdates", unset: true)
    guard isLogEnabled || access(path, F_OK) == 0 else { return }
    try makeFolders(parent(of: path))
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw GitError.system("write the log", path) }
    defer { close(descriptor) }
    share(path)
    try writeAll(Array(line.utf8), to: descriptor, path)
    guard flush.isOpen || fsync(descriptor) == 0 else { throw GitError.system("sync", path) }
    flush.recordChange()
  }
}
