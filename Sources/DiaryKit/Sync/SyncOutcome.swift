import DiaryCore
import EntryFiles

/// What `diary sync` came to.
public struct SyncOutcome: Sendable {
  /// What was saved first, and what could not be.
  public var save: SaveOutcome
  /// The remote's name in the local git configuration.
  public var remote: String
  /// Commits that came, merges among them.
  public var received = 0
  /// Commits that went.
  public var sent = 0
  /// Two histories were merged.
  public var merged = false
  /// The two had no common beginning.
  public var joined = false
  /// Entries whose merge kept both versions of something.
  public var keptBoth: [EntryPath] = []
  /// Files that were brought up to date on the disk.
  public var brought: [EntryPath] = []
  /// Files that the branch has newer than the disk, and why they wait.
  public var waiting: [LeftOut] = []
  var asides: [(path: EntryPath, file: AsideFile, wrote: [UInt8])] = []

  init(save: SaveOutcome, remote: String) {
    self.save = save
    self.remote = remote
  }

  /// Everything that is here is on the remote, and everything that is there is here.
  public var isComplete: Bool { waiting.isEmpty && save.isComplete }

  mutating func add(_ news: Brought) {
    brought += news.done
    waiting = news.waiting
    asides += news.asides
  }
}

extension SaveOutcome {
  /// Nothing was left out of the branch.
  var isComplete: Bool {
    waiting == nil && stagedByWriter.isEmpty && missing.isEmpty && leftOut.isEmpty
      && restless.isEmpty
  }
}
