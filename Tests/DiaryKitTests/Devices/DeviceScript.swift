import TestSupport

/// One action on one device. Its random numbers are its own, so that it stays the same when other
/// steps are removed.
struct DeviceStep: Sendable {
  enum Action: String, CaseIterable, Sendable {
    // What a writer does to the files.
    case write, create, move, moveFolder, remove
    // An editor that never reloads.
    case open, type, put, close
    // Commands.
    case add, star, rename, delete, restore, undo, redo, importNotes, mergeCopies
    case save, watch, sync, watchedSync
    // The page, which writes from the text that it was opened with.
    case openPage, writePage
    // Other programs.
    case copyConflict, pull, commit, unmount, mount
    /// A command that is killed at a random effect.
    case kill
  }

  let number: Int
  let device: Int
  let action: Action
  let seed: UInt64
}

/// The steps of a run, generated from one seed.
struct DeviceScript: Sendable {
  static let devices = 3
  /// How often each action is drawn.
  private static let weights: [(DeviceStep.Action, Int)] = [
    (.write, 20), (.create, 5), (.move, 4), (.moveFolder, 2), (.remove, 2),
    (.open, 5), (.type, 8), (.put, 8), (.close, 2),
    (.add, 5), (.star, 2), (.rename, 3), (.delete, 2), (.restore, 2), (.undo, 4), (.redo, 2),
    (.importNotes, 3), (.mergeCopies, 3), (.save, 6), (.watch, 4), (.sync, 20), (.watchedSync, 6),
    (.openPage, 4), (.writePage, 5),
    (.copyConflict, 4), (.pull, 4), (.commit, 2), (.unmount, 2), (.mount, 3), (.kill, 4),
  ]

  let seed: UInt64
  var steps: [DeviceStep]

  init(seed: UInt64) {
    self.seed = seed
    var random = SeededGenerator(seed)
    let actions = Self.weights.flatMap { Array(repeating: $0, count: $1) }
    steps = (1...30).map { number in
      DeviceStep(
        number: number, device: random.roll(Self.devices),
        action: actions[random.roll(actions.count)], seed: random.next())
    }
  }
}
