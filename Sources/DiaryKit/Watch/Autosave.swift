import DiaryCore
import EntryFiles
import FolderWatch
import Foundation
import GitHistory
import Glibc
import Localization

/// The autosave watcher of one journal: every settled write is a save, every pause a commit.
///
/// It owns no words. What it knows can be lost at any moment: at its next start it looks at the
/// folder and the branch and goes on from there. Each thing that it does stands by itself: one that
/// fails is tried again after growing pauses and keeps none of the others from being done.
package actor Autosave {
  /// Opened anew when its folder comes back.
  var journal: Journal
  let tell: @Sendable (WatchEvent) -> Void
  /// Where all that it begins runs; `nil`: on the threads of Swift's own.
  let threads: (any TaskExecutor)?
  var lock: FileLock
  private let watcher: any FolderWatcher
  let inbox = EventQueue()
  private var timer: Task<Void, Never>?

  /// Writes that have not settled yet.
  var settler: Debouncer
  /// Nanoseconds on the monotonic clock at which the sitting ends; `nil` outside a sitting.
  var sittingEnds: Int64?
  /// The last write to each path of this sitting, for telling when its editor has let go.
  var lastWrites: [EntryPath: Int64] = [:]
  /// Entries whose stamp is to be written when the editor has let go.
  var stamps: [EntryPath: PendingStamp] = [:] {
    didSet { persistPendingStamps() }
  }
  /// When the next of them is looked at.
  var stampLookAt: Int64?
  var displaced: [DisplacedFileWatch] = []
  /// Saved in this round; the index and the list are to learn of them.
  var unlisted: [EntryPath: SaveCandidate] = [:]
  /// Who has which entry open; forgotten with the sitting when the process is gone.
  var editors: [EntryPath: Editor] = [:]
  /// When a branch that waits, or an owed stamp, is tried again.
  var commitRetry: Backoff?
  var owedRetry: Backoff?
  var isPayingOwed = false
  /// When the folder's events began to come, as files' times count (nanoseconds since 1970).
  var began = Int64.max
  /// A rescan of the whole folder is due, or is tried again.
  var rescan: Backoff?
  /// The journal's folder is away; when its return is looked for.
  var away: Backoff?
  /// What was told of its absence.
  var awayTold: String?
  /// How often the folder is looked at and why, where the kernel does not tell its changes.
  private var polling: String?
  /// How often the lock of the journal that has come back was another watcher's.
  var refusals = 0
  /// How often its repository was still being copied.
  var unfinishedCopies = 0
  /// The branch that was there at the last look.
  var branch: String?
  var saved: SavePolicy
  var throttle = LogThrottle()
  /// Whether the writer asked for the exchange with the remote (`--sync`).
  let wantsSync: Bool
  var sync: SyncSchedule?
  /// git's packing under way, beside everything else.
  var packing: Task<Void, Never>?
  /// True if the timer waits for nothing but the next sync.
  private var isAtRest = false
  /// When files that wait for their editors are looked at again.
  var arrivalLook: Backoff?

  /// The program of this process, which an upgrade replaces.
  private let program: ProgramFile?
  /// Whether it ended to let the program that stands in its place go on.
  package private(set) var isReplaced = false
  /// What it has written into its lock.
  private var note = WatcherNote(Autosave.process)
  /// How many errors there were.
  private var reports = 0

  /// A watcher for the journal; refused while another one runs. Of a `program`, it ends at rest once
  /// another one stands in its place.
  package init(
    _ journal: Journal, syncing: Bool = false, program: ProgramFile? = nil,
    on threads: (any TaskExecutor)? = nil, tell: @escaping @Sendable (WatchEvent) -> Void
  ) throws {
    self.journal = journal
    self.program = program
    wantsSync = syncing
    self.tell = tell
    self.threads = threads
    lock = try Self.lock(of: journal)
    watcher = FolderWatch.watcher(for: journal.root)
    settler = Self.settler(for: journal)
    saved = SavePolicy(journal)
  }

  static func lock(of journal: Journal) throws -> FileLock {
    try journal.gitLocation.refuseNewerState(of: journal.root)
    try journal.gitLocation.makeDiaryDirectory()
    let path = journal.watchLock
    if let lock = try FileLock(path, note: Self.process) { return lock }
    let holder = journal.runningWatcher ?? localized("another process")
    throw DiaryError(
      localized("\(journal.root) is already watched by \(holder)"),
      hint: localized("one watcher is enough; `diary status` shows its state"))
  }

  private static let process = "process \(ProcessInfo.processInfo.processIdentifier)"

  /// Writes down, for `diary status`, who watches and, if saves come later than usual, why.
  func describeItself() {
    note.who = [Self.process, polling].compactMap(\.self).joined(separator: ", ")
    lock.write(note.text)
  }

  /// Writes down what keeps it from its work, until a round is done without an error.
  private func note(trouble what: String?) {
    guard what != note.trouble?.what else { return }
    note.trouble = what.map { WatcherTrouble(since: note.trouble?.since ?? journal.now, what: $0) }
    lock.write(note.text)
  }

  private static func settler(for journal: Journal) -> Debouncer {
    Debouncer(
      settle: nanoseconds(journal.settings.settle), longest: nanoseconds(journal.settings.longest))
  }

  /// Watches until ``stop()``; then saves what is pending, ends the sitting and returns. Throws when
  /// another watcher has taken over, and when a newer Diary has written the journal's state.
  package func run() async throws(DiaryError) {
    let events = watcher.events
    let inbox = inbox
    let pump = Task(executorPreference: threads) {
      for await event in events { inbox.put(.folder(event)) }
    }
    defer { pump.cancel() }
    loadPendingStamps()
    if (try? journal.waitingArrivals())?.isEmpty != true { arrivalLook = Backoff(first: 1) }
    await startPeriodicSync()
    arm()
    for await _ in inbox.wakeups {
      let inputs = inbox.drain()
      try endIfStateIsNewer()
      if inputs.contains(.stop) {
        timer?.cancel()
        watcher.stop()
        return await finish()
      }
      for input in inputs { take(input) }
      await work()
      try endIfStateIsNewer()
      if refusals > 1 {
        timer?.cancel()
        watcher.stop()
        inbox.close()
        throw superseded()
      }
      arm()
      if isAtRest {
        if await hasNewProgram() {
          isReplaced = true
          timer?.cancel()
          watcher.stop()
          return await finish()
        }
        // What stands in the index is read again when it is needed.
        await journal.rest()
        releaseMemory()
      }
    }
  }

  /// Whether another program stands in the place of this one, and can run.
  private func hasNewProgram() async -> Bool {
    guard let program, program.isReplaced else { return false }
    let runner = ProcessRunner(environment: journal.environment)
    let answer = try? await runner.ask([program.path, "--version"], input: [], seconds: 10)
    return answer?.status == 0
  }

  /// A newer Diary has written the state: nothing is saved, noted or taken away any more.
  private func endIfStateIsNewer() throws(DiaryError) {
    do { try journal.gitLocation.refuseNewerState(of: journal.root) } catch {
      timer?.cancel()
      packing?.cancel()
      watcher.stop()
      inbox.close()
      throw error
    }
  }

  /// Asks the watcher to end; callable from a signal's handler queue.
  package nonisolated func stop() { inbox.put(.stop) }

  // MARK: Time

  static func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1_000_000_000) }

  /// The monotonic clock that also runs while the machine sleeps, so that a sitting ends on wake-up.
  static var clock: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  /// One timer for the next thing that is due, none when nothing is. Whatever is due is
  /// done or put off by `work`, so that no moment of the past is ever waited for again and again.
  private func arm() {
    timer?.cancel()
    timer = nil
    // A look that stands is kept: other files' events must not put it off for ever.
    stampLookAt = nextStampCheck.map { min($0, stampLookAt ?? $0) }
    let dues =
      away.map { [$0.at] }
      ?? [
        settler.nextDeadline(), sittingEnds, commitRetry?.at, isPayingOwed ? nil : owedRetry?.at,
        displaced.map(\.until).min(), rescan?.at, stampLookAt, arrivalLook?.at,
      ].compactMap(\.self)
    isAtRest = dues.isEmpty
    // The exchange may be minutes away: the memory is given back before.
    let exchange = away == nil ? nextSyncAt : nil
    guard let due = (dues + [exchange].compactMap(\.self)).min() else { return }
    let pause = Duration.nanoseconds(max(due - Self.clock, 1_000_000))
    let inbox = inbox
    timer = Task(executorPreference: threads) {
      do { try await wait(for: pause) } catch { return }
      inbox.put(.tick)
    }
  }

  /// Begins what goes on beside the rounds of the watcher.
  @discardableResult
  func beside(_ work: @escaping @Sendable (isolated Autosave) async -> Void) -> Task<Void, Never> {
    Task(executorPreference: threads) { await work(self) }
  }

  func isDue(_ moment: Int64?) -> Bool { moment.map { $0 <= Self.clock } ?? false }

  // MARK: Events

  private func take(_ input: EventQueue.Input) {
    switch input {
    case .folder(let event): take(event)
    case .tick, .stop: break
    }
  }

  private func take(_ event: FolderEvent) {
    switch event {
    case .touched(let path), .gone(let path):
      if let away, away.at > Self.clock + Self.nanoseconds(1) { self.away = Backoff(first: 1) }
      guard saved.kind(of: path) != .never else { return noticeConflictCopy(path) }
      settler.touched(path, at: Self.clock)
      lastWrites[path] = Self.clock
    case .trace(let path):
      editorFileChanged(path)
      tell(.editor(path))
    case .rescan(let reason):
      if case .began(let method) = reason {
        began = Self.nanoseconds(Date().timeIntervalSince1970)
        polling =
          switch method {
          case .inotify: nil
          case .polling(let seconds, let why): localized("checking every \(Int(seconds)) s: \(why)")
          }
        describeItself()
        tell(.started(root: journal.root, polling: polling))
      }
      take(reason)
    case .failed(let reason):
      report(DiaryError(localized("watching \(journal.root) failed: \(reason)")))
      rescan = Backoff(first: 0)
    }
  }

  /// A root that went, or may be another one by now, is opened anew before anything is read in it:
  /// the journal holds the old folder open, in which nothing will ever be written again.
  private func take(_ reason: RescanReason) {
    switch reason {
    case .rootVanished:
      away = Backoff(first: 600)
      reportAway(
        DiaryError(
          localized("\(journal.root) no longer exists"),
          hint: localized(
            "nothing is recorded as deleted; the watcher continues when the folder is back")))
    case .rootReturned, .mountsChanged, .repositoryChanged: away = Backoff(first: 0)
    case .began, .overflow, .lostWatch, .folderChanged: if away != nil { away = Backoff(first: 0) }
    }
    rescan = Backoff(first: 0)
  }

  // MARK: Work

  /// Everything that is due now.
  private func work() async {
    // Another folder, or another repository, stands where the journal was.
    if away == nil, !lock.isFile(at: journal.watchLock) { away = Backoff(first: 0) }
    if isDue(away?.at) { await reopenJournal() }
    guard away == nil else { return }
    let before = reports
    await detectBranchSwitch()
    if isDue(rescan?.at) { await rescanAll() }
    await saveSettledFiles()
    await checkDisplacedFiles()
    if isDue(stampLookAt) { await writeStamps() }
    fillPendingStamps()
    if isDue(arrivalLook?.at) { await retryPendingCheckouts() }
    if isDue(sittingEnds) || isDue(commitRetry?.at) { await commit() }
    await listSaved()
    if isDue(nextSyncAt) { exchange() }
    if reports == before, rescan == nil { note(trouble: nil) }
  }

  /// Tells an error; one that comes again and again, once an hour.
  func report(_ error: any Error) {
    let error = DiaryError(error)
    reports += 1
    note(trouble: error.what)
    guard throttle.shouldLog(error, at: Self.clock) else { return }
    tell(.trouble(error))
  }
}
