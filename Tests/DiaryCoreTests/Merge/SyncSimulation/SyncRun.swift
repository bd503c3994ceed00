import TestSupport
import DiaryCore
import Foundation

/// A script being played, with a record of the words that were typed and deleted.
final class SyncRun {
  let script: SyncScript
  let history = SimulatedHistory()
  let devices: [SimulatedDevice]
  var typed: Set<String> = []
  /// The paragraphs of all files after each edit.
  private(set) var written: Set<String> = []
  var deleted: Set<String> = []
  /// The number of edits that removed a copy of a repeated word. If two devices each removed a
  /// different copy, none may remain.
  var removedCopies: [String: Int] = [:]
  /// The number of sync rounds until nothing changed.
  private(set) var rounds = 0
  /// A log of the actions.
  var actionLog: [String] = []

  static let maxRounds = 6

  init(_ script: SyncScript) {
    self.script = script
    let remote = SimulatedDevice.Remote()
    var dice = SeededGenerator(script.seed &+ 1)
    var devices: [SimulatedDevice] = []
    for index in 0..<script.devices {
      devices.append(
        SimulatedDevice(
          String(UnicodeScalar(UInt8(65 + index))), history, remote,
          skew: dice.roll(3) == 0 ? dice.roll(200_000) - 100_000 : 0,
          signer: script.isSigned && index < 2 ? "signed by \(index)" : ""))
      devices[index].isWatched = script.isWatched
    }
    self.devices = devices
  }

  func play() {
    setUp()
    for step in script.steps { play(step) }
    for device in devices where device.editor != nil {
      if let last = device.editor, last.bytes != last.seen { saveBuffer(device) }
      device.editor = nil
    }
    syncUntilStable()
  }

  private func setUp() {
    var writer = SimulatedUser(dice: SeededGenerator(script.seed &+ 2), number: 0)
    let first = devices[0]
    configure(first, &writer)
    let names = ["2026/11/2026-11-20.md", "walk.md", "2026/11/2026-11-19-lake.md"]
    for name in script.isDense ? ["walk.md"] : names {
      guard let path = EntryPath(name) else { continue }
      put(first, path, writer.entry(path))
    }
    first.sync()
    let strangers = script.hasSeparateJournal ? 1 : 0
    for device in devices[1..<(devices.count - strangers)] { device.sync() }
    if script.hasSeparateJournal, let last = devices.last, let path = EntryPath("walk.md") {
      configure(last, &writer)
      put(last, path, writer.entry(path))
      last.save()
    }
  }

  private func play(_ step: SyncStep) {
    let device = devices[step.device]
    device.now = step.number * 60
    var writer = SimulatedUser(dice: SeededGenerator(step.seed), number: step.number * 64)
    switch step.action {
    case .edit, .create, .rename, .delete, .attach, .configure, .moveFolder:
      write(step, device, &writer)
    case .open, .editBuffer, .saveBuffer, .close: edit(step, device, &writer)
    case .add: add(step, device, &writer)
    case .save:
      log(step, "saves")
      save(device)
    case .endSitting:
      log(step, "ends the sitting")
      device.save()
      device.endSitting()
    case .mergeDirectly(let other):
      log(step, "takes in the branch of \(devices[other].name)")
      device.mergeDirectly(devices[other])
    case .sync(let cut, let isTyping, let meanwhile):
      let other = meanwhile.map { devices[$0] }
      log(
        step,
        "syncs" + (cut.map { ", cut at \($0)" } ?? "")
          + (other.map { ", \($0.name) before its push" } ?? ""))
      device.sync(
        cut: cut,
        typing: {
          if isTyping { self.write(step, device, &writer, as: .edit) }
        }, meanwhile: { other?.sync() })
    }
    for device in devices { device.checkReplaced() }
  }

  /// Records the words that a user typed and deleted when changing `old` to `new`.
  func recordEdit(from old: [UInt8], to new: [UInt8]) {
    let (was, now) = (UniqueWords.counts(old), UniqueWords.counts(new))
    typed.formUnion(now.keys)
    written.formUnion(SyncRun.paragraphs(String(decoding: new, as: UTF8.self)))
    for (word, count) in was {
      switch now[word] {
      case nil: deleted.insert(word)
      case let left? where left < count: removedCopies[word, default: 0] += 1
      default: break
      }
    }
  }

  func log(_ step: SyncStep, _ message: String) {
    actionLog.append("\(step.number). \(devices[step.device].name) \(message)")
  }

  // MARK: Convergence

  /// Syncs all devices in turn until nothing changes.
  private func syncUntilStable() {
    while rounds < SyncRun.maxRounds {
      let before = state
      for device in devices { device.sync() }
      if state == before { return }
      rounds += 1
    }
  }

  private struct State: Equatable {
    var remote: SimulatedHistory.ID?
    var tips: [SimulatedHistory.ID?]
    var disks: [[EntryPath: [UInt8]]]
  }

  private var state: State {
    State(
      remote: devices[0].remote.tip, tips: devices.map(\.tip), disks: devices.map(\.disk))
  }

  /// The parts of a text between blank lines.
  private static func paragraphs(_ text: String) -> [String] {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return lines.split { $0.allSatisfy(\.isWhitespace) }.map { $0.joined(separator: "\n") }
  }

  /// The lines of a text without indentation, the marks of quotes, items and headings, and blanks
  /// at the end.
  static func lines(_ text: String) -> [String] {
    text.precomposedStringWithCanonicalMapping.split(whereSeparator: \.isNewline).map { line in
      let text = line.drop { " \t>-#\u{FEFF}".contains($0) }.reversed().drop { $0 == " " }
      return String(text.reversed())
    }
  }

  static func quoted(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).debugDescription
  }
}
