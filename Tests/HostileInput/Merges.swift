import DiaryCore

/// Checks three parts: a base and two versions of it.
func mergeComplaint(_ input: [UInt8]) -> String? {
  let input = parts(input, 3)
  let (base, a, b) = (input[0], input[1], input[2])
  for base in [base, nil] {
    let merge = EntryMerge(base: base, a, b)
    if merge != EntryMerge(base: base, b, a) { return "not symmetric" }
    if EntryMerge.canMerge(a), EntryMerge.canMerge(b) {
      if !EntryMerge.canMerge(merge.bytes) { return "the result is no text" }
    } else if ![a, b].contains(merge.bytes) {
      return "what cannot be merged was"
    }
    if EntryMerge(base: base, a, a).bytes != a { return "not itself" }
  }
  if EntryMerge(base: a, a, b).bytes != b { return "not the only change" }
  let merge = EntryMerge(base: base, a, b)
  if EntryMerge.canMerge(merge.bytes) {
    for side in [a, b] where EntryMerge(base: side, merge.bytes, side) != merge.trivialMerge {
      return "not stable"
    }
  }
  if isOldBuffer(seen: base, incoming: a, saved: a) { return "what was brought is old" }
  _ = isOldBuffer(seen: base, incoming: a, saved: b)
  return nil
}

extension EntryMerge {
  /// The text as the result of a merge without other changes.
  fileprivate var trivialMerge: EntryMerge { EntryMerge(base: [], bytes, bytes) }
}
