/// A short hexadecimal digest of bytes: two 64-bit FNV-1a hashes. It distinguishes the items of one
/// user's journal. Nothing depends on resistance to attacks.
package func contentDigest(_ bytes: [UInt8]) -> String {
  let (first, second) = digestHalves(bytes)
  return String(first, radix: 16) + String(second, radix: 16)
}

/// The digest as 32 upper-case digits, for formats that need a 128-bit id.
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
