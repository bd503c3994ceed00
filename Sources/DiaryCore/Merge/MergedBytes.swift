/// Which of two versions stands where only one can: the longer one, of equal length the one that
/// sorts first. It says the same whichever is called first.
func isPreferred(_ one: some Collection<UInt8>, over other: some Collection<UInt8>) -> Bool {
  one.count == other.count ? !other.lexicographicallyPrecedes(one) : one.count > other.count
}

/// A property of which one value stands: who changed it wins, and where both did, ``stands(_:before:)``
/// says.
func mergedValue(
  _ base: ArraySlice<UInt8>, _ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>
) -> ArraySlice<UInt8> {
  if a == b || b == base { return a }
  if a == base { return b }
  return isPreferred(a, over: b) ? a : b
}
