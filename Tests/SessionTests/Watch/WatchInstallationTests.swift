import Foundation
import Glibc
import TestSupport
import Testing

/// `watch --install`: the watcher as a service. The tests' systemd notes what it is told.
@Suite struct WatchInstallationTests {
  private let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.set("PATH", home.homePath + "/bin:" + (home.environment["PATH"] ?? ""))
    _ = try await home.diary("init", "j", "--yes")
  }

  private func installFakeSystemd(status: Int = 0) throws {
    _ = try home.script("systemctl", "echo \"$*\" >>\"$HOME/told\"\nexit \(status)\n")
  }

  private var recordedCommands: [String] {
    let text = (try? String(contentsOfFile: home.homePath + "/told", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init).filter { !$0.contains("show-environment") }
  }

  private func text(_ file: String) throws -> String {
    try String(contentsOfFile: file, encoding: .utf8)
  }

  @Test func `the service starts the watcher, and is removed without a trace`() async throws {
    try installFakeSystemd()
    let installed = try await home.diary("watch", "--install", in: "j")
    #expect(installed.status == 0, "\(installed.errors)")
    let unit = installed.output.trimmingCharacters(in: .newlines)
    let name = (unit as NSString).lastPathComponent
    #expect(unit.hasPrefix(home.homePath + "/.config/systemd/user/diary-j-"))
    #expect(
      recordedCommands == [
        "--user daemon-reload", "--user enable --now \(name)", "--user restart \(name)",
      ])
    // A shell reads the words as systemd does: there is nothing in them to be escaped.
    let start = try #require(
      try text(unit).split(separator: "\n").first { $0.hasPrefix("ExecStart=") }
    ).dropFirst(10)
    try await BackgroundProcess.run(home, "/bin/sh", ["-c", "exec " + start]) { watcher in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
    }
    let again = try await home.diary("watch", "--install", in: "j")
    #expect(again.status == 0 && again.output == installed.output)
    let removed = try await home.diary("watch", "--uninstall", in: "j")
    #expect(removed.status == 0 && removed.output.contains(unit), "\(removed.errors)")
    #expect(!FileManager.default.fileExists(atPath: unit))
    #expect(recordedCommands.suffix(2) == ["--user disable --now \(name)", "--user daemon-reload"])
    #expect(try await home.diary("watch", "--uninstall", in: "j").errors.contains("No service"))
  }

  @Test func `the service of a journal that is gone can be removed`() async throws {
    try installFakeSystemd()
    let unit = try await home.diary("watch", "--install", in: "j").output
      .trimmingCharacters(in: .newlines)
    try await home.run("mv", ["j", "away"])
    let removed = try await home.diary("watch", "--uninstall", "--journal", "j")
    #expect(removed.status == 0 && removed.output == "Removed \(unit)\n", "\(removed)")
    #expect(!FileManager.default.fileExists(atPath: unit))
    let again = try await home.diary("watch", "--uninstall", "--journal", "j")
    #expect(again.status == 1 && again.errors.contains("there is no journal"), "\(again)")
  }

  private static let systemdAnalyze = "/usr/bin/systemd-analyze"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: systemdAnalyze), "systemd is not installed"))
  func `systemd takes the unit of a folder with an odd name`() async throws {
    try installFakeSystemd()
    let odd = "my \"diary\" 100% $HOME \\x"
    _ = try await home.diary("init", odd, "--yes")
    let installed = try await home.diary("watch", "--install", in: odd)
    #expect(installed.status == 0, "\(installed.errors)")
    let unit = installed.output.trimmingCharacters(in: .newlines)
    let line = #""\#(home.homePath)/my \"diary\" 100%% $$HOME \\x""#
    let written = try text(unit)
    #expect(written.contains("--journal\" " + line + "\n"), "\(written)")
    let checked = try await home.run(Self.systemdAnalyze, ["verify", "--user", unit], in: "")
    let faults = checked.errors.split(separator: "\n").filter { $0.contains("diary") }
    #expect(faults.isEmpty, "\(checked.errors)")
  }

  @Test func `without systemd the desktop starts it`() async throws {
    try installFakeSystemd(status: 1)
    let installed = try await home.diary("watch", "--install", in: "j")
    #expect(installed.status == 0, "\(installed.errors)")
    let entry = installed.output.trimmingCharacters(in: .newlines)
    #expect(entry.hasPrefix(home.homePath + "/.config/autostart/diary-j-"))
    let words = #"/diary" "watch" "--wait" "--journal" "\#(home.homePath)/j""#
    #expect(try text(entry).contains(words + "\n"))
    #expect(try await home.diary("watch", "--uninstall", in: "j").status == 0)
    #expect(!FileManager.default.fileExists(atPath: entry))
  }

  @Test func `a unit of the user's own stays as it is`() async throws {
    try installFakeSystemd()
    let unit = try await home.diary("watch", "--install", in: "j").output
      .trimmingCharacters(in: .newlines)
    let own = "[Service]\nExecStart=/bin/true\n"
    try Data(own.utf8).write(to: URL(fileURLWithPath: unit))
    for option in ["--install", "--uninstall"] {
      let refused = try await home.diary("watch", option, in: "j")
      #expect(refused.status == 1 && refused.errors.contains("was not written by Diary"))
      #expect(try text(unit) == own)
    }
  }

  @Test func `a journal that has moved tells of its service, and takes it along`() async throws {
    try installFakeSystemd()
    let old = try await home.diary("watch", "--install", in: "j").output
      .trimmingCharacters(in: .newlines)
    let idle = try await home.diary("status", in: "j").output
    #expect(idle.contains("but not running"), "\(idle)")
    try FileManager.default.moveItem(atPath: home.homePath + "/j", toPath: home.homePath + "/moved")
    let status = try await home.diary("status", in: "moved").output
    #expect(status.contains("its service is for \(home.homePath)/j"), "\(status)")
    let new = try await home.diary("watch", "--install", in: "moved").output
      .trimmingCharacters(in: .newlines)
    #expect(new != old && !FileManager.default.fileExists(atPath: old))
    #expect(
      recordedCommands.contains("--user disable --now \((old as NSString).lastPathComponent)"))
    #expect(try text(new).contains("\"\(home.homePath)/moved\"\n"))
    let after = try await home.diary("status", in: "moved").output
    #expect(!after.contains("its service is for"), "\(after)")
  }

  @Test(arguments: [["--journal"], ["-j", "work"]])
  func `a service waits for a journal whose disk is not mounted yet`(_ choice: [String])
    async throws
  {
    try home.write("journals: {work: \(home.homePath)/j}\n", to: ".config/diary/config.yml")
    try FileManager.default.moveItem(atPath: home.homePath + "/j", toPath: home.homePath + "/disk")
    try home.write("", to: "j/.empty-mount-point")
    let words = ["watch", "--wait"] + choice + (choice.count == 1 ? [home.homePath + "/j"] : [])
    try await BackgroundProcess.run(home, Sandbox.programs + "/diary", words) { watcher in
      #expect(await watcher.prints("waiting for \(home.homePath)/j"), "\(watcher.output)")
      try FileManager.default.removeItem(atPath: home.homePath + "/j")
      try FileManager.default.moveItem(
        atPath: home.homePath + "/disk", toPath: home.homePath + "/j")
      #expect(await watcher.prints("watching \(home.homePath)/j"), "\(watcher.output)")
    }
  }

  @Test func `after an upgrade the new program goes on when the sitting has ended`() async throws {
    home.setAutosave(settle: "200ms", sitting: "1s")
    let program = home.homePath + "/installed/diary"
    try home.write("", to: "installed/.folder")
    try FileManager.default.copyItem(atPath: Sandbox.programs + "/diary", toPath: program)
    try await BackgroundProcess.run(home, program, ["watch", "--journal", "j"]) { watcher in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      // What cannot run does not take its place.
      let broken = try home.script("broken", "exit 1\n")
      #expect(rename(broken, program) == 0)
      try home.write("One.\n", to: "j/one.md")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
      #expect(await watcher.becomesIdle(), "\(watcher.output)")
      #expect(!watcher.output.contains("upgraded"), "\(watcher.output)")
      try FileManager.default.copyItem(
        atPath: Sandbox.programs + "/diary", toPath: program + ".new")
      #expect(rename(program + ".new", program) == 0)
      try home.write("Two.\n", to: "j/two.md")
      #expect(await watcher.prints("the new version continues"), "\(watcher.output)")
      try home.write("Three.\n", to: "j/three.md")
      #expect(await watcher.prints("saved three.md"), "\(watcher.output)")
    }
    let status = try await home.diary("status", in: "j").output
    #expect(status.contains(", just now"), "\(status)")
  }

  @Test func `systemd's own words are passed on`() async throws {
    _ = try home.script(
      "systemctl", "case $* in *enable*) echo 'Failed to enable: no' >&2; exit 1;; esac\n")
    let failed = try await home.diary("watch", "--install", in: "j")
    #expect(
      failed.status == 1 && failed.errors.contains("Failed to enable: no"), "\(failed.errors)")
  }
}
