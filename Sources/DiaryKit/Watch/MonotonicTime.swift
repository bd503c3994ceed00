import Glibc

/// Times in nanoseconds on the monotonic clock that also runs while the machine sleeps: a sitting
/// ends on wake-up.
enum MonotonicTime {
  static var now: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  static func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1_000_000_000) }

  /// The time in so many seconds.
  static func after(_ seconds: Double) -> Int64 { now + nanoseconds(seconds) }
}
