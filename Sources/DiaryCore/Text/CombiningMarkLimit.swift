/// The maximum number of marks on one letter: Unicode's own limit for text in a stream (UAX #15,
/// 13).
private let maxMarks = 30

/// Returns UTF-8 without the marks that follow ``maxMarks`` others, or `nil` if there are none.
/// Comparing, hashing and composing such a sequence takes time that grows with the square of its
/// length: one megabyte would keep every command busy for minutes.
func bytesWithLimitedMarks(_ bytes: [UInt8]) -> [UInt8]? {
  guard let first = firstExcessiveMark(bytes, from: 0) else { return nil }
  var limited: [UInt8] = []
  limited.reserveCapacity(bytes.count)
  var at = 0
  var next: Int? = first
  while let excess = next {
    limited += bytes[at..<excess]
    at = excess
    while let length = markLength(bytes, at) { at += length }
    next = firstExcessiveMark(bytes, from: at)
  }
  return limited + bytes[at...]
}

/// True if a letter has more marks than any script uses.
func hasExcessiveMarks(_ bytes: [UInt8]) -> Bool { firstExcessiveMark(bytes, from: 0) != nil }

/// The offset of the first mark above the limit.
func firstExcessiveMark(_ bytes: [UInt8], from start: Int) -> Int? {
  var (at, marks) = (start, 0)
  while at < bytes.count {
    if bytes[at] < 0xCC {
      marks = 0
      at += 1
      continue
    }
    if let length = markLength(bytes, at) {
      if marks == maxMarks { return at }
      marks += 1
      at += length
    } else {
      marks = 0
      at += 1
    }
  }
  return nil
}

/// The length of a mark that Unicode may reorder; `nil` for everything else.
@inline(__always)
private func markLength(_ bytes: [UInt8], _ at: Int) -> Int? {
  // There are no such marks below U+0300 and from U+4000 to U+9FFF.
  guard at < bytes.count, bytes[at] >= 0xCC, !(0xE4...0xE9).contains(bytes[at]) else { return nil }
  return markLengthFromProperties(bytes, at)
}

private func markLengthFromProperties(_ bytes: [UInt8], _ at: Int) -> Int? {
  guard let (scalar, length) = scalarAt(bytes, at, bytes.count),
    !(0xAC00...0xD7A3).contains(scalar.value),
    scalar.properties.canonicalCombiningClass != .notReordered
  else { return nil }
  return length
}
