import DiaryCore
import Foundation
import Glibc
import Synchronization
import TestSupport

@testable import DiaryKit

/// Three devices with a remote: real folders, repositories and journals, and a record of the words
/// that were written and deleted.
final class DeviceRun {
  /// A device's journal and what is open on it.
  struct Device {
    let name: String
    let clock: DeviceClock
    var journal: Journal
    var editor: Buffer?
    var page: EditableEntry?
    /// The folder whose disk is away, and where its files are.
    var away: (folder: String, place: String)?
  }

  struct Buffer {
    var path: String
    var text: String
    /// The text as it was opened or last written.
    var seen: String
  }

  final class DeviceClock: Sendable {
    private let seconds: Mutex<Int>
    /// The seconds that a step takes; 0 for a clock that stands still.
    let pace: Int

    init(_ seconds: Int, pace: Int) {
      self.seconds = Mutex(seconds)
      self.pace = pace
    }

    var now: Int { seconds.withLock { $0 } }
    func advance() { seconds.withLock { $0 += pace } }
  }

  let script: DeviceScript
  let home: Sandbox
  var devices: [Device] = []
  /// The words that users and commands wrote.
  var written: Set<String> = []
  var deleted: Set<String> = []
  /// Every word that a disk had when all of it was saved.
  var saved: Set<String> = []
  var actionLog: [String] = []
  /// What must never happen and was seen during the run.
  var complaint: DeviceComplaint?

  static let begin = 1_795_262_640

  init(_ script: DeviceScript) async throws {
    self.script = script
    home = try Sandbox()
    home.set("DIARY_STAMP", "none")
    try await home.git("init", "-q", "--bare", "remote.git", in: "")
    let url = home.homePath + "/remote.git"
    try await expect("init", "a", "--remote", url)
    var writer = DeviceWriter(random: SeededGenerator(script.seed), number: 0)
    for name in ["walk.md", "2026/11/2026-11-20.md", "2026/11/2026-11-19-lake.md"] {
      try home.write(writer.entry(), to: "a/" + name)
    }
    try await expect("sync", "--journal", home.homePath + "/a")
    for name in ["b", "c"] { try await expect("clone", url, name) }
    for (name, pace) in [("a", 60), ("b", 0), ("c", 61)] {
      let clock = DeviceClock(Self.begin - (name == "c" ? 100_000 : 0), pace: pace)
      devices.append(Device(name: name, clock: clock, journal: try open(name, clock)))
    }
    written = Set(words(of: devices[0]).keys)
  }

  private func expect(_ arguments: String...) async throws {
    let result = try await home.run(Sandbox.programs + "/diary", arguments)
    guard result.status == 0 else { throw ProgramFailed(message: "\(arguments): \(result)") }
  }

  func open(_ name: String, _ clock: DeviceClock) throws -> Journal {
    try Journal(
      root: home.homePath + "/" + name,
      environment: RuntimeEnvironment(
        variables: home.environment, currentFolder: home.homePath, now: { clock.now },
        zone: TimeZone(identifier: "Asia/Seoul") ?? .gmt, executableDirectory: Sandbox.programs))
  }

  func play() async throws {
    for step in script.steps {
      try await play(step)
      for device in devices { device.clock.advance() }
      if complaint != nil { return }
    }
    for index in devices.indices {
      mount(index)
      if let buffer = devices[index].editor, buffer.text != buffer.seen { try put(index) }
      devices[index].editor = nil
      // Of a moved folder, Diary asks about the files that were also edited.
      _ = try await devices[index].journal.save(deletions: true)
    }
    if complaint == nil { complaint = try await syncUntilEqual() }
    if complaint == nil { complaint = try await endComplaint() }
  }

  // MARK: Files

  /// The entries of a device.
  func files(of device: Device) -> [String] {
    home.files(in: device.name).filter {
      $0.hasSuffix(".md") && $0 != "INDEX.md" && !$0.contains(Self.copyMark)
    }
  }

  /// The middle of a conflict copy's name.
  static let copyMark = ".sync-conflict-"

  func text(_ path: String, on device: Device) -> String? {
    FileManager.default.contents(atPath: home.homePath + "/" + device.name + "/" + path)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// How often the files of a device have each word.
  func words(of device: Device) -> [String: Int] {
    files(of: device).reduce(into: [:]) { all, path in
      all.merge(DeviceWriter.words(text(path, on: device) ?? "")) { $0 + $1 }
    }
  }

  /// Writes a file as a user does, who has taken the words away that are in `old` only.
  func write(_ text: String, _ path: String, on device: Device, from old: String) throws {
    let (was, now) = (DeviceWriter.words(old), DeviceWriter.words(text))
    written.formUnion(now.keys)
    deleted.formUnion(was.filter { now[$0.key, default: 0] < $0.value }.keys)
    try home.write(text, to: device.name + "/" + path)
    // On a device whose clock stands still, so do the files' times.
    guard device.clock.pace == 0 else { return }
    let time = timespec(tv_sec: Self.begin, tv_nsec: 0)
    _ = [time, time].withUnsafeBufferPointer {
      utimensat(AT_FDCWD, home.homePath + "/" + device.name + "/" + path, $0.baseAddress, 0)
    }
  }

  /// Writes the editor's text, whatever the file contains by now.
  func put(_ index: Int) throws {
    guard let buffer = devices[index].editor else { return }
    try write(buffer.text, buffer.path, on: devices[index], from: buffer.seen)
    devices[index].editor?.seen = buffer.text
  }

  /// Returns the disk of a folder that was away.
  func mount(_ index: Int) {
    guard let away = devices[index].away else { return }
    let folder = home.homePath + "/" + devices[index].name + "/" + away.folder
    if rmdir(folder) != 0 {
      complaint = DeviceComplaint(
        kind: "mount", words: "\(devices[index].name) has files in the place of \(away.folder)")
    }
    rename(away.place, folder)
    devices[index].away = nil
  }

  func log(_ step: DeviceStep, _ message: String) {
    actionLog.append("\(step.number). \(devices[step.device].name) \(message)")
  }
}
