import DiaryCore
import EntryFiles
import Glibc

/// The editors that may have entries open, as far as writes, swap files and lock files show.
struct OpenEditors {
  /// The swap and lock files that were seen beside one entry.
  private struct Traces {
    /// True if a file was seen that exists while the text is open (vim, nano, LibreOffice, Kate).
    var hasSwapFile = false
    /// Processes with a lock file that exists only while there are unsaved changes (Emacs).
    var lockHolders: Set<Int32> = []
    /// The time of the last event of such a file, in nanoseconds on the monotonic clock.
    var lastLockFileEvent: Int64 = 0

    var hasEvidence: Bool { hasSwapFile || !lockHolders.isEmpty }
    /// True if one of these processes is still running.
    var isAlive: Bool { lockHolders.contains { kill($0, 0) == 0 || errno == EPERM } }
  }

  private var traces: [EntryPath: Traces] = [:]
  /// The last write to each path of this sitting.
  private var lastWrites: [EntryPath: Int64] = [:]

  /// The time of the last write to a path in this sitting.
  func lastWrite(to path: EntryPath) -> Int64? { lastWrites[path] }

  mutating func recordWrite(to path: EntryPath) { lastWrites[path] = MonotonicTime.now }

  /// Records that a swap or lock file of an entry was created or removed.
  mutating func recordLockFileEvent(of path: EntryPath, in journal: Journal) {
    traces[path, default: Traces()].lastLockFileEvent = MonotonicTime.now
    look(at: path, in: journal)
  }

  /// Records the editors that have the entry open, as far as swap and lock files show.
  mutating func look(at path: EntryPath, in journal: Journal) {
    for lockFile in EditorLockFiles.lockFiles(of: path, in: journal.folder) {
      var seen = traces[path] ?? Traces()
      if case .running(let process) = lockFile.owner, lockFile.path.name.hasPrefix(".#") {
        seen.lockHolders.insert(process)
      } else {
        seen.hasSwapFile = true
      }
      traces[path] = seen
    }
  }

  mutating func forgetTraces(of path: EntryPath) { traces[path] = nil }

  mutating func move(_ path: EntryPath, to target: EntryPath) {
    if let seen = traces.removeValue(forKey: path) { traces[target] = seen }
    if let time = lastWrites.removeValue(forKey: path) { lastWrites[target] = time }
  }

  /// Forgets the writes of a sitting, and the editors whose processes have exited.
  mutating func endSitting(keeping isKept: (EntryPath) -> Bool) {
    lastWrites = lastWrites.filter { isKept($0.key) }
    traces = traces.filter { $0.value.isAlive || isKept($0.key) }
  }

  /// True if a swap or lock file was seen and removed and no process has the file open, or if a
  /// `sitting` has passed without a write. Emacs removes its lock file at every save but keeps the
  /// text open: there, the process must exit, or twelve sittings pass without a write.
  mutating func isClosed(_ path: EntryPath, in journal: Journal) -> Bool {
    if journal.hasEditorLockFile(path) {
      look(at: path, in: journal)
      return false
    }
    let isHeld = !OpenFiles.openPaths(among: [path], root: journal.root).isEmpty
    if isHeld { return false }
    let seen = traces[path] ?? Traces()
    // nano removes and recreates its lock file at every save, so the file must stay absent.
    guard MonotonicTime.now - seen.lastLockFileEvent >= MonotonicTime.nanoseconds(2) else {
      return false
    }
    let quiet = MonotonicTime.now - (lastWrites[path] ?? 0)
    let timeout = journal.editorIdleTimeout
    if seen.isAlive { return quiet >= 12 * max(timeout, MonotonicTime.nanoseconds(300)) }
    return seen.hasEvidence || quiet >= timeout
  }

  /// The time of the next check whether the editor of an entry has closed. While a lock file exists
  /// next to the entry, its removal is an event. Without one, the pause of a sitting decides, and a
  /// program that still has the file open is checked for at slow intervals.
  func nextCheck(of path: EntryPath, in journal: Journal) -> Int64? {
    guard !journal.hasEditorLockFile(path) else { return nil }
    let nextPoll = MonotonicTime.after(2)
    if traces[path]?.hasEvidence == true { return nextPoll }
    // A program that has the file open for hours is checked for less and less often.
    let now = MonotonicTime.now
    let last = lastWrites[path] ?? now
    let slow = now + min((now - last) / 8, MonotonicTime.nanoseconds(60))
    return max(last + journal.editorIdleTimeout, nextPoll, slow)
  }
}

extension Journal {
  /// The write pause, in nanoseconds, after which an editor without lock files counts as closed.
  /// `sitting: 0s` sets how often to commit, and is not used here.
  var editorIdleTimeout: Int64 {
    MonotonicTime.nanoseconds(settings.sitting > 0 ? settings.sitting : Settings().sitting)
  }
}
