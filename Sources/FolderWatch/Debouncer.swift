import DiaryCore

/// Which files were written, and when each has been quiet for long enough to be kept.
///
/// Knows no clock: times are nanoseconds of any clock that the caller always uses. A clock that is
/// set back makes files wait anew, never for ever.
package struct Debouncer: Sendable {
  private struct PendingFile {
    var first: Int64
    var last: Int64
    /// Set when the caller asked to look later; a new write takes it away.
    var recheckAt: Int64?
    /// How often it was held back since the last write.
    var delayCount = 0
  }

  /// Doubling stops here: 2^16 times the shortest pause is beyond any longest one.
  private let maxDelayCount = 16
  private let settle: Int64
  private let longest: Int64
  private var pending: [EntryPath: PendingFile] = [:]
  /// How often the files that were due last had been held back, should it happen again.
  private var lastDelayCounts: [EntryPath: Int] = [:]
  /// The earliest deadline; `nil` when it must be looked for.
  private var earliest: (at: Int64, path: EntryPath)?

  /// - Parameters:
  ///   - settle: nanoseconds without a write after which a file has settled.
  ///   - longest: nanoseconds after the first write at which it is due although it is still written.
  package init(settle: Int64, longest: Int64) {
    self.settle = max(0, settle)
    self.longest = max(self.settle, longest)
  }

  /// Whether no file waits.
  package var isEmpty: Bool { pending.isEmpty }

  /// The files that wait, in order.
  package var paths: [EntryPath] { pending.keys.sorted() }

  /// Notes a write.
  package mutating func recordWrite(_ path: EntryPath, at now: Int64) {
    var file = pending[path] ?? PendingFile(first: now, last: now)
    // A file that was held back is written again at last: it begins to settle.
    file.first = file.delayCount > 0 ? now : min(file.first, now)
    file.last = now
    file.recheckAt = nil
    file.delayCount = 0
    store(file, for: path)
  }

  /// Has a file looked at again at a time, unless it is written before; for one that is empty, or
  /// was only just made.
  package mutating func recheck(_ path: EntryPath, at deadline: Int64, now: Int64) {
    var file = pending[path] ?? PendingFile(first: now, last: now)
    file.recheckAt = deadline
    store(file, for: path)
  }

  /// Holds a due file back, because a process has it open for writing or its save must wait: it is
  /// due again after `settle`, then after twice that, and so on up to `longest`.
  package mutating func postpone(_ path: EntryPath, at now: Int64) {
    var file =
      pending[path] ?? PendingFile(first: now, last: now, delayCount: lastDelayCounts[path] ?? 0)
    let pause = file.delayCount < maxDelayCount ? max(1, settle) << file.delayCount : longest
    file.delayCount = min(file.delayCount + 1, maxDelayCount)
    (file.first, file.last) = (now, now)
    file.recheckAt = now + max(1, min(longest, pause))
    store(file, for: path)
  }

  /// Forgets a file.
  package mutating func forget(_ path: EntryPath) {
    pending[path] = nil
    if earliest?.path == path { earliest = nil }
  }

  /// The files that have settled, in order; they wait no more.
  package mutating func removeSettled(at now: Int64) -> [EntryPath] {
    for (path, file) in pending where file.last > now {
      pending[path] = PendingFile(first: now, last: now, delayCount: file.delayCount)
      earliest = nil
    }
    guard let next = nextDeadline(), next <= now else { return [] }
    let due = pending.filter { deadline($0.value) <= now }
    lastDelayCounts = due.mapValues(\.delayCount)
    for path in due.keys { forget(path) }
    return due.keys.sorted()
  }

  /// When to ask again; `nil` when nothing waits.
  package mutating func nextDeadline() -> Int64? {
    if earliest == nil {
      for (path, file) in pending where deadline(file) < earliest?.at ?? .max {
        earliest = (deadline(file), path)
      }
    }
    return earliest?.at
  }

  private func deadline(_ file: PendingFile) -> Int64 {
    file.recheckAt ?? min(file.last + settle, file.first + longest)
  }

  private mutating func store(_ file: PendingFile, for path: EntryPath) {
    pending[path] = file
    let fileDeadline = deadline(file)
    if let earliest, earliest.path != path {
      if fileDeadline < earliest.at { self.earliest = (fileDeadline, path) }
    } else if pending.count == 1 {
      earliest = (fileDeadline, path)
    } else {
      earliest = nil
    }
  }
}
