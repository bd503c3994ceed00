import Glibc

extension GitRepository {
  /// Whether a `git commit` of the writer waits for its message. Without `-a` it holds no lock while
  /// the editor is open, and would fail at its end if the branch had moved meanwhile.
  ///
  /// git writes `COMMIT_EDITMSG` before it opens the editor and the reflog after the commit: a message
  /// that is younger than the reflog is one that waits, or was given up. A git that still runs in the
  /// work tree tells the two apart.
  func writerIsWritingMessage() -> Bool {
    guard let message = changed(place.gitDirectory + "/COMMIT_EDITMSG") else { return false }
    if let moved = changed(place.gitDirectory + "/logs/HEAD"), moved > message { return false }
    return gitRuns
  }

  /// Whether git's index was written by somebody else within the last second. `git switch`, `reset` and
  /// a fast-forward write it, let its lock go, and move HEAD or the branch only then: what they have
  /// checked out for there looks until then as if it were staged here.
  var indexIsFresh: Bool {
    var now = timespec()
    guard let written = changed(indexPath), !isOwnIndex(FileState(indexPath)),
      clock_gettime(CLOCK_REALTIME, &now) == 0
    else { return false }
    let age = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec) - written
    return (-1_000_000_000..<1_000_000_000).contains(age)
  }

  private func changed(_ path: String) -> Int64? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
  }

  /// Whether a git of the writer's runs in the work tree.
  var gitRuns: Bool {
    let folder = place.workTree
    guard let processes = opendir("/proc") else { return false }
    defer { closedir(processes) }
    while let entry = readdir(processes) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let process = Int32(name), process != getpid(), isGit(process) else { continue }
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let length = readlink("/proc/\(process)/cwd", &buffer, buffer.count - 1)
      guard length > 0 else { continue }
      let place = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if place == folder || place.hasPrefix(folder + "/") { return true }
    }
    return false
  }

  /// A `git` of some verb that may commit; its helpers that run for ever are none.
  private func isGit(_ process: Int32) -> Bool {
    guard let bytes = try? readFile("/proc/\(process)/cmdline") else { return false }
    let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    guard let program = words.first, program == "git" || program.hasSuffix("/git") else {
      return false
    }
    return !words.contains { $0.hasSuffix("--daemon") || $0 == "daemon" }
  }
}
