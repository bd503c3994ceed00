/// SHA-256 (FIPS 180-4), for holding the page's style against the digest in its policy. The
/// constants are the fractions of the roots of the first primes, as the standard defines them.
func sha256(_ message: [UInt8]) -> [UInt8] {
  let primes = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }
  func fraction(_ value: Double) -> UInt32 {
    UInt32((value - value.rounded(.down)) * 4_294_967_296)
  }
  let constants = primes.prefix(64).map { fraction(cubeRoot(Double($0))) }
  var state = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
  var bytes = message + [0x80]
  while bytes.count % 64 != 56 { bytes.append(0) }
  for shift in stride(from: 56, through: 0, by: -8) {
    bytes.append(UInt8(truncatingIfNeeded: (message.count * 8) >> shift))
  }
  func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
  for block in stride(from: 0, to: bytes.count, by: 64) {
    var words = (0..<16).map { index in
      bytes[(block + index * 4)..<(block + index * 4 + 4)].reduce(UInt32(0)) {
        $0 << 8 | UInt32($1)
      }
    }
    for index in 16..<64 {
      let (early, late) = (words[index - 15], words[index - 2])
      let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
      let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
      words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
    }
    var s = state
    for index in 0..<64 {
      let mix = turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)
      let choice = (s[4] & s[5]) ^ (~s[4] & s[6])
      let one = s[7] &+ mix &+ choice &+ constants[index] &+ words[index]
      let spread = turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)
      let two = spread &+ ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]))
      s = [one &+ two, s[0], s[1], s[2], s[3] &+ one, s[4], s[5], s[6]]
    }
    for index in 0..<8 { state[index] &+= s[index] }
  }
  return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
}

/// By Newton's steps, to the last bit that the constants need.
private func cubeRoot(_ value: Double) -> Double {
  var root = value / 2
  for _ in 0..<60 { root -= (root * root * root - value) / (3 * root * root) }
  return root
}
