/// True if `one` wins where only one version can stay: the longer one, or of equal length the one
/// that sorts first. Exchanging the arguments does not change the winner.
func isPreferred(_ one: some Collection<UInt8>, over other: some Collection<UInt8>) -> Bool {
  one.count == other.count ? !other.lexicographicallyPrecedes(one) : one.count > other.count
}

/// Merges a property that has a single value: the side that changed it wins. If both sides did,
/// ``isPreferred(_:over:)`` decides.
func mergedValue(
  _ base: ArraySlice<UInt8>, _ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>
) -> ArraySlice<UInt8> {
  if a == b || b == base { return a }
  if a == base { return b }
  return isPreferred(a, over: b) ? a : b
}
