import DiaryCore

/// The written files, and the time at which each has been quiet for long enough to be saved.
///
/// It reads no clock: times are nanoseconds of any clock that the caller always uses. If that clock
/// is set back, files are delayed once more, but never forever.
package struct Debouncer: Sendable {
  private struct UnsettledFile {
    var first: Int64
    var last: Int64
    /// The time of a check that the caller has requested; a new write clears it.
    var recheckAt: Int64?
    /// The number of delays since the last write.
    var delayCount = 0
  }

  /// Doubling stops here: 2^16 times the shortest pause is beyond any longest one.
  private let maxDelayCount = 16
  private let settle: Int64
  private let longest: Int64
  private var unsettled: [EntryPath: UnsettledFile] = [:]
  /// The numbers of delays of the files that were due last, in case they are delayed again.
  private var lastDelayCounts: [EntryPath: Int] = [:]
  /// The earliest deadline, or `nil` if it must be computed.
  private var earliest: (at: Int64, path: EntryPath)?

  /// - Parameters:
  ///   - settle: nanoseconds without a write after which a file has settled.
  ///   - longest: nanoseconds after the first write at which it is due even if it is still written.
  package init(settle: Int64, longest: Int64) {
    self.settle = max(0, settle)
    self.longest = max(self.settle, longest)
  }

  /// True if no file is unsettled.
  package var isEmpty: Bool { unsettled.isEmpty }

  /// The unsettled files, sorted by path.
  package var paths: [EntryPath] { unsettled.keys.sorted() }

  /// Records a write.
  package mutating func recordWrite(_ path: EntryPath, at now: Int64) {
    var file = unsettled[path] ?? UnsettledFile(first: now, last: now)
    // A delayed file is written again at last: it starts to settle.
    file.first = file.delayCount > 0 ? now : min(file.first, now)
    file.last = now
    file.recheckAt = nil
    file.delayCount = 0
    store(file, for: path)
  }

  /// Schedules a check of a file at a time, unless it is written before; for a file that is empty
  /// or was just created.
  package mutating func recheck(_ path: EntryPath, at deadline: Int64, now: Int64) {
    var file = unsettled[path] ?? UnsettledFile(first: now, last: now)
    file.recheckAt = deadline
    store(file, for: path)
  }

  /// Delays a due file, because a process has it open for writing or its save is deferred. It is
  /// due again after `settle`, then after twice that, and so on up to `longest`.
  package mutating func postpone(_ path: EntryPath, at now: Int64) {
    var file =
      unsettled[path]
      ?? UnsettledFile(first: now, last: now, delayCount: lastDelayCounts[path] ?? 0)
    let pause = file.delayCount < maxDelayCount ? max(1, settle) << file.delayCount : longest
    file.delayCount = min(file.delayCount + 1, maxDelayCount)
    (file.first, file.last) = (now, now)
    file.recheckAt = now + max(1, min(longest, pause))
    store(file, for: path)
  }

  /// Removes a file.
  package mutating func forget(_ path: EntryPath) {
    unsettled[path] = nil
    if earliest?.path == path { earliest = nil }
  }

  /// Removes and returns the files that have settled, sorted by path.
  package mutating func removeSettled(at now: Int64) -> [EntryPath] {
    for (path, file) in unsettled where file.last > now {
      unsettled[path] = UnsettledFile(first: now, last: now, delayCount: file.delayCount)
      earliest = nil
    }
    guard let next = nextDeadline(), next <= now else { return [] }
    let due = unsettled.filter { deadline($0.value) <= now }
    lastDelayCounts = due.mapValues(\.delayCount)
    for path in due.keys { forget(path) }
    return due.keys.sorted()
  }

  /// Returns the time of the next check, or `nil` if no file is unsettled.
  package mutating func nextDeadline() -> Int64? {
    if earliest == nil {
      for (path, file) in unsettled where deadline(file) < earliest?.at ?? .max {
        earliest = (deadline(file), path)
      }
    }
    return earliest?.at
  }

  private func deadline(_ file: UnsettledFile) -> Int64 {
    file.recheckAt ?? min(file.last + settle, file.first + longest)
  }

  private mutating func store(_ file: UnsettledFile, for path: EntryPath) {
    unsettled[path] = file
    let fileDeadline = deadline(file)
    if let earliest, earliest.path != path {
      if fileDeadline < earliest.at { self.earliest = (fileDeadline, path) }
    } else if unsettled.count == 1 {
      earliest = (fileDeadline, path)
    } else {
      earliest = nil
    }
  }
}
