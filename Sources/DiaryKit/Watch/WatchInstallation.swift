import DiaryCore
import Foundation
import Localization

/// A service that starts the watcher of a journal.
package struct InstalledService: Codable, Sendable, Equatable {
  /// The file that starts the watcher.
  package var file: String
  /// The journal's folder at the time of the installation.
  package var root: String
}

extension Journal {
  /// The service that is installed for this journal, if its file exists. It may name the folder in
  /// which the journal was at that time.
  var installedService: InstalledService? {
    state.service.read().flatMap {
      FileManager.default.fileExists(atPath: $0.file) ? $0 : nil
    }
  }

  fileprivate func recordService(_ service: InstalledService?) throws(DiaryError) {
    if let service { try state.service.write(service) } else { state.service.remove() }
  }
}

/// The watcher as a service of the user. systemd's user manager starts it at login and after a
/// failure; without systemd, the desktop starts it at login.
package struct WatchInstallation: Sendable {
  /// The program that starts the watcher.
  package enum Starter: Sendable { case systemd, desktop }

  /// The first line of a file that Diary wrote: only such files are replaced or removed.
  private static let marker =
    "# Written by `diary watch --install`; `diary watch --uninstall` removes it."

  private let root: String
  private let environment: RuntimeEnvironment
  /// `nil` if it cannot be opened: it may be locked, or gone.
  private let journal: Journal?

  package init(of journal: Journal) {
    (root, environment, self.journal) = (journal.root, journal.environment, journal)
  }

  /// The service of a journal that cannot be opened now.
  package init(root: String, _ environment: RuntimeEnvironment) {
    (self.root, self.environment, journal) = (root, environment, nil)
  }

  private var runner: ProcessRunner { ProcessRunner(environment: environment) }

  /// `diary` for the personal journal; for others, the folder's name and a digest of its path.
  private var name: String {
    if root == JournalFinder.personalJournal(environment) { return "diary" }
    let folder = (root as NSString).lastPathComponent
    let plain = folder.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    return "diary-\(plain)-" + contentDigest(Array(root.utf8)).prefix(8)
  }

  private var unitPath: String {
    let config = (environment.configDirectory as NSString).deletingLastPathComponent
    return config + "/systemd/user/\(name).service"
  }

  private var autostartPath: String {
    let config = (environment.configDirectory as NSString).deletingLastPathComponent
    return config + "/autostart/\(name).desktop"
  }

  /// Writes the service file and starts the service if systemd runs for the user. Returns the
  /// starter and the file.
  package func install(sync: Bool) async throws -> (starter: Starter, file: String) {
    guard !root.contains(where: \.isNewline) else {
      throw DiaryError(localized("a service cannot use a folder with a line break in its name"))
    }
    let usesSystemd = await hasSystemd()
    // The journal was in another folder before, or systemd was not running.
    if let old = journal?.installedService, old.file != (usesSystemd ? unitPath : autostartPath) {
      try await remove([old.file], usingSystemd: usesSystemd)
    }
    guard usesSystemd else {
      try write(desktopEntry(sync), to: autostartPath)
      try journal?.recordService(InstalledService(file: autostartPath, root: root))
      return (.desktop, autostartPath)
    }
    try write(unitFile(sync), to: unitPath)
    try journal?.recordService(InstalledService(file: unitPath, root: root))
    try await runSystemctl("daemon-reload")
    try await runSystemctl("enable", "--now", name + ".service")
    // A service that was already running gets the new command line, too.
    try await runSystemctl("restart", name + ".service")
    return (.systemd, unitPath)
  }

  /// Stops the service and removes its file. Returns the removed files.
  package func uninstall() async throws -> [String] {
    let old = journal?.installedService?.file
    let candidates = Set([unitPath, autostartPath, old].compactMap(\.self)).sorted()
    let files = try candidates.filter { try isWrittenByDiary($0) }
    let hasUnit = files.contains { $0.hasSuffix(".service") }
    try await remove(files, usingSystemd: hasUnit ? await hasSystemd() : false)
    try journal?.recordService(nil)
    return files
  }

  /// Stops the service and removes its file, but leaves files that Diary did not write.
  func remove() async throws {
    let own = Set([unitPath, autostartPath, journal?.installedService?.file].compactMap(\.self))
      .filter { (try? isWrittenByDiary($0)) == true }.sorted()
    let hasUnit = own.contains { $0.hasSuffix(".service") }
    try await remove(own, usingSystemd: hasUnit ? await hasSystemd() : false)
  }

  private func remove(_ files: [String], usingSystemd usesSystemd: Bool) async throws {
    for file in files where try isWrittenByDiary(file) {
      if usesSystemd, file.hasSuffix(".service") {
        try await runSystemctl("disable", "--now", (file as NSString).lastPathComponent)
      }
      try FileManager.default.removeItem(atPath: file)
    }
    if usesSystemd { try await runSystemctl("daemon-reload") }
  }

  /// True if Diary wrote the file. Throws if another program did; that file stays.
  private func isWrittenByDiary(_ file: String) throws -> Bool {
    guard let data = FileManager.default.contents(atPath: file) else { return false }
    guard String(decoding: data, as: UTF8.self).hasPrefix(Self.marker) else {
      throw DiaryError(
        localized("\(file) was not written by Diary"),
        hint: localized(
          "remove it, or keep it and use it to start the watcher; nothing was changed"))
    }
    return true
  }

  private func write(_ text: String, to file: String) throws {
    _ = try isWrittenByDiary(file)
    do {
      try FileManager.default.createDirectory(
        atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    } catch {
      throw DiaryError(error, context: localized("cannot write \(file)"))
    }
  }

  private func hasSystemd() async -> Bool {
    guard runner.isOnPath("systemctl") else { return false }
    let answer = try? await runner.run(
      ["systemctl", "--user", "show-environment"], input: [], timeout: 10)
    return answer?.status == 0
  }

  private func runSystemctl(_ arguments: String...) async throws {
    let command = ["systemctl", "--user"] + arguments
    let answer = try await runner.run(command, input: [], timeout: 60)
    guard answer?.status == 0 else {
      throw DiaryError(
        localized("`\(command.joined(separator: " "))` failed"),
        details: [answer?.errors ?? ""].filter { !$0.isEmpty },
        hint: localized("`systemctl --user status \(name)` shows more"))
    }
  }

  private func commandLine(_ syncing: Bool) -> [String] {
    [environment.executableDirectory + "/diary", "watch", "--wait", "--journal", root]
      + (syncing ? ["--sync"] : [])
  }

  /// The unit file: no new privileges, and a restart if the journal's disk is not mounted yet.
  private func unitFile(_ syncing: Bool) -> String {
    // systemd.service(5), "Command lines"; systemd.unit(5), "Specifiers".
    func quoted(_ word: String) -> String {
      let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("%", with: "%%").replacing("$", with: "$$")
      return "\"" + escaped + "\""
    }
    return """
      \(Self.marker)
      [Unit]
      Description=Save the diary while it is written
      StartLimitIntervalSec=0

      [Service]
      ExecStart=\(commandLine(syncing).map(quoted).joined(separator: " "))
      Restart=on-failure
      RestartSec=30
      Slice=background.slice
      NoNewPrivileges=yes
      LockPersonality=yes
      RestrictRealtime=yes
      SystemCallArchitectures=native

      [Install]
      WantedBy=default.target

      """
  }

  private func desktopEntry(_ syncing: Bool) -> String {
    // Desktop Entry Specification 1.5, "The Exec key": quoted, then escaped like every string.
    func quoted(_ word: String) -> String {
      var text = word
      for special in ["\\", "\"", "`", "$"] { text = text.replacing(special, with: "\\" + special) }
      return "\"" + text.replacing("\\", with: "\\\\").replacing("%", with: "%%") + "\""
    }
    return """
      \(Self.marker)
      [Desktop Entry]
      Type=Application
      Name=Diary
      Comment=Save the diary while it is written
      Exec=\(commandLine(syncing).map(quoted).joined(separator: " "))
      Terminal=false
      NoDisplay=true

      """
  }
}
