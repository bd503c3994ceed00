import DiaryCore
import EntryFiles
import FolderWatch
import Foundation
import GitHistory
import Glibc
import Localization

/// The autosave watcher of one journal: every settled write is a save, every pause a commit.
///
/// It keeps no unsaved state. It can be killed at any time: the next start compares folder and
/// branch and continues. Its tasks are independent: one that fails is tried again with growing
/// pauses and does not block the others.
package actor Autosave {
  /// Reopened when the journal's folder reappears.
  var journal: Journal
  let emit: @Sendable (WatchEvent) -> Void
  /// The executor of its tasks; `nil` for Swift's own threads.
  let executor: (any TaskExecutor)?
  var lock: FileLock
  private let watcher: any FolderWatcher
  let eventQueue = EventQueue()
  private var timer: Task<Void, Never>?

  /// Writes that have not settled yet.
  var debouncer: Debouncer
  /// The end of the sitting, in nanoseconds on the monotonic clock; `nil` outside a sitting.
  var sittingEndsAt: Int64?
  /// The last write to each path of this sitting, used to detect that its editor has closed.
  var lastWrites: [EntryPath: Int64] = [:]
  /// Entries whose stamp is written when the editor has closed.
  var stamps: [EntryPath: WaitingStamp] = [:] {
    didSet { persistStamps() }
  }
  /// The time of the next check of the waiting stamps.
  var stampCheckAt: Int64?
  var displaced: [DisplacedFileWatch] = []
  /// Files that were saved in this round and are not yet in the index and the list file.
  var unindexed: [EntryPath: SaveCandidate] = [:]
  /// The editors with open entries. Removed at the end of the sitting if the process has exited.
  var editors: [EntryPath: EditorState] = [:]
  /// The next attempts of a deferred commit and of queued stamps.
  var commitRetry: Backoff?
  var queuedStampRetry: Backoff?
  var isFillingStamps = false
  /// The start of the folder's events, on the clock of file times (nanoseconds since 1970).
  var watchStart = Int64.max
  /// The next rescan of the whole folder, if one is due.
  var rescan: Backoff?
  /// The next attempt to reopen the journal, while its folder is absent.
  var reopenRetry: Backoff?
  /// The reported reason of its absence.
  var reportedAbsence: String?
  /// The polling interval and its reason, if the kernel does not report changes.
  private var pollingDescription: String?
  /// The number of times that another watcher held the lock of the returned journal.
  var lockRefusals = 0
  /// The number of times that its repository was still being copied.
  var unfinishedCopies = 0
  /// The branch at the last check.
  var branch: String?
  var savePolicy: SavePolicy
  var throttle = LogThrottle()
  /// True if the user asked for sync with the remote (`--sync`).
  let shouldSync: Bool
  var sync: SyncSchedule?
  /// The sync that is running.
  var runningSync: Task<Void, Never>?
  /// The packing by git, in parallel with everything else.
  var packing: Task<Void, Never>?
  /// True if the timer is set for nothing but the next sync.
  private var isIdle = false
  /// The next attempt at waiting checkouts, whose files are open in editors.
  var checkoutRetry: Backoff?
  /// The waiting checkouts, as paths of the repository, that only git can finish.
  var checkoutsLeftToGit: Set<EntryPath> = []
  /// The next attempt at stamps, after an error.
  var stampRetry: Backoff?

  /// The program file of this process, which an upgrade replaces.
  private let program: ProgramFile?
  /// True if it ended so that the program file that replaced its own can take over.
  package private(set) var isReplaced = false
  /// The text in its lock file.
  private var status = WatcherStatus(Autosave.process)
  /// The number of errors so far.
  private var errorCount = 0

  /// Creates a watcher for the journal; throws if another one is running. With a `program`, it ends
  /// when it is idle and that file has been replaced.
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
    let holder = journal.watcherStatus?.process ?? localized("another process")
    throw DiaryError(
      localized("\(journal.root) is already watched by \(holder)"),
      hint: localized("one watcher is enough; `diary status` shows its state"))
  }

  private static let process = "process \(ProcessInfo.processInfo.processIdentifier)"

  /// Writes to the lock file, for `diary status`, which process watches and why saves may be slow.
  func writeStatus() {
    status.process = [Self.process, pollingDescription].compactMap(\.self).joined(separator: ", ")
    lock.write(status.text)
  }

  /// Writes the current error to the lock file, until a round is done without an error.
  private func recordError(_ what: String?) {
    guard what != status.error?.message else { return }
    status.error = what.map { WatcherError(since: status.error?.since ?? journal.now, message: $0) }
    lock.write(status.text)
  }

  private static func debouncer(for journal: Journal) -> Debouncer {
    Debouncer(
      settle: nanoseconds(journal.settings.settle), longest: nanoseconds(journal.settings.longest))
  }

  /// Watches until ``stop()``; then saves what is unsaved, ends the sitting and returns. Throws if
  /// another watcher has taken over or a newer Diary has written the journal's state.
  package func run() async throws(DiaryError) {
    let events = watcher.events
    let eventQueue = eventQueue
    let pump = Task(executorPreference: executor) {
      for await event in events { eventQueue.enqueue(.folder(event)) }
    }
    defer { pump.cancel() }
    loadStamps()
    if (try? journal.checkouts.loadWaitingCheckouts())?.isEmpty != true {
      checkoutRetry = Backoff(first: 1)
    }
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
        // Released data is read again when it is needed.
        await journal.releaseCaches()
        releaseMemory()
      }
    }
  }

  /// True if another program file has replaced this one, and can run.
  private func hasNewProgram() async -> Bool {
    guard let program, program.isReplaced else { return false }
    let runner = ProcessRunner(environment: journal.environment)
    let answer = try? await runner.run([program.path, "--version"], input: [], timeout: 10)
    return answer?.status == 0
  }

  /// Ends the watcher if a newer Diary has written the state: nothing more is saved or removed.
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

  /// The monotonic clock that also runs while the machine sleeps: a sitting ends on wake-up.
  static var monotonicNow: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  /// Sets one timer for the next due task, or none. Each round does or postpones everything that is
  /// due, so the timer is never set again and again for a moment in the past.
  private func scheduleTimer() {
    timer?.cancel()
    timer = nil
    // Keep a check that is already scheduled: events of other files must not postpone it forever.
    stampCheckAt = nextStampCheck.map { min($0, stampCheckAt ?? $0) }
    let deadlines =
      reopenRetry.map { [$0.at] }
      ?? [
        debouncer.nextDeadline(), sittingEndsAt, commitRetry?.at,
        isFillingStamps ? nil : queuedStampRetry?.at,
        displaced.map(\.checkAt).min(), rescan?.at, stampCheckAt, checkoutRetry?.at,
      ].compactMap(\.self)
    isIdle = deadlines.isEmpty
    // The next sync may be minutes away, so memory is released before it.
    let nextSync = reopenRetry == nil ? nextSyncAt : nil
    guard let due = (deadlines + [nextSync].compactMap(\.self)).min() else { return }
    let pause = Duration.nanoseconds(max(due - Self.monotonicNow, 1_000_000))
    let eventQueue = eventQueue
    timer = Task(executorPreference: executor) {
      do { try await wait(for: pause) } catch { return }
      eventQueue.enqueue(.wakeUp)
    }
  }

  /// Starts a task that runs in parallel with the watcher's rounds.
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

  /// Handles a rescan request. A root that was removed or replaced is reopened before anything is
  /// read: the journal has the old folder open, in which nothing will ever be written again.
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

  /// Does everything that is due now.
  private func runDueTasks() async {
    // Another folder or repository is now at the journal's path.
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
    if isDue(checkoutRetry?.at) { await retryCheckouts() }
    if isDue(sittingEndsAt) || isDue(commitRetry?.at) { await commit() }
    await indexSavedFiles()
    if isDue(nextSyncAt) { syncInBackground() }
    if errorCount == before, rescan == nil { recordError(nil) }
  }

  /// Reports an error; a repeated one once an hour.
  func report(_ error: any Error) {
    let error = DiaryError(error)
    errorCount += 1
    recordError(error.message)
    guard throttle.shouldLog(error, at: Self.monotonicNow) else { return }
    emit(.error(error))
  }
}
