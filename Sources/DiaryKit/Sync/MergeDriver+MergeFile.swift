import DiaryCore
import Foundation
import GitHistory
import Glibc
import Localization

extension MergeDriver {
  /// Merges `theirs` into the file `ours`, as git's merge driver. Throws and leaves `ours`
  /// unchanged if a file is not text, or if a newer Diary, which may merge by other rules, wrote
  /// the repository's state. git then uses its own merge.
  package static func mergeFile(
    base: String, ours: String, theirs: String, named name: String,
    _ environment: RuntimeEnvironment
  ) throws {
    // git calls the driver at the top of the work tree.
    let folder = environment.currentFolder
    if let gitLocation = try? RepositoryLocation.find(journal: folder) {
      try gitLocation.requireSupportedState(of: folder)
    }
    let sides = try [ours, theirs].map { try environment.contents(of: $0) }
    // git passes an empty file if there is no common ancestor.
    let ancestor = try environment.contents(of: base)
    guard (sides + [ancestor]).allSatisfy({ EntryMerge.canMerge($0) }) else {
      throw DiaryError(
        localized("\(name) is damaged or not UTF-8, so it cannot be merged"),
        hint: localized("git merges it instead"))
    }
    let merge = EntryMerge(base: ancestor.isEmpty ? nil : ancestor, sides[0], sides[1])
    let path = environment.absolutePath(of: ours)
    do {
      // git made this file for the driver's output, so no other program has it open.
      try Data(merge.bytes).write(to: URL(fileURLWithPath: path))
    } catch {
      throw DiaryError(localized("cannot write \(path): \(DiaryError.message(of: error))"))
    }
  }

  /// The lines of `.git/info/attributes` that assign the driver to the entries below `base` (`/` or
  /// `/journal/`, from the top of the repository).
  static func mergeAttributes(below base: String) -> [String] {
    ["md", "markdown"].map { ending in
      let pattern = base.escaped("\\*?[", by: "\\") + "**/*.\(ending)"
      // git accepts a pattern with blanks only as a quoted C string.
      let isPlain = pattern.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
      let quoted = isPlain ? pattern : "\"" + pattern.escaped("\\\"", by: "\\") + "\""
      return quoted + " merge=diary"
    }
  }

  // The local configuration keys that make git call ``mergeFile(base:ours:theirs:named:_:)``.
  private static let mergeDriverName = "merge.diary.name"
  static let mergeDriverCommand = "merge.diary.driver"

  /// These keys with their values. The program has an absolute path, so that a git without `PATH`
  /// (in a desktop program, in cron) merges the same way. If it is missing or fails, git's own
  /// merge of one file runs instead, with conflict markers.
  static func mergeDriverSettings(_ program: String) -> [(key: String, value: String)] {
    [
      (mergeDriverName, "entries by paragraph and word"),
      (mergeDriverCommand, driverLine(program)),
    ]
  }

  private static func driverLine(_ program: String) -> String {
    quotedForDriver(program) + mergeDriverSuffix
  }

  private static let mergeDriverSuffix =
    " merge-file %O %A %B %P || git merge-file -L ours -L base -L theirs %A %O %B"

  /// The path for git's driver line: quoted for the shell, and with `%` doubled.
  private static func quotedForDriver(_ path: String) -> String {
    let text = path.replacing("%", with: "%%")
    let isPlain = text.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "/._+-%".contains($0))
    }
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }

  /// True if Diary wrote this value of the driver's key, not the user: one path and the suffix.
  private static func isDiaryDriver(_ value: String) -> Bool {
    guard value.hasSuffix(mergeDriverSuffix) else { return false }
    let program = value.dropLast(mergeDriverSuffix.count)
    return !program.contains(" ") || program.hasPrefix("'") && program.hasSuffix("'")
  }

  /// This program's path for the merge driver.
  private var mergeProgram: String {
    let path = journal.environment.executableDirectory + "/diary"
    return access(path, X_OK) == 0 ? path : "diary"
  }

  /// Registers this program as git's merge driver.
  func registerMergeDriver() async throws {
    try await journal.repository.setLocalConfig(MergeDriver.mergeDriverSettings(mergeProgram))
  }

  /// Registers this program if another one, or another path, is registered. A driver that the user
  /// has set or removed is not changed. Errors are ignored: the next change tries again.
  func refreshMergeDriver() async {
    guard
      let value = try? await journal.repository.configValue(MergeDriver.mergeDriverCommand),
      MergeDriver.isDiaryDriver(value), value != MergeDriver.driverLine(mergeProgram)
    else { return }
    try? await registerMergeDriver()
  }

  /// Removes the merge driver, unless the user has set another one.
  func removeMergeDriver() async throws {
    let value = try await journal.repository.configValue(MergeDriver.mergeDriverCommand)
    guard value.map(MergeDriver.isDiaryDriver) ?? true else { return }
    try await journal.repository.removeLocalConfig([
      MergeDriver.mergeDriverName, MergeDriver.mergeDriverCommand,
    ])
  }
}

extension String {
  fileprivate func escaped(_ characters: String, by escape: Character) -> String {
    var text = ""
    for character in self {
      if characters.contains(character) { text.append(escape) }
      text.append(character)
    }
    return text
  }
}
