/// A random number generator whose sequence depends only on its seed (SplitMix64; Steele, Lea and
/// Flood, 2014). A failing test reports the seed.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// The seed of the sequence.
  public let seed: UInt64
  private var state: UInt64

  /// Creates a generator with the given seed, or with a random one.
  public init(_ seed: UInt64 = .random(in: 0 ... .max)) {
    self.seed = seed
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
}
