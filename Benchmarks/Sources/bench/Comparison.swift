import Glibc

/// An operation of Diary's beside a tool that people know, timed in turn.
struct Comparison {
  /// What is done.
  let name: String
  /// What it is compared with, for the reader.
  let tool: String
  /// The most that the ratio may be, by the number of entries; a size that is not here has none.
  var limits: [Int: Double] = [:]
  /// The most milliseconds that ours may take more; in place of a ratio.
  var most: Double?
  /// How often each is run; fewer for what takes long.
  var rounds = 9
  /// Done once before all runs.
  var first: (() -> Void)?
  /// One timed run of Diary's side, and one of the other.
  let ours: () -> Run
  let theirs: () -> Run

  /// Runs both in turn, once more than is counted: the first warms the caches.
  func measure(rounds: Int) -> Outcome {
    first?()
    var (left, right): ([Run], [Run]) = ([], [])
    for round in 0...min(rounds, self.rounds) {
      let (one, other) = (ours(), theirs())
      if round == 0 { continue }
      left.append(one)
      right.append(other)
    }
    return Outcome(ours: Times(left), theirs: Times(right))
  }
}

extension Comparison {
  /// Two commands; `before` prepares each run and is not timed.
  init(
    _ name: String, _ ours: Command, beside theirs: Command, _ tool: String,
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

/// The figures of one side.
struct Times: Encodable {
  /// Milliseconds of wall time.
  let median: Double
  let least: Double
  let most: Double
  /// Milliseconds of processor time, the median.
  let processor: Double
  let peakKilobytes: Int

  init(_ runs: [Run]) {
    let times = runs.map(\.milliseconds).sorted()
    median = times[times.count / 2]
    least = times[0]
    most = times[times.count - 1]
    processor = runs.map(\.processor).sorted()[runs.count / 2]
    peakKilobytes = runs.map(\.peakKilobytes).max() ?? 0
  }
}

/// Both sides of a comparison.
struct Outcome {
  let ours: Times
  let theirs: Times

  /// Of the medians.
  var ratio: Double { ours.median / theirs.median }
}
