import Glibc

/// The encoding of a file's text.
package enum TextEncoding: Sendable, Hashable {
  case utf8
  case utf16LE
  case utf16BE
  case latin1
}

/// A file's bytes, converted to UTF-8 from their detected encoding.
struct DecodedText {
  var encoding: TextEncoding
  /// The UTF-8 to scan. Identical to the file's bytes if the file is UTF-8.
  var utf8: [UInt8]
  /// The length of a UTF-8 byte order mark at the start of `utf8`.
  var bomLength = 0
  /// True if there are undecodable bytes, NUL, or more marks on one letter than any script uses.
  var isDamaged = false

  init(_ bytes: [UInt8]) {
    self.init(recognising: bytes)
    guard let limited = bytesWithLimitedMarks(utf8) else { return }
    utf8 = limited
    isDamaged = true
  }

  private init(recognising bytes: [UInt8]) {
    if let order = DecodedText.utf16Order(bytes) {
      encoding = order
      utf8 = DecodedText.transcoded(utf16: bytes, order)
      isDamaged = utf8.contains(0)
      return
    }
    encoding = .utf8
    utf8 = bytes
    bomLength = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    if isUTF8(bytes) {
      isDamaged = containsByte(0, in: bytes[...])
    } else if DecodedText.isMostlyUTF8(bytes) {
      isDamaged = true
    } else {
      encoding = .latin1
      bomLength = 0
      utf8 = Array(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8)
    }
  }

  /// Detects UTF-16 by its byte order mark, or by a zero in every other byte of mostly Latin text.
  private static func utf16Order(_ bytes: [UInt8]) -> TextEncoding? {
    if bytes.starts(with: [0xFF, 0xFE]) { return .utf16LE }
    if bytes.starts(with: [0xFE, 0xFF]) { return .utf16BE }
    guard bytes.count >= 4, bytes.count % 2 == 0, containsByte(0, in: bytes[...]) else {
      return nil
    }
    var zeros = [0, 0]
    for index in bytes.indices where bytes[index] == 0 { zeros[index % 2] += 1 }
    let enough = bytes.count / 4
    if zeros[0] == 0, zeros[1] >= enough { return .utf16LE }
    if zeros[1] == 0, zeros[0] >= enough { return .utf16BE }
    return nil
  }

  private static func transcoded(utf16 bytes: [UInt8], _ order: TextEncoding) -> [UInt8] {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(order == .utf16LE ? second << 8 | first : first << 8 | second)
    }
    if units.first == 0xFEFF { units.removeFirst() }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  /// Damaged UTF-8 has more valid multibyte sequences than invalid ones. Latin-1 has nearly none,
  /// because a valid sequence needs two unusual letters in a row.
  private static func isMostlyUTF8(_ bytes: [UInt8]) -> Bool {
    var (good, bad) = (0, 0)
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars where scalar.value > 0x7F {
      if scalar == "\u{FFFD}" { bad += 1 } else { good += 1 }
    }
    return good > bad
  }
}

private func isUTF8(_ bytes: [UInt8]) -> Bool {
  do {
    _ = try UTF8Span(validating: bytes.span)
    return true
  } catch { return false }
}

/// True if the slice contains the byte. It uses `memchr`, because it runs over every entry's bytes.
func containsByte(_ byte: UInt8, in bytes: ArraySlice<UInt8>) -> Bool {
  bytes.withUnsafeBytes { bytes in
    bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
  }
}
