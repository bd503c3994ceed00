import DiaryCore

/// Which files were written, and when each has been quiet for long enough to be kept.
///
/// Knows no clock: times are nanoseconds of any clock that the caller always uses. A clock that is
/// set back makes files wait anew, never for ever.
package struct Debouncer: Sendable {
  private struct Waiting {
    var first: Int64
    var last: Int64
    /// Set when the caller asked to look later; a new write takes it away.
    var lookAgain: Int64?
    /// How often it was held back since the last write.
    var holds = 0
  }

  /// Doubling stops here: 2^16 times the shortest pause is beyond any longest one.
  private let maximumHolds = 16
  private let settle: Int64
  private let longest: Int64
  private var waiting: [EntryPath: Waiting] = [:]
  /// How often the files that were due last had been held back, should it happen again.
  private var taken: [EntryPath: Int] = [:]
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
  package var isEmpty: Bool { waiting.isEmpty }

  /// The files that wait, in order.
  package var paths: [EntryPath] { waiting.keys.sorted() }

  /// Notes a write.
  package mutating func touched(_ path: EntryPath, at now: Int64) {
    var file = waiting[path] ?? Waiting(first: now, last: now)
    // A file that was held back is written again at last: it begins to settle.
    file.first = file.holds > 0 ? now : min(file.first, now)
    file.last = now
    file.lookAgain = nil
    file.holds = 0
    put(file, for: path)
  }

  /// Has a file looked at again at a time, unless it is written before; for one that is empty, or
  /// was only just made.
  package mutating func lookAgain(_ path: EntryPath, at deadline: Int64, now: Int64) {
    var file = waiting[path] ?? Waiting(first: now, last: now)
    file.lookAgain = deadline
    put(file, for: path)
  }

  /// Holds a due file back, because a process has it open for writing or its save must wait: it is
  /// due again after `settle`, then after twice that, and so on up to `longest`.
  package mutating func hold(_ path: EntryPath, at now: Int64) {
    var file = waiting[path] ?? Waiting(first: now, last: now, holds: taken[path] ?? 0)
    let pause = file.holds < maximumHolds ? max(1, settle) << file.holds : longest
    file.holds = min(file.holds + 1, maximumHolds)
    (file.first, file.last) = (now, now)
    file.lookAgain = now + max(1, min(longest, pause))
    put(file, for: path)
  }

  /// Forgets a file.
  package mutating func forget(_ path: EntryPath) {
    waiting[path] = nil
    if earliest?.path == path { earliest = nil }
  }

  /// The files that have settled, in order; they wait no more.
  package mutating func due(at now: Int64) -> [EntryPath] {
    for (path, file) in waiting where file.last > now {
      waiting[path] = Waiting(first: now, last: now, holds: file.holds)
      earliest = nil
    }
    guard let next = nextDeadline(), next <= now else { return [] }
    let due = waiting.filter { deadline($0.value) <= now }
    taken = due.mapValues(\.holds)
    for path in due.keys { forget(path) }
    return due.keys.sorted()
  }

  /// When to ask again; `nil` when nothing waits.
  package mutating func nextDeadline() -> Int64? {
    if earliest == nil {
      for (path, file) in waiting where deadline(file) < earliest?.at ?? .max {
        earliest = (deadline(file), path)
      }
    }
    return earliest?.at
  }

  private func deadline(_ file: Waiting) -> Int64 {
    file.lookAgain ?? min(file.last + settle, file.first + longest)
  }

  private mutating func put(_ file: Waiting, for path: EntryPath) {
    waiting[path] = file
    let mine = deadline(file)
    if let earliest, earliest.path != path {
      if mine < earliest.at { self.earliest = (mine, path) }
    } else if waiting.count == 1 {
      earliest = (mine, path)
    } else {
      earliest = nil
    }
  }
}
