import Glibc

extension GitRepository {
  /// Replaces an unreadable index by the complete one at `fresh` (on the same file system) and
  /// returns the path at which the old one stays. Returns `nil` if another process holds the lock,
  /// or if the index is readable by now.
  package func replaceDamagedIndex(by fresh: String) throws(GitError) -> String? {
    guard let lock = try OwnedLockFile.acquire(indexPath + ".lock", in: location, flush) else {
      return nil
    }
    defer { lock.release() }
    guard case .unreadable = try openIndex() else { return nil }
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
