import DiaryCore
import EntryFiles
import FolderWatch
import GitHistory
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
  let eventQueue = EventQueue()
  var schedule = Schedule()

  /// Writes that have not settled yet.
  let settling: SettlingFiles
  var editors: OpenEditors
  var stamps: WaitingStamps
  let displaced = DisplacedFiles()
  let indexUpdates = IndexUpdates()
  var absence = Absence()
  /// The branch at the last check.
  var branch: String?
  var pathClassifier: PathClassifier
  let sync: SyncSchedule
  /// The repacking by git, in parallel with everything else.
  var repacking: Task<Void, Never>?
  /// The waiting checkouts, as paths of the repository, that only git can finish.
  var checkoutsLeftToGit: Set<EntryPath> = []

  /// The program file of this process, which an upgrade replaces.
  private let program: ProgramFile?
  /// True if an open file would keep the journal from locking itself.
  let mayRest: Bool
  /// True if it goes on after a rest.
  private let isContinued: Bool
  /// The entries whose stamps wait, as the rest before has seen them.
  private let knownFiles: [EntryPath: FileSignature]
  /// Lock, log and watch of a watcher that ended only to keep nothing open while nothing changes.
  package private(set) var rest: WatcherRest?
  /// True if it ended so that the program file that replaced its own can take over.
  package private(set) var isReplaced = false

  /// Creates a watcher for the journal; throws if another one is running. With a `program`, it ends
  /// when it is idle and that file has been replaced.
  ///
  /// - Parameter rest: the rest of the watcher that this one continues.
  package init(
    _ journal: Journal, shouldSync: Bool = false, program: ProgramFile? = nil,
    after rest: WatcherRest? = nil, on executor: (any TaskExecutor)? = nil,
    onEvent: @escaping @Sendable (WatchEvent) -> Void
  ) throws {
    self.journal = journal
    self.program = program
    mayRest = EncryptedFolder(journal.root).locksWhenIdle
    sync = SyncSchedule(isOn: shouldSync)
    isContinued = rest != nil
    knownFiles = rest?.files ?? [:]
    editors = rest?.editors ?? OpenEditors()
    log = rest?.log ?? WatcherLog(onEvent)
    self.executor = executor
    lock = try rest?.lock ?? WatcherLock(of: journal)
    settling = SettlingFiles(journal.settings)
    stamps = WaitingStamps(of: journal)
    pathClassifier = PathClassifier(journal)
  }

  /// Watches until ``stop()``; then saves what is unsaved, ends the sitting and returns. Throws if
  /// another watcher has taken over or a newer Diary has written the journal's state.
  package func run() async throws(DiaryError) {
    let watcher = FolderWatch.watcher(for: journal.root)
    let (events, eventQueue) = (watcher.events, eventQueue)
    let pump = Task(executorPreference: executor) {
      for await event in events { eventQueue.enqueue(.folder(event)) }
    }
    defer {
      pump.cancel()
      repacking?.cancel()
      watcher.stop()
      eventQueue.close()
    }
    // It is unknown which editor has these open now: the pause of a sitting decides.
    for (path, file) in waitingFiles() where knownFiles[path] != file {
      editors.recordWrite(to: path)
    }
    if (try? journal.checkouts.loadWaitingCheckouts())?.isEmpty != true {
      schedule[.checkouts] = Backoff(first: 1)
    }
    await sync.start(of: journal, isContinued: isContinued)
    setTimer()
    for await _ in eventQueue.wakeups {
      let inputs = eventQueue.drain()
      // If a newer Diary has written the state, nothing more is saved or removed.
      try journal.gitLocation.requireSupportedState(of: journal.root)
      if inputs.contains(.stop) { return await shutDown() }
      for case .folder(let event) in inputs { handle(event) }
      await runDueTasks()
      try journal.gitLocation.requireSupportedState(of: journal.root)
      if absence.lockRefusals > 1 {
        throw DiaryError(
          localized("another watcher has started on \(journal.root), so this one stops"),
          hint: localized("`diary status` shows which one is running"))
      }
      if setTimer() { continue }
      if let program, await program.hasSuccessor(ProcessRunner(environment: journal.environment)) {
        isReplaced = true
        return await shutDown()
      }
      // Released data is read again when it is needed.
      await journal.releaseCaches()
      releaseMemory()
      guard mayRest, pauseEndsAt ?? .max > MonotonicTime.after(3) else { continue }
      if await startRest() { return }
      eventQueue.wakeUp(at: MonotonicTime.after(2), on: executor)
    }
  }

  /// Ends the watcher's work if nothing is running. Returns false if there may be something to do.
  private func startRest() async -> Bool {
    guard sync.running == nil, repacking == nil else { return false }
    let files = waitingFiles()
    let rest = await WatcherRest(lock, log, editors, files, of: journal, until: pauseEndsAt)
    guard let rest, eventQueue.isEmpty else { return false }
    self.rest = rest
    return true
  }

  /// The entries whose stamps wait.
  private func waitingFiles() -> [EntryPath: FileSignature] {
    var files: [EntryPath: FileSignature] = [:]
    for path in stamps.paths { files[path] = try? journal.folder.signature(of: path) }
    return files
  }

  /// Asks the watcher to end; callable from a signal's handler queue.
  package nonisolated func stop() { eventQueue.enqueue(.stop) }

  // MARK: Time

  /// Sets one timer for the next due task, or none. Each round does or postpones everything that is
  /// due, so the timer is never set again and again for a moment in the past. Returns false if there
  /// is nothing to do before the next sync. For a watcher that may rest, the end of a pause and what is
  /// not due soon do not count: after a rest, all of it is looked at again.
  @discardableResult
  private func setTimer() -> Bool {
    stamps.scheduleCheck(editors, in: journal)
    let reopening = schedule[.reopen]?.at
    let tasks = [schedule.nextAttempt, settling.nextDeadline, displaced.nextCheck]
    let next = reopening ?? tasks.compactMap(\.self).min()
    // The next sync may be minutes away, so memory is released before it.
    let later = reopening == nil ? [pauseEndsAt, sync.next] : []
    eventQueue.wakeUp(at: ([next] + later).compactMap(\.self).min(), on: executor)
    guard mayRest, reopening == nil else { return next != nil || pauseEndsAt != nil }
    return next ?? .max < MonotonicTime.after(30) || sync.isAwaited
  }

  /// The time at which a pause of the writer has lasted: the sitting ends, or an editor counts as
  /// closed.
  private var pauseEndsAt: Int64? {
    [schedule.sittingEndsAt, stamps.checkAt].compactMap(\.self).min()
  }

  /// Starts a task that runs in parallel with the watcher's rounds. It causes one at its end, unless
  /// it leaves nothing to do: a round without an error ends the error that `status` shows.
  @discardableResult
  func spawn(
    wakesUp: Bool = true, _ work: @escaping @Sendable (isolated Autosave) async -> Void
  ) -> Task<Void, Never> {
    Task(executorPreference: executor) {
      await work(self)
      if wakesUp { self.eventQueue.enqueue(.wakeUp) }
    }
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
        settling.recordStart()
        lock.polling =
          switch method {
          case .inotify: nil
          case .polling(let seconds, let why): localized("checking every \(Int(seconds)) s: \(why)")
          }
        if !isContinued { log.emit(.started(root: journal.root, polling: lock.polling)) }
      }
      handle(reason)
    case .failed(let reason):
      report(DiaryError(localized("watching \(journal.root) failed: \(reason)")))
      schedule[.rescan] = Backoff(first: 0)
    }
  }

  /// Reports a new conflict copy.
  private func reportConflictCopy(_ path: EntryPath) {
    guard let copy = ConflictCopy(path), pathClassifier.kind(of: copy.original) != .never,
      journal.folder.hasFile(path)
    else { return }
    log.report([copy])
  }

  /// Records a write, which the watcher saves when the file has settled.
  func recordWrite(to path: EntryPath) {
    settling.recordWrite(to: path)
    editors.recordWrite(to: path)
    stamps.unblock(path)
  }

  /// Handles a rescan request. A root that was removed or replaced is reopened before anything is
  /// read: the journal has the old folder open, in which nothing will ever be written again.
  private func handle(_ reason: RescanReason) {
    switch reason {
    case .rootVanished:
      schedule[.reopen] = Backoff(first: 600)
      let error = DiaryError(
        localized("\(journal.root) no longer exists"),
        hint: localized(
          "nothing is recorded as deleted; the watcher continues when the folder is back"))
      absence.report(error, to: log)
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
    handle(await displaced.check(in: journal))
    if schedule.isDue(stamps.checkAt) { await writeStamps() }
    if schedule.isDue(.queuedStamps) { fillQueuedStampsInBackground() }
    if schedule.isDue(.checkouts) { await retryCheckouts() }
    if schedule.isDue(schedule.sittingEndsAt) || schedule.isDue(.commit) { await commit() }
    await reportingErrors { try await indexUpdates.updateSavedFiles(in: journal) }
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
