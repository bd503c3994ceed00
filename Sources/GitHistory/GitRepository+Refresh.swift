import CLibgit2
import DiaryCore

/// A working file that was replaced by what a commit holds.
public struct ReplacedFile: Sendable, Equatable {
  /// Where it is, as the repository spells it.
  public let path: EntryPath
  /// What it holds now.
  public let blob: ObjectID
  /// What it looked like after it was written.
  public let stamp: FileStamp

  /// A file from its facts.
  public init(path: EntryPath, blob: ObjectID, stamp: FileStamp) {
    self.path = path
    self.blob = blob
    self.stamp = stamp
  }
}

extension GitRepository {
  /// Tells the index what the working files look like that hold what it names, so that `git status`
  /// need not read them. Only for speed: when somebody holds the lock, or Diary cannot read the
  /// index, nothing is done and `git status` is right all the same.
  public func refreshIndex(_ files: [ReplacedFile]) throws(GitError) {
    guard !files.isEmpty, let lock = try LinkLock.take(indexPath + ".lock", in: place, flush) else {
      return
    }
    defer { lock.release() }
    guard case .readable(let staging) = try openStaging() else { return }
    var changes: [SittingLook.Change] = []
    for file in files {
      guard let staged = staging.index.entry(at: file.path), staged.entry.id == file.blob,
        staged.entry.isRegular, !staged.isIntent
      else { continue }
      changes.append(
        SittingLook.Change(
          path: file.path, old: staged.entry, new: staged.entry, content: nil, staged: staged,
          stamp: file.stamp))
    }
    guard !changes.isEmpty else { return }
    try lock.fill(staging.rewritten(changes), mode: staging.mode)
    try lock.replace(indexPath)
  }
}
