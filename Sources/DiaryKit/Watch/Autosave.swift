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
  let emit: @Sendable (WatchEvent) -> Void
  /// Where all that it begins runs; `nil`: on the threads of Swift's own.
  let executor: (any TaskExecutor)?
  var lock: FileLock
  private let watcher: any FolderWatcher
  let eventQueue = EventQueue()
  private var timer: Task<Void, Never>?

  /// Writes that have not settled yet.
  var debouncer: Debouncer
  /// Nanoseconds on the monotonic clock at which the sitting ends; `nil` outside a sitting.
  var sittingEndsAt: Int64?
  /// The last write to each path of this sitting, for telling when its editor has let go.
  var lastWrites: [EntryPath: Int64] = [:]
  /// Entries whose stamp is to be written when the editor has let go.
  var stamps: [EntryPath: PendingStamp] = [:] {
    didSet { persistPendingStamps() }
  }
  /// When the next of them is looked at.
  var stampCheckAt: Int64?
  var displaced: [DisplacedFileWatch] = []
  /// Saved in this round; the index and the list are to learn of them.
  var unindexed: [EntryPath: SaveCandidate] = [:]
  /// Who has which entry open; forgotten with the sitting when the process is gone.
  var editors: [EntryPath: EditorState] = [:]
  /// When a branch that waits, or an owed stamp, is tried again.
  var commitRetry: Backoff?
  var queuedStampRetry: Backoff?
  var isFillingStamps = false
  /// When the folder's events began to come, as files' times count (nanoseconds since 1970).
  var watchStart = Int64.max
  /// A rescan of the whole folder is due, or is tried again.
  var rescan: Backoff?
  /// The journal's folder is away; when its return is looked for.
  var reopenRetry: Backoff?
  /// What was told of its absence.
  var reportedAbsence: String?
  /// How often the folder is looked at and why, where the kernel does not tell its changes.
  private var pollingDescription: String?
  /// How often the lock of the journal that has come back was another watcher's.
  var lockRefusals = 0
  /// How often its repository was still being copied.
  var unfinishedCopies = 0
  /// The branch that was there at the last look.
  var branch: String?
  var savePolicy: SavePolicy
  var throttle = LogThrottle()
  /// Whether the writer asked for the exchange with the remote (`--sync`).
  let shouldSync: Bool
  var sync: SyncSchedule?
  /// git's packing under way, beside everything else.
  var packing: Task<Void, Never>?
  /// True if the timer waits for nothing but the next sync.
  private var isIdle = false
  /// When files that wait for their editors are looked at again.
  var checkoutRetry: Backoff?

  /// The program of this process, which an upgrade replaces.
  private let program: ProgramFile?
  /// Whether it ended to let the program that stands in its place go on.
  package private(set) var isReplaced = false
  /// What it has written into its lock.
  private var status = WatcherStatus(Autosave.process)
  /// How many errors there were.
  private var errorCount = 0

  /// A watcher for the journal; refused while another one runs. Of a `program`, it ends at rest once
  /// another one stands in its place.
  package init(
    _ journal: Journal, shouldSync: Bool = false, program: ProgramFile? = nil,
    on executor: (any TaskExecutor)? = nil, onEvent: @escaping @Sendable (WatchEvent) -> Void
  ) throws {
    self.journal = journal
    self.program = program
    self.shouldSync = shouldSync
    self.emit = onEvent
    self.executor = executor
    lock = try Self.lock(of: journal)
    watcher = FolderWatch.watcher(for: journal.root)
    debouncer = Self.debouncer(for: journal)
    savePolicy = SavePolicy(journal)
  }

  static func lock(of journal: Journal) throws -> FileLock {
    try journal.gitLocation.requireSupportedState(of: journal.root)
    try journal.gitLocation.makeDiaryDirectory()
    let path = journal.watchLockPath
    if let lock = try FileLock(path, text: Self.process) { return lock }
    let holder = journal.runningWatcher ?? localized("another process")
    throw DiaryError(
      localized("\(journal.root) is already watched by \(holder)"),
      hint: localized("one watcher is enough; `diary status` shows its state"))
  }

  private static let process = "process \(ProcessInfo.processInfo.processIdentifier)"

  /// Writes down, for `diary status`, who watches and, if saves come later than usual, why.
  func writeStatus() {
    status.process = [Self.process, pollingDescription].compactMap(\.self).joined(separator: ", ")
    lock.write(status.text)
  }

  /// Writes down what keeps it from its work, until a round is done without an error.
  private func recordError(_ what: String?) {
    guard what != status.error?.message else { return }
    status.error = what.map { WatcherError(since: status.error?.since ?? journal.now, message: $0) }
    lock.write(status.text)
  }

  private static func debouncer(for journal: Journal) -> Debouncer {
    Debouncer(
      settle: nanoseconds(journal.settings.settle), longest: nanoseconds(journal.settings.longest))
  }

  /// Watches until ``stop()``; then saves what is pending, ends the sitting and returns. Throws when
  /// another watcher has taken over, and when a newer Diary has written the journal's state.
  package func run() async throws(DiaryError) {
    let events = watcher.events
    let eventQueue = eventQueue
    let pump = Task(executorPreference: executor) {
      for await event in events { eventQueue.enqueue(.folder(event)) }
    }
    defer { pump.cancel() }
    loadPendingStamps()
    if (try? journal.loadPendingCheckouts())?.isEmpty != true { checkoutRetry = Backoff(first: 1) }
    await startPeriodicSync()
    scheduleTimer()
    for await _ in eventQueue.wakeups {
      let inputs = eventQueue.drain()
      try endIfStateIsNewer()
      if inputs.contains(.stop) {
        timer?.cancel()
        watcher.stop()
        return await shutDown()
      }
      for input in inputs { handle(input) }
      await runDueTasks()
      try endIfStateIsNewer()
      if lockRefusals > 1 {
        timer?.cancel()
        watcher.stop()
        eventQueue.close()
        throw supersededError()
      }
      scheduleTimer()
      if isIdle {
        if await hasNewProgram() {
          isReplaced = true
          timer?.cancel()
          watcher.stop()
          return await shutDown()
        }
        // What stands in the index is read again when it is needed.
        await journal.releaseCaches()
        releaseMemory()
      }
    }
  }

  /// Whether another program stands in the place of this one, and can run.
  private func hasNewProgram() async -> Bool {
    guard let program, program.isReplaced else { return false }
    let runner = ProcessRunner(environment: journal.environment)
    let answer = try? await runner.run([program.path, "--version"], input: [], timeout: 10)
    return answer?.status == 0
  }

  /// A newer Diary has written the state: nothing is saved, noted or taken away any more.
  private func endIfStateIsNewer() throws(DiaryError) {
    do { try journal.gitLocation.requireSupportedState(of: journal.root) } catch {
      timer?.cancel()
      packing?.cancel()
      watcher.stop()
      eventQueue.close()
      throw error
    }
  }

  /// Asks the watcher to end; callable from a signal's handler queue.
  package nonisolated func stop() { eventQueue.enqueue(.stop) }

  // MARK: Time

  static func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1_000_000_000) }

  /// The monotonic clock that also runs while the machine sleeps, so that a sitting ends on wake-up.
  static var monotonicNow: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  /// One timer for the next thing that is due, none when nothing is. Whatever is due is
  /// done or put off by `work`, so that no moment of the past is ever waited for again and again.
  private func scheduleTimer() {
    timer?.cancel()
    timer = nil
    // A look that stands is kept: other files' events must not put it off for ever.
    stampCheckAt = nextStampCheck.map { min($0, stampCheckAt ?? $0) }
    let deadlines =
      reopenRetry.map { [$0.at] }
      ?? [
        debouncer.nextDeadline(), sittingEndsAt, commitRetry?.at,
        isFillingStamps ? nil : queuedStampRetry?.at,
        displaced.map(\.checkAt).min(), rescan?.at, stampCheckAt, checkoutRetry?.at,
      ].compactMap(\.self)
    isIdle = deadlines.isEmpty
    // The exchange may be minutes away: the memory is given back before.
    let nextSync = reopenRetry == nil ? nextSyncAt : nil
    guard let due = (deadlines + [nextSync].compactMap(\.self)).min() else { return }
    let pause = Duration.nanoseconds(max(due - Self.monotonicNow, 1_000_000))
    let eventQueue = eventQueue
    timer = Task(executorPreference: executor) {
      do { try await wait(for: pause) } catch { return }
      eventQueue.enqueue(.wakeUp)
    }
  }

  /// Begins what goes on beside the rounds of the watcher.
  @discardableResult
  func spawn(_ work: @escaping @Sendable (isolated Autosave) async -> Void) -> Task<Void, Never> {
    Task(executorPreference: executor) { await work(self) }
  }

  func isDue(_ moment: Int64?) -> Bool { moment.map { $0 <= Self.monotonicNow } ?? false }

  // MARK: Events

  private func handle(_ input: EventQueue.Input) {
    switch input {
    case .folder(let event): handle(event)
    case .wakeUp, .stop: break
    }
  }

  private func handle(_ event: FolderEvent) {
    switch event {
    case .changed(let path), .removed(let path):
      if let reopenRetry, reopenRetry.at > Self.monotonicNow + Self.nanoseconds(1) {
        self.reopenRetry = Backoff(first: 1)
      }
      guard savePolicy.kind(of: path) != .never else { return reportConflictCopy(path) }
      debouncer.recordWrite(path, at: Self.monotonicNow)
      lastWrites[path] = Self.monotonicNow
    case .editorFile(let path):
      editorFileChanged(path)
      emit(.editorFileChanged(path))
    case .rescan(let reason):
      if case .started(let method) = reason {
        watchStart = Self.nanoseconds(Date().timeIntervalSince1970)
        pollingDescription =
          switch method {
          case .inotify: nil
          case .polling(let seconds, let why): localized("checking every \(Int(seconds)) s: \(why)")
          }
        writeStatus()
        emit(.started(root: journal.root, polling: pollingDescription))
      }
      handle(reason)
    case .failed(let reason):
      report(DiaryError(localized("watching \(journal.root) failed: \(reason)")))
      rescan = Backoff(first: 0)
    }
  }

  /// A root that went, or may be another one by now, is opened anew before anything is read in it:
  /// the journal holds the old folder open, in which nothing will ever be written again.
  private func handle(_ reason: RescanReason) {
    switch reason {
    case .rootVanished:
      reopenRetry = Backoff(first: 600)
      reportAbsence(
        DiaryError(
          localized("\(journal.root) no longer exists"),
          hint: localized(
            "nothing is recorded as deleted; the watcher continues when the folder is back")))
    case .rootReturned, .mountsChanged, .repositoryChanged: reopenRetry = Backoff(first: 0)
    case .started, .overflow, .lostWatch, .folderChanged:
      if reopenRetry != nil { reopenRetry = Backoff(first: 0) }
    }
    rescan = Backoff(first: 0)
  }

  // MARK: Work

  /// Everything that is due now.
  private func runDueTasks() async {
    // Another folder, or another repository, stands where the journal was.
    if reopenRetry == nil, !lock.isFile(at: journal.watchLockPath) {
      reopenRetry = Backoff(first: 0)
    }
    if isDue(reopenRetry?.at) { await reopenJournal() }
    guard reopenRetry == nil else { return }
    let before = errorCount
    await detectBranchSwitch()
    if isDue(rescan?.at) { await rescanAll() }
    await saveSettledFiles()
    await checkDisplacedFiles()
    if isDue(stampCheckAt) { await writeStamps() }
    startFillingQueuedStamps()
    if isDue(checkoutRetry?.at) { await retryPendingCheckouts() }
    if isDue(sittingEndsAt) || isDue(commitRetry?.at) { await commit() }
    await indexSavedFiles()
    if isDue(nextSyncAt) { syncInBackground() }
    if errorCount == before, rescan == nil { recordError(nil) }
  }

  /// Tells an error; one that comes again and again, once an hour.
  func report(_ error: any Error) {
    let error = DiaryError(error)
    errorCount += 1
    recordError(error.message)
    guard throttle.shouldLog(error, at: Self.monotonicNow) else { return }
    emit(.error(error))
  }
}
