/// Numbers that the seed makes again everywhere (SplitMix64; Steele, Lea and Flood, 2014). A failing
/// test tells the seed.
public struct Seeded: RandomNumberGenerator, Sendable {
  /// What the sequence began with.
  public let seed: UInt64
  private var state: UInt64

  /// A sequence that begins with the seed; without one, with any.
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
