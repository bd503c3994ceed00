/// The three texts of a merge after the merge of their file properties: without byte order mark,
/// and with the line ends of the result.
struct NormalizedTexts {
  private(set) var base: [UInt8]?
  private(set) var a: [UInt8]
  private(set) var b: [UInt8]
  /// The byte order mark of the result, which may be empty.
  let byteOrderMark: [UInt8]
  /// The line end of lines that the merge adds.
  let newline: [UInt8]

  init(base: [UInt8]?, _ a: [UInt8], _ b: [UInt8]) {
    let texts = [base.map { BOMStrippedText(base: $0) }, BOMStrippedText(a), BOMStrippedText(b)]
    byteOrderMark = Array(
      mergedValue(
        texts[0]?.byteOrderMark ?? [], texts[1]?.byteOrderMark ?? [], texts[2]?.byteOrderMark ?? [])
    )
    (self.base, self.a, self.b) = (texts[0]?.bytes, texts[1]?.bytes ?? a, texts[2]?.bytes ?? b)
    let ends = texts.map { $0.map { LineEnds($0.bytes) } ?? .none }
    let chosen = LineEnds.merged(ends[0], ends[1], ends[2])
    newline = chosen == .crlf ? [0x0D, 0x0A] : [0x0A]
    guard !ends.contains(.mixed) else { return }
    self.base = self.base.map { chosen.normalizedBytes(of: $0) }
    self.a = chosen.normalizedBytes(of: self.a)
    self.b = chosen.normalizedBytes(of: self.b)
  }
}

/// A text without its byte order mark.
private struct BOMStrippedText {
  let byteOrderMark: ArraySlice<UInt8>
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    var start = 0
    while bytes[start...].starts(with: [0xEF, 0xBB, 0xBF]) { start += 3 }
    byteOrderMark = bytes[..<start]
    self.bytes = start == 0 ? bytes : Array(bytes[start...])
  }

  /// Decodes a base that is damaged or in another encoding as well as possible.
  init(base: [UInt8]) {
    if EntryMerge.canMerge(base) {
      self.init(base)
    } else {
      let text = String(decoding: DecodedText(base).utf8, as: UTF8.self)
      self.init(text.utf8.filter { $0 != 0 })
    }
  }
}

/// The kind of line ends of a text.
private enum LineEnds {
  /// The text has only one line.
  case none
  case lf
  case crlf
  case mixed

  init(_ bytes: [UInt8]) {
    var (single, double) = (false, false)
    var last: UInt8 = 0
    for byte in bytes {
      if byte == 0x0A {
        if last == 0x0D { double = true } else { single = true }
      }
      last = byte
    }
    self = single && double ? .mixed : single ? .lf : double ? .crlf : .none
  }

  /// Returns the line ends of the side that changed them, or LF if both sides did.
  static func merged(_ base: LineEnds, _ a: LineEnds, _ b: LineEnds) -> LineEnds {
    if a == b || b == .none { return a }
    if a == .none { return b }
    if base == a { return b }
    return base == b ? a : .lf
  }

  func normalizedBytes(of bytes: [UInt8]) -> [UInt8] {
    let current = LineEnds(bytes)
    guard current != self, current != .none, self != .none else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 16)
    for byte in bytes {
      if byte == 0x0A {
        if self == .crlf { result.append(0x0D) } else { result.removeLast() }
      }
      result.append(byte)
    }
    return result
  }
}
