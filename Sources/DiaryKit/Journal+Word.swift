import DiaryCore
import EntryFiles
import EntryIndex
import GitHistory
import Glibc

extension Journal {
  /// Whether a watcher says that the index is as a walk would make it now. `false` when none runs, or
  /// it does not answer at once.
  func hasWatchersWord() -> Bool {
    guard let caller = WatchDoor.Caller(in: stateFolder),
      let rows = try? catalog.rows(),
      // The watcher sees the journal's folder; what else makes git ignore a file is looked at here.
      (try? catalog.remark("ignore"))??.hasSuffix(outerIgnoreKey) == true,
      let answer = caller.ask(rows.text, milliseconds: 25)
    else { return false }
    // Brought up to date meanwhile, the index has other rows.
    return answer == rows.text || answer == (try? catalog.rows())??.text
  }

  /// The state of every file that can make git ignore something.
  func ignoreKey(_ walk: Walk) -> String {
    walk.ignoreFiles.map { "\($0.path.text) \($0.stamp.size) \($0.stamp.modified)" }
      .joined(separator: "\n") + outerIgnoreKey
  }

  /// The part of it that lies outside the journal's folder.
  private var outerIgnoreKey: String {
    var parts = ["\n"]
    let global = surroundings.environment["XDG_CONFIG_HOME"] ?? surroundings.home + "/.config"
    var outside = [place.commonDirectory + "/info/exclude", global + "/git/ignore"]
    // They may name another file of ignored names.
    outside += [surroundings.home + "/.gitconfig", global + "/git/config"]
    if place.prefix != nil { outside.append(place.workTree + "/.gitignore") }
    for path in outside {
      var answer = stat()
      guard stat(path, &answer) == 0 else { continue }
      parts.append("\(path) \(answer.st_size) \(answer.st_mtim.tv_sec) \(answer.st_mtim.tv_nsec)")
    }
    return parts.joined(separator: "\n")
  }
}
