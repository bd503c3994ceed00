import Glibc

extension GitRepository {
  /// Why Diary cannot read the index (the setting, or what is wrong); `nil` when it can.
  package func indexError() throws(GitError) -> String? {
    guard case .unreadable(let reason) = try openIndex() else { return nil }
    return reason
  }

  /// Puts the complete index at `fresh` (on the same file system) in the place of one that nobody can
  /// read, which keeps a name of its own; answers that name. `nil` when somebody holds the lock, or
  /// the index can be read by now.
  package func replaceDamagedIndex(by fresh: String) throws(GitError) -> String? {
    guard let lock = try OwnedLockFile.acquire(indexPath + ".lock", in: location, flush) else {
      return nil
    }
    defer { lock.release() }
    guard try indexError() != nil else { return nil }
    var number = 1
    while link(indexPath, damagedIndexPath(number)) != 0 {
      guard errno == EEXIST, number < 1000 else { throw GitError.system("set aside", indexPath) }
      number += 1
    }
    try syncFile(fresh)
    guard rename(fresh, indexPath) == 0 else { throw GitError.system("replace", indexPath) }
    try syncFile(parent(of: indexPath))
    return damagedIndexPath(number)
  }

  private func damagedIndexPath(_ number: Int) -> String { indexPath + ".damaged-\(number)" }
}
