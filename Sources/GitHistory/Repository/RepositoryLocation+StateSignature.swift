import Glibc

extension RepositoryLocation {
  /// Returns the status of all files of git's that determine the pending changes: HEAD, branch,
  /// index, saves, settings and ignore rules. While the text is the same, none of them was touched;
  /// `newest` is their latest modification time (ns since 1970). Returns `nil` if HEAD cannot be
  /// read. It only reads files.
  package func stateSignature() -> (text: String, newest: Int64)? {
    guard let head = try? readFile(gitDirectory + "/HEAD") else { return nil }
    let line = String(decoding: head, as: UTF8.self)
    var files = ["index", "info/sparse-checkout", "config.worktree"].map { gitDirectory + "/" + $0 }
    files += ["packed-refs", "config", "info/exclude", "info/attributes"].map {
      commonDirectory + "/" + $0
    }
    if line.hasPrefix("ref: ") {
      files.append(commonDirectory + "/" + line.dropFirst(5).prefix { $0 != "\n" })
    }
    files += refFiles(below: commonDirectory + "/refs/diary/saves/" + worktreeName)
    var (text, newest) = (line, Int64.min)
    for file in files {
      var status = stat()
      guard stat(file, &status) == 0 else {
        text += "\n" + file
        continue
      }
      let (modified, changed) = (status.st_mtim, status.st_ctim)
      text += "\n\(file) \(status.st_size) \(status.st_ino) \(modified.tv_sec) \(modified.tv_nsec)"
      text += " \(changed.tv_sec) \(changed.tv_nsec)"
      newest = max(newest, modified.nanoseconds)
    }
    return (text, newest)
  }

  /// Returns the files of a folder of refs, at any depth.
  private func refFiles(below folder: String) -> [String] {
    names(in: folder).sorted().flatMap { name -> [String] in
      let path = folder + "/" + name
      var status = stat()
      guard stat(path, &status) == 0 else { return [path] }
      return status.st_mode & S_IFMT == S_IFDIR ? refFiles(below: path) : [path]
    }
  }
}
