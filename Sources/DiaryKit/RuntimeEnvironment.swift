import DiaryCore
import Foundation
import Glibc
import Localization

/// The environment of a journal. It is passed in, so that a test can supply its own.
package struct RuntimeEnvironment: Sendable {
  /// Environment variables.
  package var variables: [String: String]
  /// The folder that relative paths are resolved against.
  package var currentFolder: String
  /// The clock for the dates of entries, in Unix seconds.
  package var now: @Sendable () -> Int
  /// The machine's time zone, for new entries.
  package var zone: TimeZone
  /// The name of `zone` that a new journal's settings take; `nil` if the machine gives none.
  package var zoneName: String?
  /// The folder that contains this program, for finding `diary-weather` and `diary-web`.
  package var executableDirectory: String

  package init(
    variables: [String: String], currentFolder: String,
    now: @escaping @Sendable () -> Int,
    zone: TimeZone, executableDirectory: String
  ) {
    self.variables = variables
    self.currentFolder = currentFolder
    self.now = now
    self.zone = zone
    zoneName = zone.identifier
    self.executableDirectory = executableDirectory
  }

  /// The environment of this process.
  package static func current() -> RuntimeEnvironment {
    let variables = ProcessInfo.processInfo.environment
    let program =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    // A folder that was removed has no path any more. The shell still knows the one that it had.
    let folders = [
      FileManager.default.currentDirectoryPath, variables["PWD"] ?? "", variables["HOME"] ?? "",
    ]
    var environment = RuntimeEnvironment(
      variables: variables, currentFolder: folders.first { $0.hasPrefix("/") } ?? "/",
      now: { Int(Glibc.time(nil)) }, zone: MachineZone.current.zone,
      executableDirectory: (program as NSString).deletingLastPathComponent)
    environment.zoneName = MachineZone.current.name
    return environment
  }

  /// Throws if a folder of this process has a path that is not UTF-8. Swift's strings cannot hold
  /// it, so another folder would be made.
  ///
  /// - Parameter makesFiles: true if the command makes files or folders by relative paths.
  package static func requireFoldersInUTF8(makesFiles: Bool) throws(DiaryError) {
    let current = makesFiles ? getcwd(nil, 0) : nil
    defer { free(current) }
    let names = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "DIARY_JOURNAL"]
    let folders = [(localized("the current folder"), current)] + names.map { ($0, getenv($0)) }
    for case (let name, let path?) in folders where String(validatingCString: path) == nil {
      throw DiaryError(
        localized("the path of \(name) is not UTF-8: \(String(cString: path))"),
        hint: localized("use a folder whose path is UTF-8"))
    }
  }

  /// A program of Diary, next to this one or, if installed, in `libexec`; and both paths tried.
  package func diaryProgram(_ name: String) -> (path: String?, places: [String]) {
    let paths = [
      executableDirectory + "/" + name,
      absolutePath(of: executableDirectory + "/../libexec/diary/" + name),
    ]
    return (paths.first { FileManager.default.isExecutableFile(atPath: $0) }, paths)
  }

  /// The user's home folder.
  package var home: String { variables["HOME"] ?? "/" }

  /// The folder of the personal settings: `$XDG_CONFIG_HOME/diary`, else `~/.config/diary`.
  package var configDirectory: String {
    let base =
      variables["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
    return base + "/diary"
  }

  /// The folder of what Diary remembers on this machine: `$XDG_STATE_HOME/diary`, else
  /// `~/.local/state/diary`.
  var stateDirectory: String {
    let base =
      variables["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
    return base + "/diary"
  }

  /// The path of the personal settings file.
  package var personalSettingsPath: String { configDirectory + "/config.yml" }

  /// The contents of a file that the user names on the command line.
  package func contents(of path: String) throws(DiaryError) -> [UInt8] {
    func readError() -> DiaryError {
      DiaryError(
        localized("cannot read \(path): \(String(cString: strerror(errno)))"),
        hint: localized("is the path right, and can you read it?"))
    }
    guard let file = fopen(absolutePath(of: path), "r") else { throw readError() }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      bytes += chunk[..<count]
      if count == chunk.count { continue }
      if ferror(file) != 0 { throw readError() }
      return bytes
    }
  }

  /// The absolute form of a path: `~` and relative paths resolved, `.` and `..` removed.
  package func absolutePath(of path: String) -> String {
    var path = path
    if path == "~" || path.hasPrefix("~/") { path = home + path.dropFirst() }
    if !path.hasPrefix("/") { path = currentFolder + "/" + path }
    var names: [Substring] = []
    for name in path.split(separator: "/") where name != "." {
      if name == ".." { _ = names.popLast() } else { names.append(name) }
    }
    return "/" + names.joined(separator: "/")
  }
}

extension RuntimeEnvironment {
  /// The user's locale, from `LC_ALL`, `LC_TIME` or `LANG`.
  package var locale: Locale {
    let plain = UserLocale.name(in: variables).prefix { $0 != "." && $0 != "@" }
    return Locale(identifier: ["C", "POSIX"].contains(plain) ? "en_US_POSIX" : String(plain))
  }

  /// The names of the weekdays in the user's language, Monday first.
  var weekdayNames: [String] { calendarNames.weekdays }

  /// The names of months and days in the user's language.
  var calendarNames: CalendarNames {
    var calendar = Calendar(identifier: .gregorian)
    calendar.locale = locale
    func fromMonday(_ names: [String]) -> [String] { Array(names[1...] + names[..<1]) }
    return CalendarNames(
      months: calendar.monthSymbols, shortMonths: calendar.shortMonthSymbols,
      weekdays: fromMonday(calendar.weekdaySymbols),
      shortWeekdays: fromMonday(calendar.shortWeekdaySymbols))
  }
}
