/// SHA-1 (FIPS 180-4, 6.1), the checksum of git's index. It detects damage and protects no secret;
/// libgit2 computes it only for whole objects.
enum SHA1 {
  /// The length of a checksum in bytes.
  static let length = 20

  static func sum(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var state = State()
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { words in
      let whole = bytes.count / 64 * 64
      var offset = 0
      while offset < whole {
        state.add(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + 64]), words)
        offset += 64
      }
      var rest = Array(bytes[whole...]) + [0x80]
      while rest.count % 64 != 56 { rest.append(0) }
      withUnsafeBytes(of: (UInt64(bytes.count) * 8).bigEndian) { rest += $0 }
      rest.withUnsafeBytes { rest in
        for offset in stride(from: 0, to: rest.count, by: 64) {
          state.add(UnsafeRawBufferPointer(rebasing: rest[offset..<offset + 64]), words)
        }
      }
    }
    return state.sum
  }

  private struct State {
    private var a: UInt32 = 0x6745_2301
    private var b: UInt32 = 0xEFCD_AB89
    private var c: UInt32 = 0x98BA_DCFE
    private var d: UInt32 = 0x1032_5476
    private var e: UInt32 = 0xC3D2_E1F0

    var sum: [UInt8] {
      [a, b, c, d, e].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    mutating func add(
      _ block: UnsafeRawBufferPointer, _ words: UnsafeMutableBufferPointer<UInt32>
    ) {
      for t in 0..<16 {
        words[t] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: t * 4, as: UInt32.self))
      }
      for t in 16..<80 {
        words[t] = rotated(words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16], by: 1)
      }
      let before = self
      turn(words[0..<20], 0x5A82_7999) { $2 ^ ($0 & ($1 ^ $2)) }
      turn(words[20..<40], 0x6ED9_EBA1) { $0 ^ $1 ^ $2 }
      turn(words[40..<60], 0x8F1B_BCDC) { ($0 & $1) | ($2 & ($0 | $1)) }
      turn(words[60..<80], 0xCA62_C1D6) { $0 ^ $1 ^ $2 }
      a &+= before.a
      b &+= before.b
      c &+= before.c
      d &+= before.d
      e &+= before.e
    }

    /// Runs twenty steps, five at a time: after five, each variable has its own name again.
    @inline(__always)
    private mutating func turn(
      _ words: Slice<UnsafeMutableBufferPointer<UInt32>>, _ constant: UInt32,
      _ mix: (UInt32, UInt32, UInt32) -> UInt32
    ) {
      var t = words.startIndex
      while t < words.endIndex {
        e &+= rotated(a, by: 5) &+ mix(b, c, d) &+ constant &+ words.base[t]
        b = rotated(b, by: 30)
        d &+= rotated(e, by: 5) &+ mix(a, b, c) &+ constant &+ words.base[t + 1]
        a = rotated(a, by: 30)
        c &+= rotated(d, by: 5) &+ mix(e, a, b) &+ constant &+ words.base[t + 2]
        e = rotated(e, by: 30)
        b &+= rotated(c, by: 5) &+ mix(d, e, a) &+ constant &+ words.base[t + 3]
        d = rotated(d, by: 30)
        a &+= rotated(b, by: 5) &+ mix(c, d, e) &+ constant &+ words.base[t + 4]
        c = rotated(c, by: 30)
        t += 5
      }
    }

    @inline(__always)
    private func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
      word &<< count | word &>> (32 - count)
    }
  }
}
