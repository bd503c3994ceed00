import DiaryCore
import Foundation
import Glibc

/// The paths of a journal's repository. It is found by reading files only, so that `list` and
/// `search` never start libgit2.
package struct RepositoryLocation: Sendable, Equatable {
  /// The folder that contains `.git`, without a trailing slash.
  package let workTree: String
  /// The git directory of this work tree (`.git`, or `.git/worktrees/NAME` of the main one).
  package let gitDirectory: String
  /// The folder of objects and branches; it differs from ``gitDirectory`` in a linked work tree.
  package let commonDirectory: String
  /// The journal's folder inside the work tree, or `nil` if it is the work tree.
  package let prefix: EntryPath?

  /// Returns the nearest repository at or above `journal`, or `nil` if there is none.
  package static func find(journal: String) throws(GitError) -> RepositoryLocation? {
    guard let start = realPath(journal) else { throw GitError.system("look into", journal) }
    var folder = start
    while true {
      if let directory = try gitDirectory(in: folder) {
        let below = start.utf8.dropFirst(folder == "/" ? 1 : folder.utf8.count + 1)
        return RepositoryLocation(
          workTree: folder, gitDirectory: directory,
          commonDirectory: try commonDirectory(of: directory), prefix: EntryPath(bytes: below))
      }
      if folder == "/" { return nil }
      folder = parent(of: folder)
    }
  }

  /// The folder of Diary's own files in this git directory.
  package var diaryDirectory: String { gitDirectory + "/diary" }

  /// Creates ``diaryDirectory``, accessible to its owner only.
  package func makeDiaryDirectory() throws(GitError) {
    guard mkdir(diaryDirectory, 0o700) == 0 || errno == EEXIST else {
      throw GitError.system("make", diaryDirectory)
    }
  }

  /// True if anything in the git directory, except Diary's own files, was created or written a
  /// moment ago: a repository that is still being copied is not complete. A time in the future
  /// counts as past.
  package func wasWritten(withinSeconds seconds: Int) -> Bool {
    let now = time(nil)
    let names = FileManager.default.enumerator(atPath: gitDirectory)
    while let name = names?.nextObject() as? String {
      var status = stat()
      guard name != "diary", !name.hasPrefix("diary/"),
        lstat(gitDirectory + "/" + name, &status) == 0
      else { continue }
      if (0..<seconds).contains(now - status.st_ctim.tv_sec) { return true }
    }
    return false
  }

  /// The work tree's name in its saves refs. A linked work tree may itself be called `main`; `+` is
  /// legal in a ref, and git itself never puts it there.
  var worktreeName: String {
    guard gitDirectory != commonDirectory, let name = gitDirectory.split(separator: "/").last else {
      return "main"
    }
    return name == "main" ? "main+" : String(name)
  }

  /// Converts a path of the journal to one of the repository.
  package func repositoryPath(_ path: EntryPath) -> EntryPath {
    prefix.flatMap { $0.appending(path.bytes) } ?? path
  }

  /// Converts a path of the repository to one of the journal; `nil` outside the journal.
  package func journalPath(_ path: EntryPath) -> EntryPath? {
    guard let prefix else { return path }
    return path.isInside(prefix)
      ? EntryPath(bytes: path.bytes.dropFirst(prefix.bytes.count + 1)) : nil
  }

  /// Returns the disk path of `path` (of the repository), as a C string.
  func diskPath(_ path: EntryPath) -> [CChar] {
    (Array((workTree + "/").utf8) + path.bytes).cString
  }
}

extension RepositoryLocation {
  private static func gitDirectory(in folder: String) throws(GitError) -> String? {
    let dotGit = (folder == "/" ? "" : folder) + "/.git"
    var status = stat()
    guard stat(dotGit, &status) == 0 else { return nil }
    if status.st_mode & S_IFMT == S_IFDIR {
      return access(dotGit + "/HEAD", F_OK) == 0 ? dotGit : nil
    }
    guard status.st_mode & S_IFMT == S_IFREG, let text = try line(of: dotGit),
      text.hasPrefix("gitdir:")
    else { return nil }
    let target = String(text.dropFirst("gitdir:".count).drop { $0 == " " })
    guard let directory = realPath(target.hasPrefix("/") ? target : folder + "/" + target) else {
      throw GitError.system("follow", dotGit)
    }
    return directory
  }

  private static func commonDirectory(of directory: String) throws(GitError) -> String {
    guard let text = try line(of: directory + "/commondir") else { return directory }
    guard let common = realPath(text.hasPrefix("/") ? text : directory + "/" + text) else {
      throw GitError.system("follow", directory + "/commondir")
    }
    return common
  }

  private static func line(of path: String) throws(GitError) -> String? {
    guard var bytes = try readFile(path, limit: 1 << 16) else { return nil }
    while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
      bytes.removeLast()
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

func realPath(_ path: String) -> String? {
  guard let found = realpath(path, nil) else { return nil }
  defer { free(found) }
  return String(cString: found)
}
