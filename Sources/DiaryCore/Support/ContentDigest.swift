/// A short name for bytes, in hexadecimal: two FNV-1a hashes of 64 bits. It tells the items of one person's
/// diary apart; nothing depends on its resisting an attacker.
package func contentDigest(_ bytes: [UInt8]) -> String {
  let (first, second) = digestHalves(bytes)
  return String(first, radix: 16) + String(second, radix: 16)
}

/// The same digest as 32 digits in capitals, for formats that want an id of 128 bits.
package func contentID(_ bytes: [UInt8]) -> String {
  let (first, second) = digestHalves(bytes)
  return [first, second].map { half in
    let digits = String(half, radix: 16, uppercase: true)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }.joined()
}

private func digestHalves(_ bytes: [UInt8]) -> (UInt64, UInt64) {
  var first: UInt64 = 0xcbf2_9ce4_8422_2325
  var second: UInt64 = 0x6c62_272e_07bb_0142
  for byte in bytes {
    first = (first ^ UInt64(byte)) &* 0x100_0000_01b3
    second = (second ^ UInt64(byte)) &* 0x9e37_79b9_7f4a_7c15
    second ^= second >> 29
  }
  return (first, second)
}
