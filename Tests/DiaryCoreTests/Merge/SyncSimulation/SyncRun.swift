import TestSupport
import DiaryCore
import Foundation

/// A script being played, with a record of the words that were typed and deleted.
final class SyncRun {
  let script: SyncScript
  let history = SmallHistory()
  let devices: [SmallDevice]
  var typed: Set<String> = []
  var deleted: Set<String> = []
  /// The number of edits that removed a copy of a repeated word. If two devices each removed a
  /// different copy, none may remain.
  var thinned: [String: Int] = [:]
  /// The number of sync rounds until nothing changed.
  private(set) var rounds = 0
  /// A log of the actions.
  var story: [String] = []

  static let mostRounds = 6

  init(_ script: SyncScript) {
    self.script = script
    let remote = SmallDevice.Remote()
    var dice = SeededGenerator(script.seed &+ 1)
    var devices: [SmallDevice] = []
    for index in 0..<script.devices {
      devices.append(
        SmallDevice(
          String(UnicodeScalar(UInt8(65 + index))), history, remote,
          skew: dice.roll(3) == 0 ? dice.roll(200_000) - 100_000 : 0,
          signer: script.isSigned && index < 2 ? "signed by \(index)" : "",
          hasOldRule: script.hasOldProgram && index == 1))
      devices[index].isWatched = script.isWatched
    }
    self.devices = devices
  }

  func play() {
    begin()
    for step in script.steps { play(step) }
    for device in devices where device.editor != nil {
      if let last = device.editor, last.bytes != last.seen { saveOpen(device) }
      device.editor = nil
    }
    settle()
  }

  private func begin() {
    var writer = SmallWriter(dice: SeededGenerator(script.seed &+ 2), number: 0)
    let first = devices[0]
    configure(first, &writer)
    let names = ["2026/11/2026-11-20.md", "walk.md", "2026/11/2026-11-19-lake.md"]
    for name in script.isDense ? ["walk.md"] : names {
      guard let path = EntryPath(name) else { continue }
      put(first, path, writer.entry(path))
    }
    first.sync()
    let strangers = script.hasStranger ? 1 : 0
    for device in devices[1..<(devices.count - strangers)] { device.sync() }
    if script.hasStranger, let last = devices.last, let path = EntryPath("walk.md") {
      configure(last, &writer)
      put(last, path, writer.entry(path))
      last.save()
    }
  }

  private func play(_ step: SyncStep) {
    let device = devices[step.device]
    device.now = step.number * 60
    var writer = SmallWriter(dice: SeededGenerator(step.seed), number: step.number * 64)
    switch step.action {
    case .edit, .create, .rename, .delete, .attach, .configure, .moveFolder:
      write(step, device, &writer)
    case .open, .editOpen, .saveOpen, .close: edit(step, device, &writer)
    case .add: add(step, device, &writer)
    case .save:
      tell(step, "saves")
      save(device)
    case .endSitting:
      tell(step, "ends the sitting")
      device.save()
      device.endSitting()
    case .hear(let other):
      tell(step, "takes in the branch of \(devices[other].name)")
      device.hear(devices[other])
    case .sync(let cut, let isTyping, let meanwhile):
      let other = meanwhile.map { devices[$0] }
      tell(
        step,
        "syncs" + (cut.map { ", cut at \($0)" } ?? "")
          + (other.map { ", \($0.name) before its push" } ?? ""))
      device.sync(
        cut: cut,
        typing: {
          if isTyping { self.write(step, device, &writer, as: .edit) }
        }, meanwhile: { other?.sync() })
    }
    for device in devices { device.lookAtReplaced() }
  }

  /// Records the words that a user typed and deleted when changing `old` to `new`.
  func took(_ old: [UInt8], for new: [UInt8]) {
    let (was, now) = (OwnWords.counts(old), OwnWords.counts(new))
    typed.formUnion(now.keys)
    for (word, count) in was {
      switch now[word] {
      case nil: deleted.insert(word)
      case let left? where left < count: thinned[word, default: 0] += 1
      default: break
      }
    }
  }

  func tell(_ step: SyncStep, _ what: String) {
    story.append("\(step.number). \(devices[step.device].name) \(what)")
  }

  // MARK: Convergence

  /// Syncs all devices in turn until nothing changes.
  private func settle() {
    while rounds < SyncRun.mostRounds {
      let before = state
      for device in devices { device.sync() }
      if state == before { return }
      rounds += 1
    }
  }

  private struct State: Equatable {
    var remote: SmallHistory.ID?
    var tips: [SmallHistory.ID?]
    var disks: [[EntryPath: [UInt8]]]
  }

  private var state: State {
    State(
      remote: devices[0].remote.tip, tips: devices.map(\.tip), disks: devices.map(\.disk))
  }

  static func shown(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).debugDescription
  }
}
