import DiaryCore
import EntryFiles
import FolderWatch
import Foundation
import GitHistory
import Glibc

/// What the watcher tells about itself, one value a line of its log.
public enum WatchNews: Sendable {
  /// It watches; how (`inotify`, or `polling` and why).
  case started(root: String, means: String)
  case saved([EntryPath])
  case committed(id: String, message: String, paths: [EntryPath])
  case stamped(EntryPath, weather: String?)
  /// The branch waits; the words are kept.
  case waiting(String)
  case missing([EntryPath])
  case leftOut([LeftOut])
  case stagedByWriter([EntryPath])
  case trouble(DiaryError)
  case ended
}

/// The autosave watcher of one journal: every settled write is a save, every pause a commit.
///
/// It owns no words. What it knows can be lost at any moment: at its next start it looks at the
/// folder and the branch and goes on from there.
public actor Autosave {
  let journal: Journal
  let tell: @Sendable (WatchNews) -> Void
  private let lock: FileLock
  private let watcher: any FolderWatching
  private let inputs: AsyncStream<Input>
  private let feed: AsyncStream<Input>.Continuation
  private var timer: Task<Void, Never>?

  /// Writes that have not settled yet.
  var settler: Settler
  /// Nanoseconds on the monotonic clock at which the sitting ends; `nil` outside a sitting.
  var sittingEnds: Int64?
  /// The last write to each path of this sitting, for telling when its editor has let go.
  var lastWrites: [EntryPath: Int64] = [:]
  /// Entries whose stamp is to be written when the editor has let go.
  var stamps: [EntryPath: PendingStamp] = [:]
  var asides: [Aside] = []
  /// Who has which entry open; forgotten at the end of a sitting when the process is gone.
  var editors: [EntryPath: Editor] = [:]
  /// When a branch that waits, or an owed stamp, is tried again.
  var commitRetry: Retry?
  var owedRetry: Retry?
  /// A rescan of the whole folder is due.
  private var rescanIsDue = false
  private var lastWaiting: String?
  private var lastLeftOut: Set<LeftOut> = []

  enum Input: Sendable {
    case folder(FolderEvent)
    case tick
    case stop
  }

  /// A watcher for the journal; refused while another one runs.
  public init(
    _ journal: Journal, tell: @escaping @Sendable (WatchNews) -> Void
  ) throws {
    self.journal = journal
    self.tell = tell
    try journal.place.makeDiaryDirectory()
    let path = journal.stateFolder + "/watch.lock"
    guard
      let lock = try FileLock(path, note: "process \(ProcessInfo.processInfo.processIdentifier)")
    else {
      let holder = FileLock.holder(of: path) ?? "another process"
      throw DiaryError(
        "\(journal.root) is already watched by \(holder)",
        hint: "one watcher is enough; `diary status` tells how it does")
    }
    self.lock = lock
    watcher = FolderWatch.watcher(for: journal.root)
    (inputs, feed) = AsyncStream.makeStream(of: Input.self)
    settler = Settler(
      settle: Self.nanoseconds(journal.settings.settle),
      longest: Self.nanoseconds(journal.settings.longest))
    saved = SavedPaths(journal)
  }

  private let saved: SavedPaths

  /// Watches until ``stop()``; then saves what is pending, ends the sitting and returns.
  public func run() async {
    let events = watcher.events
    let feed = feed
    let pump = Task { for await event in events { feed.yield(.folder(event)) } }
    defer { pump.cancel() }
    arm()
    for await input in inputs {
      switch input {
      case .folder(let event): take(event)
      case .tick: break
      case .stop: return await finish()
      }
      await work()
      arm()
    }
  }

  /// Asks the watcher to end; callable from a signal's handler queue.
  public nonisolated func stop() { feed.yield(.stop) }

  // MARK: Time

  static func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1_000_000_000) }

  /// The monotonic clock that also runs while the machine sleeps, so that a sitting ends on wake-up.
  static var clock: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  /// One timer for the next thing that is due, none when nothing is (promise 18).
  private func arm() {
    timer?.cancel()
    let dues = [
      settler.nextDeadline(), sittingEnds, commitRetry?.at, owedRetry?.at,
      asides.map(\.until).min(),
      rescanIsDue ? Self.clock : nil, nextStampLook,
    ]
    guard let due = dues.compactMap(\.self).min() else {
      timer = nil
      return
    }
    let pause = max(due - Self.clock, 1_000_000)
    let feed = feed
    timer = Task {
      do { try await Task.sleep(for: .nanoseconds(pause)) } catch { return }
      feed.yield(.tick)
    }
  }

  // MARK: Events

  private func name(_ method: WatchMethod) -> String {
    switch method {
    case .inotify: "inotify"
    case .polling(let seconds, let why): "looking every \(Int(seconds)) s, for \(why)"
    }
  }

  private func take(_ event: FolderEvent) {
    switch event {
    case .touched(let path), .gone(let path):
      guard saved.kind(of: path) != .never else { return }
      settler.touched(path, at: Self.clock)
      lastWrites[path] = Self.clock
    case .trace(let path): noticeTrace(path)
    case .rescan(let reason):
      if case .began(let method) = reason {
        tell(.started(root: journal.root, means: name(method)))
      }
      rescanIsDue = true
    case .failed(let reason):
      tell(.trouble(DiaryError("watching \(journal.root) failed: \(reason)")))
      rescanIsDue = true
    }
  }

  /// Everything that is due now.
  private func work() async {
    do {
      if rescanIsDue {
        rescanIsDue = false
        await catchUp()
      }
      let due = settler.due(at: Self.clock)
      if !due.isEmpty { try await save(due) }
      try await lookAtAsides()
      try await writeStamps()
      try await payOwed()
      if isDue(sittingEnds) || isDue(commitRetry?.at) { try await commit() }
    } catch {
      report(error)
      sittingEnds = sittingEnds ?? Self.clock + Self.nanoseconds(10)
    }
  }

  func isDue(_ moment: Int64?) -> Bool { moment.map { $0 <= Self.clock } ?? false }

  func report(_ error: any Error) { tell(.trouble(DiaryError(error))) }

  // MARK: Saving

  /// What changed while nobody watched, or while events were lost.
  private func catchUp() async {
    do {
      let journal = journal
      let outcome = try await journal.exclusively {
        let found = try await journal.gather(
          try await journal.repository.candidates(), atStart: true)
        return try await journal.keep(found)
      }
      announce(outcome)
      _ = try await journal.refresh()
      try journal.writeList()
      owedRetry = journal.owed.read().isEmpty ? nil : Retry(first: 1)
      if try await !journal.repository.pending().isEmpty { extendSitting() }
    } catch {
      report(error)
    }
  }

  private func save(_ due: [EntryPath]) async throws {
    let busy = OpenFiles.writers(of: due, root: journal.root)
    for path in busy { settler.hold(path, at: Self.clock) }
    var paths = due.filter { !busy.contains($0) }
    paths = try await withoutSuddenlyEmpty(paths)
    guard !paths.isEmpty else { return }
    let fresh = try await journal.newEntries(among: paths)
    let settled = paths
    let journal = journal
    let outcome = try await journal.exclusively {
      let found = try await journal.gather(settled, atStart: false)
      return try await journal.keep(found)
    }
    announce(outcome)
    try await journal.refresh(only: settled)
    try journal.writeList()
    extendSitting()
    for path in fresh { await askForStamp(path) }
  }

  /// An entry that was saved and is now empty is saved as empty, once quiet for `longest`: some
  /// editors empty the file before they write it (promise 6).
  private func withoutSuddenlyEmpty(_ paths: [EntryPath]) async throws -> [EntryPath] {
    let quiet = Self.nanoseconds(journal.settings.longest)
    var kept: [EntryPath] = []
    for path in paths {
      let age = Self.clock - (lastWrites[path] ?? 0)
      if let stamp = try? journal.folder.stamp(path), stamp.size == 0, age < quiet,
        try await journal.repository.headContent(path)?.isEmpty == false
      {
        settler.lookAgain(path, at: Self.clock + quiet - age, now: Self.clock)
      } else {
        kept.append(path)
      }
    }
    return kept
  }

  func extendSitting() {
    sittingEnds = Self.clock + Self.nanoseconds(journal.settings.sitting)
  }

  func announce(_ outcome: SaveOutcome) {
    if !outcome.saved.isEmpty { tell(.saved(outcome.saved)) }
    if !outcome.missing.isEmpty { tell(.missing(outcome.missing)) }
    let fresh = outcome.leftOut.filter { !lastLeftOut.contains($0) }
    if !fresh.isEmpty { tell(.leftOut(fresh)) }
    lastLeftOut.formUnion(outcome.leftOut)
  }

  /// Ends the sitting; a branch that must wait is looked at again with growing pauses.
  private func commit() async throws {
    let journal = journal
    let outcome = try await journal.exclusively {
      var outcome = SaveOutcome()
      try await journal.endSitting(into: &outcome)
      return outcome
    }
    sittingEnds = nil
    lastWrites = lastWrites.filter { stamps[$0.key] != nil }
    editors = editors.filter { $0.value.isAlive || stamps[$0.key] != nil }
    if let commit = outcome.commit {
      tell(.committed(id: commit.id, message: commit.message, paths: commit.paths))
    }
    if !outcome.stagedByWriter.isEmpty { tell(.stagedByWriter(outcome.stagedByWriter)) }
    if let reason = outcome.waiting {
      if reason != lastWaiting { tell(.waiting(reason)) }
      commitRetry = (commitRetry ?? Retry(first: 2)).next()
    } else {
      commitRetry = nil
    }
    lastWaiting = outcome.waiting
  }

  private func finish() async {
    timer?.cancel()
    watcher.stop()
    do {
      let journal = journal
      let last = asides
      asides = []
      for aside in last { try await settle(aside) }
      let outcome = try await journal.save()
      announce(outcome)
      if let commit = outcome.commit {
        tell(.committed(id: commit.id, message: commit.message, paths: commit.paths))
      }
      if let reason = outcome.waiting { tell(.waiting(reason)) }
    } catch {
      report(error)
    }
    feed.finish()
    tell(.ended)
  }
}

/// A thing to be tried again, with pauses that double up to ten minutes.
struct Retry {
  /// When, nanoseconds on the monotonic clock.
  var at: Int64
  private var pause: Double

  init(first: Double) {
    pause = first
    at = Autosave.clock + Autosave.nanoseconds(first)
  }

  func next() -> Retry {
    var next = self
    next.pause = min(pause * 2, 600)
    next.at = Autosave.clock + Autosave.nanoseconds(pause)
    return next
  }
}
