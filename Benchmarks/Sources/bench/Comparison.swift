import Glibc

/// An operation of Diary and one of a well-known tool, timed in turn.
struct Comparison {
  let name: String
  /// The name of the other tool.
  let tool: String
  /// The maximum ratio by number of entries. A size that is not listed has no limit.
  var limits: [Int: Double] = [:]
  /// The maximum difference in milliseconds, in place of a ratio.
  var most: Double?
  /// The number of runs of each side; fewer for slow operations.
  var rounds = 9
  /// Set-up done once before all runs.
  var first: (() -> Void)?
  /// One timed run of Diary, and one of the other tool.
  let ours: () -> RunResult
  let theirs: () -> RunResult

  /// Runs both in turn. An uncounted first round warms the caches.
  func measure(rounds: Int) -> Outcome {
    first?()
    var (left, right): ([RunResult], [RunResult]) = ([], [])
    for round in 0...min(rounds, self.rounds) {
      let (one, other) = (ours(), theirs())
      if round == 0 { continue }
      left.append(one)
      right.append(other)
    }
    return Outcome(ours: Timings(left), theirs: Timings(right))
  }
}

extension Comparison {
  /// A comparison of two commands; `before` prepares each run and is not timed.
  init(
    _ name: String, _ ours: Command, against theirs: Command, _ tool: String,
    limits: [Int: Double] = [:], rounds: Int = 9, before: (() -> Void)? = nil
  ) {
    self.init(
      name: name, tool: tool, limits: limits, rounds: rounds,
      ours: {
        before?()
        return ours.run()
      },
      theirs: {
        before?()
        return theirs.run()
      })
  }
}

/// The statistics of one side.
struct Timings: Encodable {
  /// The wall time in milliseconds.
  let median: Double
  let least: Double
  let most: Double
  /// The median processor time in milliseconds.
  let processor: Double
  let peakKilobytes: Int

  init(_ runs: [RunResult]) {
    let times = runs.map(\.milliseconds).sorted()
    median = times[times.count / 2]
    least = times[0]
    most = times[times.count - 1]
    processor = runs.map(\.processor).sorted()[runs.count / 2]
    peakKilobytes = runs.map(\.peakKilobytes).max() ?? 0
  }
}

/// The results of both sides of a comparison.
struct Outcome {
  let ours: Timings
  let theirs: Timings

  /// The ratio of the medians.
  var ratio: Double { ours.median / theirs.median }
}
