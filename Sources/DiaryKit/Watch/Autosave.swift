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
  var log: WatcherLog
  /// The executor of its tasks; `nil` for Swift's own threads.
  let executor: (any TaskExecutor)?
  var lock: WatcherLock
  private let watcher: any FolderWatcher
  let eventQueue = EventQueue()
  private var timer: Task<Void, Never>?
  var schedule = Schedule()

  /// Writes that have not settled yet.
  var debouncer: Debouncer
  var editors = OpenEditors()
  var stamps: WaitingStamps
  var isFillingStamps = false
  var displaced: [DisplacedFileWatch] = []
  /// Files that were saved in this round and are not yet in the index and the list file.
  var unindexed: [EntryPath: SaveCandidate] = [:]
  /// The start of the folder's events, on the clock of file times (nanoseconds since 1970).
  private(set) var watchStart = Int64.max
  var absence = Absence()
  /// The branch at the last check.
  var branch: String?
  var pathClassifier: PathClassifier
  /// True if the user asked for sync with the remote (`--sync`).
  let shouldSync: Bool
  var sync = SyncSchedule()
  /// The repacking by git, in parallel with everything else.
  var repacking: Task<Void, Never>?
  /// True if the timer is set for nothing but the next sync.
  private var isIdle = false
  /// The waiting checkouts, as paths of the repository, that only git can finish.
  var checkoutsLeftToGit: Set<EntryPath> = []

  /// The program file of this process, which an upgrade replaces.
  private let program: ProgramFile?
  /// True if it ended so that the program file that replaced its own can take over.
  package private(set) var isReplaced = false

  /// Creates a watcher for the journal; throws if another one is running. With a `program`, it ends
  /// when it is idle and that file has been replaced.
  package init(
    _ journal: Journal, shouldSync: Bool = false, program: ProgramFile? = nil,
    on executor: (any TaskExecutor)? = nil, onEvent: @escaping @Sendable (WatchEvent) -> Void
  ) throws {
    self.journal = journal
    self.program = program
    self.shouldSync = shouldSync
    log = WatcherLog(onEvent)
    self.executor = executor
    lock = try WatcherLock(of: journal)
    watcher = FolderWatch.watcher(for: journal.root)
    debouncer = Debouncer(
      settle: MonotonicTime.nanoseconds(journal.settings.settle),
      longest: MonotonicTime.nanoseconds(journal.settings.longest))
    stamps = WaitingStamps(of: journal)
    pathClassifier = PathClassifier(journal)
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
    // It is unknown which editor has these open now: the pause of a sitting decides.
    for path in stamps.paths { editors.recordWrite(to: path) }
    if (try? journal.checkouts.loadWaitingCheckouts())?.isEmpty != true {
      schedule[.checkouts] = Backoff(first: 1)
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
      for case .folder(let event) in inputs { handle(event) }
      await runDueTasks()
      try endIfStateIsNewer()
      if absence.lockRefusals > 1 {
        timer?.cancel()
        watcher.stop()
        eventQueue.close()
        throw DiaryError(
          localized("another watcher has started on \(journal.root), so this one stops"),
          hint: localized("`diary status` shows which one is running"))
      }
      scheduleTimer()
      if isIdle {
        if let program, await program.hasSuccessor(ProcessRunner(environment: journal.environment))
        {
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

  /// Ends the watcher if a newer Diary has written the state: nothing more is saved or removed.
  private func endIfStateIsNewer() throws(DiaryError) {
    do { try journal.gitLocation.requireSupportedState(of: journal.root) } catch {
      timer?.cancel()
      repacking?.cancel()
      watcher.stop()
      eventQueue.close()
      throw error
    }
  }

  /// Asks the watcher to end; callable from a signal's handler queue.
  package nonisolated func stop() { eventQueue.enqueue(.stop) }

  // MARK: Time

  /// Sets one timer for the next due task, or none. Each round does or postpones everything that is
  /// due, so the timer is never set again and again for a moment in the past.
  private func scheduleTimer() {
    timer?.cancel()
    timer = nil
    stamps.scheduleCheck(editors, in: journal)
    let deadlines =
      schedule[.reopen].map { [$0.at] }
      ?? [
        debouncer.nextDeadline(), schedule.sittingEndsAt, schedule[.commit]?.at,
        isFillingStamps ? nil : schedule[.queuedStamps]?.at,
        displaced.map(\.checkAt).min(), schedule[.rescan]?.at, stamps.checkAt,
        schedule[.checkouts]?.at,
      ].compactMap(\.self)
    isIdle = deadlines.isEmpty
    // The next sync may be minutes away, so memory is released before it.
    let nextSync = schedule[.reopen] == nil ? sync.next : nil
    guard let due = (deadlines + [nextSync].compactMap(\.self)).min() else { return }
    let pause = Duration.nanoseconds(max(due - MonotonicTime.now, 1_000_000))
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

  // MARK: Events

  private func handle(_ event: FolderEvent) {
    switch event {
    case .changed(let path), .removed(let path):
      if let next = schedule[.reopen]?.at, next > MonotonicTime.after(1) {
        schedule[.reopen] = Backoff(first: 1)
      }
      guard pathClassifier.kind(of: path) != .never else { return reportConflictCopy(path) }
      recordWrite(to: path)
    case .editorFile(let path):
      editorFileChanged(path)
      log.emit(.editorFileChanged(path))
    case .rescan(let reason):
      if case .started(let method) = reason {
        watchStart = MonotonicTime.nanoseconds(Date().timeIntervalSince1970)
        lock.polling =
          switch method {
          case .inotify: nil
          case .polling(let seconds, let why): localized("checking every \(Int(seconds)) s: \(why)")
          }
        log.emit(.started(root: journal.root, polling: lock.polling))
      }
      handle(reason)
    case .failed(let reason):
      report(DiaryError(localized("watching \(journal.root) failed: \(reason)")))
      schedule[.rescan] = Backoff(first: 0)
    }
  }

  /// Records a write, which the watcher saves when the file has settled.
  func recordWrite(to path: EntryPath) {
    debouncer.recordWrite(path, at: MonotonicTime.now)
    editors.recordWrite(to: path)
    stamps.unblock(path)
  }

  /// Handles a rescan request. A root that was removed or replaced is reopened before anything is
  /// read: the journal has the old folder open, in which nothing will ever be written again.
  private func handle(_ reason: RescanReason) {
    switch reason {
    case .rootVanished:
      schedule[.reopen] = Backoff(first: 600)
      reportAbsence(
        DiaryError(
          localized("\(journal.root) no longer exists"),
          hint: localized(
            "nothing is recorded as deleted; the watcher continues when the folder is back")))
    case .rootReturned, .mountsChanged, .repositoryChanged:
      schedule[.reopen] = Backoff(first: 0)
    case .started, .overflow, .lostWatch, .folderChanged:
      if schedule[.reopen] != nil { schedule[.reopen] = Backoff(first: 0) }
    }
    schedule[.rescan] = Backoff(first: 0)
  }

  // MARK: Work

  /// Does everything that is due now.
  private func runDueTasks() async {
    // Another folder or repository is now at the journal's path.
    if schedule[.reopen] == nil, !lock.isHeld(of: journal) { schedule[.reopen] = Backoff(first: 0) }
    if schedule.isDue(.reopen) { await reopenJournal() }
    guard schedule[.reopen] == nil else { return }
    let errorCount = log.errorCount
    await detectBranchSwitch()
    if schedule.isDue(.rescan) { await rescanAll() }
    await saveSettledFiles()
    await checkDisplacedFiles()
    if schedule.isDue(stamps.checkAt) { await writeStamps() }
    startFillingQueuedStamps()
    if schedule.isDue(.checkouts) { await retryCheckouts() }
    if schedule.isDue(schedule.sittingEndsAt) || schedule.isDue(.commit) { await commit() }
    await indexSavedFiles()
    if schedule.isDue(sync.next) { syncInBackground() }
    if log.errorCount == errorCount, schedule[.rescan] == nil { lock.record(nil, at: journal.now) }
  }

  /// Reports an error; a repeated one once an hour.
  func report(_ error: any Error) {
    let error = DiaryError(error)
    lock.record(error.message, at: journal.now)
    log.report(error)
  }
}
