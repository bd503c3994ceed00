import DiaryCore
import Foundation
import GitHistory
import Glibc
import Localization

extension DiaryError {
  /// An error for a journal whose repository is missing: deleted, not restored, on an unmounted
  /// disk, or without read permission for this user.
  static func noRepository(of root: String) -> DiaryError {
    if JournalFinder.exists(root + "/.git") {
      return DiaryError(
        localized("the git repository in \(root)/.git cannot be read"),
        hint: localized(
          "`ls -ld \(root)/.git` shows its owner and permissions; no file was changed"))
    }
    let other = (try? RepositoryLocation.find(journal: root))?.workTree
    return DiaryError(
      localized("the git repository of \(root) is missing"),
      details: other.map {
        [localized("the git repository around it, \($0), does not contain this journal")]
      } ?? [],
      hint: localized(
        "mount its disk, bring \(root)/.git back, or clone the journal again; `diary init` "
          + "would start a new history without the saved versions"))
  }
}

extension JournalFinder {
  /// The error for a folder without a journal, with the command that creates one there.
  static func noJournal(at root: String, _ environment: RuntimeEnvironment) -> DiaryError {
    do throws(DiaryError) { _ = try AvailableFolder(forNew: root, environment) } catch {
      return error
    }
    let folder = root == personalJournal(environment) ? "" : " " + shellWord(root)
    let names = personalSettings(environment).journals.keys.sorted().joined(separator: ", ")
    return DiaryError(
      localized("there is no journal at \(root)"),
      details: names.isEmpty ? [] : [localized("journals by name, for `diary -j NAME`: \(names)")],
      hint: localized("run `diary init\(folder)` to create one there, or use --journal DIR"))
  }

  /// The folder of the journal for a command: the named one, else `$DIARY_JOURNAL`, else the
  /// nearest parent with `.diary/`, else the personal settings' `journal`, else `~/diary`.
  package static func find(
    named name: String?, _ environment: RuntimeEnvironment
  ) throws(DiaryError) -> String {
    let root = try AvailableFolder(location(named: name, environment), environment).path
    guard !isInaccessible(root + "/.diary") else {
      throw DiaryError(
        localized("\(root) cannot be read: permission denied"),
        hint: localized("`ls -ld \(root)` shows its owner and permissions; no file was changed"))
    }
    guard isFolder(root) else { throw noJournal(at: root, environment) }
    guard isFolder(root + "/.diary") else {
      if EncryptedFolder(root).names.isEmpty, isNamed(root, environment) {
        throw DiaryError(
          localized("\(root) is empty; is its disk or vault not mounted?"), kind: .locked,
          hint: localized(
            "mount it; or run `diary init \(shellWord(root))` if there never was a journal"))
      }
      throw DiaryError(
        localized("\(root) is not a journal: it has no .diary folder"),
        hint: localized("run `diary init \(shellWord(root))`; its files are not changed"))
    }
    return root
  }

  /// The folder that ``find(named:_:)`` checks, even if it contains no journal.
  package static func location(named name: String?, _ environment: RuntimeEnvironment) -> String {
    if let name, !name.isEmpty { return environment.absolutePath(of: name) }
    if let name = environment.variables["DIARY_JOURNAL"], !name.isEmpty {
      return environment.absolutePath(of: name)
    }
    return parentJournal(of: environment.currentFolder, environment) ?? personalJournal(environment)
  }

  /// The journal for commands that run outside all journals' folders.
  package static func personalJournal(_ environment: RuntimeEnvironment) -> String {
    environment.absolutePath(of: personalSettings(environment).journal ?? "~/diary")
  }

  /// True if commands in other folders find a journal there: the personal one, or one with a name.
  private static func isNamed(_ root: String, _ environment: RuntimeEnvironment) -> Bool {
    let named = personalSettings(environment).journals.values.map(environment.absolutePath)
    return root == personalJournal(environment) || named.contains(root)
  }

  /// The folder of the journal with this name in the user's settings.
  package static func folder(
    called name: String, _ environment: RuntimeEnvironment
  ) throws(DiaryError) -> String {
    let journals = personalSettings(environment).journals
    if let folder = journals[name] { return environment.absolutePath(of: folder) }
    let known = journals.keys.sorted().joined(separator: ", ")
    throw DiaryError(
      localized("there is no journal named \"\(name)\" in \(environment.personalSettingsPath)"),
      kind: .usage, details: known.isEmpty ? [] : [localized("known names: \(known)")],
      hint: localized("to add it: `diary config journals.\(shellWord(name)) DIR`"))
  }

  /// The setting that would give a journal a name, with its value: `journal` if no other journal is
  /// the personal one, else a name in `journals`; `nil` if it has a name or the name is taken.
  package static func proposedName(
    of root: String, _ environment: RuntimeEnvironment
  ) -> (key: String, folder: String)? {
    let settings = personalSettings(environment)
    let personal = personalJournal(environment)
    let known = [personal] + settings.journals.values.map(environment.absolutePath)
    guard !known.contains(root) else { return nil }
    let folder =
      root.hasPrefix(environment.home + "/") ? "~" + root.dropFirst(environment.home.count) : root
    if settings.journal == nil, !isFolder(personal) { return ("journal", folder) }
    let name = (root as NSString).lastPathComponent
    let key = "journals." + name
    guard settings.journals[name] == nil, SettingsSource.isKnown(key) else { return nil }
    return (key, folder)
  }

  /// The user's settings on this device, without those of a journal.
  package static func personalSettings(_ environment: RuntimeEnvironment) -> Settings {
    let personal = FileManager.default.contents(atPath: environment.personalSettingsPath)
    return Settings.load(
      shared: nil, sharedName: "", personal: personal.map { Array($0) },
      personalName: environment.personalSettingsPath, environment: environment.variables
    ).0
  }

  /// The nearest parent folder with `.diary/`, or that is locked. Folders of other users are skipped:
  /// their settings could control this user's Diary (the rule behind git's `safe.directory`).
  private static func parentJournal(
    of folder: String, _ environment: RuntimeEnvironment
  ) -> String? {
    var folder = folder
    while true {
      if isFolder(folder + "/.diary"), isOwned(folder + "/.diary"),
        !exists(folder + "/.git") || isOwned(folder + "/.git")
      {
        return folder
      }
      let encrypted = EncryptedFolder(folder)
      switch encrypted.state {
      case .locked, .dead, .moved: return folder
      case .plain where encrypted.isAway(environment): return folder
      case .plain, .unlocked: break
      }
      guard folder != "/" else { return nil }
      folder = (folder as NSString).deletingLastPathComponent
    }
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// True if this user may not enter the folder of `path`, or one above it.
  private static func isInaccessible(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 && errno == EACCES
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  private static func isOwned(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_uid == getuid()
  }
}
