import Glibc

extension GitRepository {
  /// Clears the locks of a killed Diary, and finishes the index of a sitting whose branch had
  /// already moved. Other programs' locks are not touched. Returns the cleared lock files.
  @discardableResult
  package func clearStaleLocks() throws(GitError) -> [String] {
    hasClearedLocks = true
    let folder = location.locksDirectory
    let all = names(in: folder)
    var cleared: [String] = []
    for name in all where !name.contains(".") {
      if let path = try clear(folder + "/" + name) { cleared.append(path) }
    }
    for name in all where name.contains(".") {
      // A kill during the removal of records has left this file.
      if access(folder + "/" + name.prefix { $0 != "." }, F_OK) != 0 { unlink(folder + "/" + name) }
    }
    return cleared
  }

  private func clear(_ record: String) throws(GitError) -> String? {
    let descriptor = open(record, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // The owner is alive.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    var cleared: String?
    if let bytes = try readFile(record + ".for") {
      let path = String(decoding: bytes, as: UTF8.self)
      if OwnedLockFile.isSame(descriptor, path) {
        if let target = try completionTarget(of: record) {
          if OwnedLockFile.isSame(descriptor, target) {
            // A power loss may leave both names, and rename(2) from one to the other does nothing.
            unlink(path)
          } else if rename(path, target) != 0 {
            throw GitError.system("replace", target)
          }
          try syncFile(parent(of: target))
        } else {
          unlink(path)
        }
        cleared = path
      }
    }
    for ending in [".then", ".for", ""] { unlink(record + ending) }
    return cleared
  }

  /// Returns the target of a complete lock file if its branch has moved, and no further.
  private func completionTarget(of record: String) throws(GitError) -> String? {
    guard let bytes = try readFile(record + ".then") else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 3, lines[2].isEmpty, let space = lines[0].firstIndex(of: " "),
      let commit = ObjectID(lines[0][..<space])
    else { return nil }
    let reference = String(lines[0][lines[0].index(after: space)...])
    return try target(of: reference) == commit ? String(lines[1]) : nil
  }
}
