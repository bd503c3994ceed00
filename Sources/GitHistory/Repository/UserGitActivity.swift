import Glibc

extension GitRepository {
  /// True if a `git commit` of the user runs in the work tree. Without `-a` it holds no lock while
  /// a hook runs or the editor is open, and it would fail at its end if the branch moved meanwhile.
  ///
  /// There are three kinds of evidence: a git started as `git commit`; a git whose child has
  /// `GIT_INDEX_FILE` set, as hooks and editors of a commit have, whatever alias started it; and an
  /// open commit message. git writes `COMMIT_EDITMSG` before it opens the editor, and the reflog
  /// after the commit. A message younger than the reflog is open or was abandoned; it counts only
  /// while a git runs in the work tree.
  func isCommitMessageOpen() -> Bool {
    let gits = runningGits()
    if gits.isEmpty { return false }
    return gits.contains { $0.isCommit || $0.hasCommitChild }
      || location.isMessageNewerThanReflog
  }

  /// True if another program wrote git's index within the last second. `git switch`, `reset` and a
  /// fast-forward write it, release its lock, and only then move HEAD or the branch. Until then,
  /// the files that they checked out look as if they were staged here.
  var wasIndexJustWritten: Bool {
    var now = timespec()
    guard let written = modificationTime(indexPath), !isWrittenByDiary(FileState(indexPath)),
      clock_gettime(CLOCK_REALTIME, &now) == 0
    else { return false }
    return (-1_000_000_000..<1_000_000_000).contains(now.nanoseconds &- written)
  }

  /// True if a git of the user runs in the work tree.
  var isGitRunning: Bool { !runningGits().isEmpty }

  private func runningGits() -> [RunningGit] {
    let folder = location.workTree
    var found: [RunningGit] = []
    for name in names(in: "/proc") {
      guard let process = Int32(name), process != getpid(), let git = RunningGit(process) else {
        continue
      }
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let length = readlink("/proc/\(process)/cwd", &buffer, buffer.count - 1)
      guard length > 0 else { continue }
      let directory = String(
        decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if directory == folder || directory.hasPrefix(folder + "/") { found.append(git) }
    }
    return found
  }
}

/// A running `git` that may commit; long-running helpers (daemons) do not count.
private struct RunningGit {
  let process: Int32
  let arguments: [String]

  init?(_ process: Int32) {
    guard let bytes = try? readFile("/proc/\(process)/cmdline") else { return nil }
    let commandLine = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    guard let program = commandLine.first, program == "git" || program.hasSuffix("/git"),
      !commandLine.contains(where: { $0.hasSuffix("--daemon") || $0 == "daemon" })
    else { return nil }
    self.process = process
    arguments = Array(commandLine.dropFirst())
  }

  /// True if its command is `commit`.
  var isCommit: Bool {
    var remaining = arguments[...]
    while let word = remaining.popFirst() {
      if ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"].contains(word) {
        remaining = remaining.dropFirst()
      } else if !word.hasPrefix("-") {
        return word == "commit"
      }
    }
    return false
  }

  /// True if it has started a hook or an editor of a commit.
  var hasCommitChild: Bool {
    let list = (try? readFile("/proc/\(process)/task/\(process)/children")) ?? []
    return list.split(separator: UInt8(ascii: " ")).contains { child in
      let child = String(decoding: child, as: UTF8.self)
      let variables = (try? readFile("/proc/\(child)/environ")) ?? []
      return variables.split(separator: 0).contains { $0.starts(with: "GIT_INDEX_FILE=".utf8) }
    }
  }
}
