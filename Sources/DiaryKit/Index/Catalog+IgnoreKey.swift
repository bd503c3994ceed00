import DiaryCore
import EntryFiles
import GitHistory
import Glibc

extension Catalog {
  /// The state of every file that can make git ignore something.
  func ignoreKey(_ walk: FolderScan) -> String {
    let parts = walk.ignoreFiles.map {
      "\($0.path.text) \($0.signature.size) \($0.signature.modified)"
    }
    return (parts + externalIgnoreKey).joined(separator: "\n")
  }

  /// The state of such files outside of the journal.
  var externalIgnoreKey: [String] {
    let global = GitLibrary.configFolder(journal.environment.variables) ?? ""
    var paths = [journal.gitLocation.commonDirectory + "/info/exclude", global + "/ignore"]
    // git's configuration may name another ignore file.
    paths += [journal.environment.home + "/.gitconfig", global + "/config"]
    if journal.gitLocation.prefix != nil {
      paths.append(journal.gitLocation.workTree + "/.gitignore")
    }
    return paths.compactMap { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      return "\(path) \(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
    }
  }
}
