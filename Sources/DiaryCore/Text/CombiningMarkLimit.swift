/// The most marks on one letter that count as text: Unicode's own bound for text that comes in a
/// stream (UAX #15, 13).
private let mostMarks = 30

/// UTF-8 without the marks that follow ``mostMarks`` others; `nil` when there are none. Comparing,
/// hashing and composing such a heap takes a time that grows with the square of its height: one
/// megabyte of it would keep every command busy for minutes.
func limitingMarks(_ bytes: [UInt8]) -> [UInt8]? {
  guard let first = firstHeap(bytes, from: 0) else { return nil }
  var lighter: [UInt8] = []
  lighter.reserveCapacity(bytes.count)
  var at = 0
  var next: Int? = first
  while let heap = next {
    lighter += bytes[at..<heap]
    at = heap
    while let length = markLength(bytes, at) { at += length }
    next = firstHeap(bytes, from: at)
  }
  return lighter + bytes[at...]
}

/// Whether some letter bears more marks than any script has.
func hasExcessiveMarks(_ bytes: [UInt8]) -> Bool { firstHeap(bytes, from: 0) != nil }

/// Where the first mark stands that is one too many.
func firstHeap(_ bytes: [UInt8], from start: Int) -> Int? {
  var (at, marks) = (start, 0)
  while at < bytes.count {
    if bytes[at] < 0xCC {
      marks = 0
      at += 1
      continue
    }
    if let length = markLength(bytes, at) {
      if marks == mostMarks { return at }
      marks += 1
      at += length
    } else {
      marks = 0
      at += 1
    }
  }
  return nil
}

/// The length of a mark that Unicode may put in another order; `nil` for all else.
@inline(__always)
private func markLength(_ bytes: [UInt8], _ at: Int) -> Int? {
  // Below U+0300, and from U+4000 to U+9FFF, there are none.
  guard at < bytes.count, bytes[at] >= 0xCC, !(0xE4...0xE9).contains(bytes[at]) else { return nil }
  return laterMarkLength(bytes, at)
}

private func laterMarkLength(_ bytes: [UInt8], _ at: Int) -> Int? {
  guard let (scalar, length) = scalarAt(bytes, at, bytes.count),
    !(0xAC00...0xD7A3).contains(scalar.value),
    scalar.properties.canonicalCombiningClass != .notReordered
  else { return nil }
  return length
}
