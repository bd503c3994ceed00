/// The next attempts of the watcher's tasks, in nanoseconds on the monotonic clock.
struct Schedule {
  enum Work {
    /// Opening the journal again, while its folder or repository is absent. Nothing else is done.
    case reopen
    /// Scanning the whole folder.
    case rescan
    /// A commit that was deferred.
    case commit
    /// Waiting checkouts, whose files are open in editors.
    case checkouts
    /// Stamps that failed without a network.
    case queuedStamps
  }

  private var attempts: [Work: Backoff] = [:]
  /// The work that runs in parallel with the watcher's rounds, and is not started again.
  var running: Set<Work> = []
  /// The end of the sitting; `nil` outside a sitting.
  var sittingEndsAt: Int64?

  subscript(work: Work) -> Backoff? {
    get { attempts[work] }
    set { attempts[work] = newValue }
  }

  /// The time of the next attempt.
  var nextAttempt: Int64? {
    attempts.filter { !running.contains($0.key) }.values.map(\.at).min()
  }

  /// Schedules another attempt after a growing pause, which begins with so many seconds.
  mutating func retry(_ work: Work, first: Double) {
    attempts[work] = attempts[work]?.next() ?? Backoff(first: first)
  }

  func isDue(_ work: Work) -> Bool { !running.contains(work) && isDue(attempts[work]?.at) }

  func isDue(_ moment: Int64?) -> Bool { moment.map { $0 <= MonotonicTime.now } ?? false }
}
