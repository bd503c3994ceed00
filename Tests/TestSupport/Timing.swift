import Glibc

/// True if the time of `body` grows in proportion to the size that it gets: `size` takes less than
/// a second, or at most eight times as long as a quarter of it. If one run of each does not show it,
/// the best of three counts. It is the processor's time of this process, which other processes do
/// not lengthen.
public func growsLinearly(to size: Int, _ body: (Int) throws -> Void) throws -> Bool {
  func bestTime(_ size: Int) throws -> Int {
    var best = try time { try body(size) }
    for _ in 0..<2 { best = min(best, try time { try body(size) }) }
    return best
  }
  let first = try time { try body(size) }
  if first < 1_000_000_000 { return true }
  let quarter = try time { try body(size / 4) }
  return try first <= quarter * 8 || bestTime(size) <= bestTime(size / 4) * 8
}

/// The processor's time of this process while `body` runs, in nanoseconds.
private func time(_ body: () throws -> Void) rethrows -> Int {
  func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
  let begin = now()
  try body()
  return now() - begin
}
