/// True if the time of `body` grows in proportion to the size that it gets: `size` takes less than
/// a second, or at most eight times as long as a quarter of it. The best of three runs counts.
public func growsLinearly(to size: Int, _ body: (Int) throws -> Void) throws -> Bool {
  let clock = ContinuousClock()
  func bestTime(_ size: Int) throws -> Duration {
    var best = try clock.measure { try body(size) }
    for _ in 0..<2 { best = min(best, try clock.measure { try body(size) }) }
    return best
  }
  if try clock.measure({ try body(size) }) < .seconds(1) { return true }
  let quarter = try bestTime(size / 4)
  return try bestTime(size) <= quarter * 8
}
