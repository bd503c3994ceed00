/// Which of two versions stands where only one can: the longer one, of equal length the one that
/// sorts first. It says the same whichever is called first.
func stands(_ one: some Collection<UInt8>, before other: some Collection<UInt8>) -> Bool {
  one.count == other.count ? !other.lexicographicallyPrecedes(one) : one.count > other.count
}

/// A property of which one value stands: who changed it wins, and where both did, ``stands(_:before:)``
/// says.
func merged(
  _ base: ArraySlice<UInt8>, _ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>
) -> ArraySlice<UInt8> {
  if a == b || b == base { return a }
  if a == base { return b }
  return stands(a, before: b) ? a : b
}

/// The blanks before a word; a side in which the word begins a line says nothing about them.
func mergedGap(
  _ base: ArraySlice<UInt8>?, _ a: ArraySlice<UInt8>?, _ b: ArraySlice<UInt8>?
) -> ArraySlice<UInt8>? {
  guard let a, let b else { return a ?? b ?? base }
  guard let base else { return stands(a, before: b) ? a : b }
  return merged(base, a, b)
}

/// What stands between two lines: blanks at the end of the first, line ends with blank lines, and
/// the indentation of the second, each for itself.
func mergedBreak(
  _ base: ArraySlice<UInt8>, _ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>
) -> [UInt8] {
  if a == b || b == base { return Array(a) }
  if a == base { return Array(b) }
  let parts = [base, a, b].map(BreakParts.init)
  return Array(merged(parts[0].trail, parts[1].trail, parts[2].trail))
    + merged(parts[0].lines, parts[1].lines, parts[2].lines)
    + merged(parts[0].indent, parts[1].indent, parts[2].indent)
}

private struct BreakParts {
  let trail: ArraySlice<UInt8>
  let lines: ArraySlice<UInt8>
  let indent: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    var first = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
    let last = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? bytes.endIndex
    if first > bytes.startIndex, bytes[first - 1] == 0x0D { first -= 1 }
    trail = bytes[..<first]
    lines = bytes[first..<last]
    indent = bytes[last...]
  }
}
