import DiaryCore
import EntryFiles
import GitHistory
import Glibc

extension Journal {
  /// The state of every file that can make git ignore something.
  func ignoreKey(_ walk: FolderScan) -> String {
    var parts = walk.ignoreFiles.map { "\($0.path.text) \($0.stamp.size) \($0.stamp.modified)" }
    let global = environment.variables["XDG_CONFIG_HOME"] ?? environment.home + "/.config"
    var outside = [gitLocation.commonDirectory + "/info/exclude", global + "/git/ignore"]
    // They may name another file of ignored names.
    outside += [environment.home + "/.gitconfig", global + "/git/config"]
    if gitLocation.prefix != nil { outside.append(gitLocation.workTree + "/.gitignore") }
    for path in outside {
      var answer = stat()
      guard stat(path, &answer) == 0 else { continue }
      parts.append("\(path) \(answer.st_size) \(answer.st_mtim.tv_sec) \(answer.st_mtim.tv_nsec)")
    }
    return parts.joined(separator: "\n")
  }
}
