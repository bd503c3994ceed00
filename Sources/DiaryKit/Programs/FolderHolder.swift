import Foundation
import Glibc

/// A program that keeps a folder from being unmounted.
struct FolderHolder: Sendable {
  let process: Int32
  let name: String
  /// The paths there: its working folder, its program, and its open files.
  let paths: [String]
  /// True if it has nothing open there but one of the encrypted files, which keeps nothing: a watcher
  /// that rests has.
  let isResting: Bool
  /// Its open files elsewhere, too.
  private let files: [String]

  /// The programs other than this one that keep the file system at `root`, and watchers that rest: of
  /// this user, and for root of all users. Those that have started this one come first, such as the
  /// shell it was typed in.
  static func all(of root: String) -> [FolderHolder] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    let holders = processes.compactMap { Int32($0) }.sorted()
      .compactMap { FolderHolder($0, of: root) }
    let callers = callers()
    return holders.filter { callers.contains($0.process) }
      + holders.filter { !callers.contains($0.process) && $0.process != getpid() }
  }

  /// `nil` if the process keeps nothing there.
  private init?(_ process: Int32, of root: String) {
    let folder = "/proc/\(process)"
    let manager = FileManager.default
    let files = ((try? manager.contentsOfDirectory(atPath: folder + "/fd")) ?? []).map {
      "fd/" + $0
    }
    let links = (["cwd", "exe", "root"] + files).compactMap {
      try? manager.destinationOfSymbolicLink(atPath: folder + "/" + $0)
    }
    self.files = links
    // Mapped files: the path is the last of six fields.
    let maps = (try? String(contentsOfFile: folder + "/maps", encoding: .utf8)) ?? ""
    let mapped = maps.split(separator: "\n").filter { $0.contains(root) }
      .compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
    var paths: [String] = []
    let watched = EncryptedFolder(root).watchedFile
    for path in links + mapped
    where path == root || path.hasPrefix(root + "/") || path == watched {
      if !paths.contains(path) { paths.append(path) }
    }
    guard !paths.isEmpty else { return nil }
    let name = (try? String(contentsOfFile: folder + "/comm", encoding: .utf8)) ?? ""
    (self.process, self.name, self.paths) = (process, String(name.dropLast()), paths)
    isResting = paths == [watched]
  }

  /// True if it is a watcher or a page of this very Diary, which close the journal on SIGUSR1.
  func canLetGo(of root: String, _ environment: RuntimeEnvironment) -> Bool {
    let text = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
    let words = text.split(separator: "\0")
    let program: String?
    if words.first?.hasSuffix("/diary-web") == true {
      program = environment.diaryProgram("diary-web").path
    } else if words.contains("watch"),
      [root + "/.git/diary/watch.lock", EncryptedFolder(root).watchedFile].contains(
        where: files.contains)
    {
      program = "/proc/self/exe"
    } else {
      return false
    }
    var (own, other) = (stat(), stat())
    return program.map { stat($0, &own) } == 0 && stat("/proc/\(process)/exe", &other) == 0
      && own.st_ino == other.st_ino && own.st_dev == other.st_dev
  }

  /// The process that started this one, the one that started that, and so on.
  private static func callers() -> Set<Int32> {
    var (found, process) = (Set<Int32>(), getppid())
    while process > 1, found.insert(process).inserted {
      process = ChildPrograms.parent(of: process) ?? 0
    }
    return found
  }
}
