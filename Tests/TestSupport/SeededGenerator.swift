import Foundation

/// A random number generator whose sequence depends only on its seed (SplitMix64; Steele, Lea and
/// Flood, 2014).
public struct SeededGenerator: RandomNumberGenerator, CustomStringConvertible, Sendable {
  /// The setting that repeats the random numbers of this run. `DIARY_SEED` can be any text.
  public static let setting: String = {
    let seed = ProcessInfo.processInfo.environment["DIARY_SEED"] ?? ""
    return "DIARY_SEED=" + (seed.isEmpty ? "0" : seed)
  }()

  /// The seed of the sequence.
  public let seed: UInt64
  /// What repeats the sequence, for the message of a failure.
  public let description: String
  private var state: UInt64

  /// Creates a generator with a seed that comes from another generator.
  public init(_ seed: UInt64) { self.init(seed, "seed \(seed)") }

  /// Creates the generator of a test, whose seed is a hash (FNV-1a) of `DIARY_SEED` and the test's
  /// name.
  ///
  /// - Parameter part: tells the generators of one test or helper function apart.
  public init(part: Any = "", function: String = #function, fileID: String = #fileID) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in "\(Self.setting) \(fileID) \(function) \(part)".utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    self.init(hash, Self.setting + ("\(part)".isEmpty ? "" : ", part \(part)"))
  }

  private init(_ seed: UInt64, _ description: String) {
    self.seed = seed
    self.description = description
    state = seed
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to `sides` - 1.
  public mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }

  /// One of the values, which must not be empty.
  public mutating func one<Value>(_ values: [Value]) -> Value { values[roll(values.count)] }
}

/// The least part of a failing script that still fails, as far as it is found in `limit`: steps are
/// removed, first many at once, then single ones.
public func shrunk<Step>(
  _ steps: [Step], within limit: Duration = .seconds(120), _ fails: ([Step]) async throws -> Bool
) async rethrows -> [Step] {
  let end = ContinuousClock.now + limit
  var least = steps
  var size = max(1, steps.count / 2)
  while true {
    var isSmaller = false
    var at = 0
    while at < least.count {
      guard .now < end else { return least }
      var tried = least
      tried.removeSubrange(at..<min(at + size, tried.count))
      if try await fails(tried) {
        least = tried
        isSmaller = true
      } else {
        at += size
      }
    }
    if size == 1, !isSmaller { return least }
    size = max(1, size / 2)
  }
}
