import DiaryCore
import EntryFiles
import GitHistory
import Glibc

extension Journal {
  /// The state of every file that can make git ignore something.
  func ignoreKey(_ walk: FolderScan) -> String {
    let parts = walk.ignoreFiles.map { "\($0.path.text) \($0.stamp.size) \($0.stamp.modified)" }
    return (parts + outsideIgnoreKey).joined(separator: "\n")
  }

  /// The same of those outside of the journal.
  var outsideIgnoreKey: [String] {
    let global = environment.variables["XDG_CONFIG_HOME"] ?? environment.home + "/.config"
    var outside = [gitLocation.commonDirectory + "/info/exclude", global + "/git/ignore"]
    // They may name another file of ignored names.
    outside += [environment.home + "/.gitconfig", global + "/git/config"]
    if gitLocation.prefix != nil { outside.append(gitLocation.workTree + "/.gitignore") }
    return outside.compactMap { path in
      var answer = stat()
      guard stat(path, &answer) == 0 else { return nil }
      return "\(path) \(answer.st_size) \(answer.st_mtim.tv_sec) \(answer.st_mtim.tv_nsec)"
    }
  }
}
