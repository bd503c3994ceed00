import TestSupport
import DiaryCore

/// One action on one device. It has its own random seed and word numbers, so that it
/// stays the same when other steps are removed.
struct SyncStep {
  enum Action {
    case edit, create, rename, delete, attach, configure, moveFolder
    case open, editBuffer, saveBuffer, close
    /// Adds a paragraph with a Diary command.
    case add
    case save, endSitting
    case sync(cut: CutPoint?, isTyping: Bool, meanwhile: Int?)
    /// Merges another device's branch directly, without the remote, so that histories cross.
    case mergeDirectly(Int)
  }

  let number: Int
  let device: Int
  let action: Action
  let seed: UInt64
}

/// The script of a run: the number of devices and the steps, generated from one seed.
struct SyncScript {
  let seed: UInt64
  let devices: Int
  /// Whether the last device started its own journal before its first sync with the others.
  let hasSeparateJournal: Bool
  /// Whether two devices sign their merges.
  let isSigned: Bool
  /// Whether all devices write in one entry and histories cross often.
  let isDense: Bool
  /// Whether each device runs a watcher. Most edits are then made in editors that stay open.
  let isWatched: Bool
  var steps: [SyncStep] = []

  init(seed: UInt64, isWatched: Bool = false) {
    var dice = SeededGenerator(seed)
    self.seed = seed
    devices = 3 + dice.roll(3)
    hasSeparateJournal = dice.roll(6) == 0
    isSigned = dice.roll(4) == 0
    isDense = !isWatched && seed % 10 < 3
    self.isWatched = isWatched
    for number in 1...(15 + dice.roll(45)) {
      let device = dice.roll(devices)
      steps.append(
        SyncStep(
          number: number, device: device,
          action: isWatched
            ? SyncScript.watchedAction(&dice)
            : isDense
              ? SyncScript.denseAction(devices, device, &dice)
              : SyncScript.action(devices, device, &dice),
          seed: dice.next()))
    }
  }

  private static func action(
    _ devices: Int, _ device: Int, _ dice: inout SeededGenerator
  ) -> SyncStep.Action {
    switch dice.roll(108) {
    case 0..<34: return .edit
    case 34..<41: return .create
    case 41..<45: return .rename
    case 45..<48: return .delete
    case 48..<51: return .attach
    case 51..<54: return .configure
    case 54..<56: return .moveFolder
    case 56..<60: return .open
    case 60..<66: return .editBuffer
    case 66..<71: return .saveBuffer
    case 71..<73: return .close
    case 73..<77: return .save
    case 77..<79: return .endSitting
    case 79..<83: return .mergeDirectly((device + 1 + dice.roll(devices - 1)) % devices)
    default:
      let other = dice.roll(devices)
      return .sync(
        cut: dice.roll(4) == 0 ? dice.one(CutPoint.allCases) : nil, isTyping: dice.roll(6) == 0,
        meanwhile: other != device && dice.roll(4) == 0 ? other : nil)
    }
  }

  private static func watchedAction(_ dice: inout SeededGenerator) -> SyncStep.Action {
    switch dice.roll(40) {
    case 0..<4: .edit
    case 4: .create
    case 5..<10: .open
    case 10..<18: .editBuffer
    case 18..<26: .saveBuffer
    case 26: .close
    case 27..<30: .add
    default: .sync(cut: nil, isTyping: dice.roll(8) == 0, meanwhile: nil)
    }
  }

  private static func denseAction(
    _ devices: Int, _ device: Int, _ dice: inout SeededGenerator
  ) -> SyncStep.Action {
    switch dice.roll(10) {
    case 0..<5: .edit
    case 5..<8: .mergeDirectly((device + 1 + dice.roll(devices - 1)) % devices)
    default: .sync(cut: nil, isTyping: false, meanwhile: nil)
    }
  }
}
