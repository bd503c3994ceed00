import DiaryCore
import Foundation
import Glibc

extension DiaryError {
  /// The journal's folder is there, and its repository is not: deleted, not restored, on a disk that is
  /// not mounted, or closed to this user.
  static func noRepository(of root: String) -> DiaryError {
    if Journal.exists(root + "/.git") {
      return DiaryError(
        "the git repository in \(root)/.git cannot be read",
        hint: "`ls -ld \(root)/.git` shows whose it is and who may read it; no file was changed")
    }
    return DiaryError(
      "the git repository of \(root) is not there",
      hint: "mount its disk, bring \(root)/.git back, or clone the journal anew; `diary init` "
        + "would begin a new history, without the versions that were saved")
  }
}

extension Journal {
  /// The folder of the journal that a command means: the one named, else `$DIARY_JOURNAL`, else the
  /// nearest parent that holds `.diary/`, else the personal settings' `journal`, else `~/diary`.
  public static func find(
    named name: String?, _ surroundings: Surroundings
  ) throws(DiaryError) -> String {
    let root = location(named: name, surroundings)
    guard isFolder(root) else {
      let folder = root == personalJournal(surroundings) ? "" : " " + shellWord(root)
      let hint = "run `diary init\(folder)` to make a journal there, or name one with --journal DIR"
      throw DiaryError("there is no journal at \(root)", hint: hint)
    }
    guard isFolder(root + "/.diary") else {
      throw DiaryError(
        "\(root) is not a journal: it holds no .diary folder",
        hint: "run `diary init \(shellWord(root))`; no file in it will be changed")
    }
    return root
  }

  /// Where ``find(named:_:)`` would look, whether or not a journal is there.
  public static func location(named name: String?, _ surroundings: Surroundings) -> String {
    if let name, !name.isEmpty { return surroundings.absolute(name) }
    if let name = surroundings.environment["DIARY_JOURNAL"], !name.isEmpty {
      return surroundings.absolute(name)
    }
    return parentJournal(of: surroundings.currentFolder) ?? personalJournal(surroundings)
  }

  /// The journal that a command means when it stands in no journal's folder.
  public static func personalJournal(_ surroundings: Surroundings) -> String {
    surroundings.absolute(personalSettings(surroundings).journal ?? "~/diary")
  }

  /// The settings of this person on this device, without any journal's.
  public static func personalSettings(_ surroundings: Surroundings) -> Settings {
    let personal = FileManager.default.contents(atPath: surroundings.personalSettings)
    return Settings.load(
      shared: nil, sharedName: "", personal: personal.map { Array($0) },
      personalName: surroundings.personalSettings, environment: surroundings.environment
    ).0
  }

  /// The nearest folder upward with `.diary/` in it. Somebody else's is passed over: its settings
  /// could steer what this user's Diary does (the rule behind git's `safe.directory`).
  private static func parentJournal(of folder: String) -> String? {
    var folder = folder
    while true {
      if isFolder(folder + "/.diary"), isOwned(folder + "/.diary"),
        !exists(folder + "/.git") || isOwned(folder + "/.git")
      {
        return folder
      }
      guard folder != "/" else { return nil }
      folder = (folder as NSString).deletingLastPathComponent
    }
  }

  static func isFolder(_ path: String) -> Bool {
    var answer = stat()
    return stat(path, &answer) == 0 && answer.st_mode & S_IFMT == S_IFDIR
  }

  static func exists(_ path: String) -> Bool {
    var answer = stat()
    return lstat(path, &answer) == 0
  }

  private static func isOwned(_ path: String) -> Bool {
    var answer = stat()
    return stat(path, &answer) == 0 && answer.st_uid == getuid()
  }
}
