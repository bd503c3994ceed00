/// The sequence that two lists have in common, as pairs of positions in order. It is the longest
/// one for short lists; for long ones, the time is limited in proportion to their length.
func alignedPairs(_ first: [Int], _ second: [Int]) -> [(first: Int, second: Int)] {
  if first == second { return Array(zip(first.indices, second.indices)) }
  // Elements that only one of the lists has cannot match.
  let (firstKeys, secondKeys) = (Set(first), Set(second))
  let firstPositions = first.indices.filter { secondKeys.contains(first[$0]) }
  let secondPositions = second.indices.filter { firstKeys.contains(second[$0]) }
  let (was, now) = (firstPositions.map { first[$0] }, secondPositions.map { second[$0] })
  let size = was.count + now.count
  guard size > 4096 else {
    return commonSequence(was, now).map { (firstPositions[$0.first], secondPositions[$0.second]) }
  }
  let bound = max(16, min(512, 8_000_000 / size))
  var pairs: [(first: Int, second: Int)] = []
  var (at, otherAt) = (0, 0)
  for anchor in anchors(was, now) + [(was.count, now.count)] {
    let (x, y) = (at..<anchor.first, otherAt..<anchor.second)
    if !x.isEmpty, !y.isEmpty {
      for pair in commonSequence(Array(was[x]), Array(now[y]), bound: bound) {
        pairs.append((firstPositions[at + pair.first], secondPositions[otherAt + pair.second]))
      }
    }
    if anchor.first < was.count {
      pairs.append((firstPositions[anchor.first], secondPositions[anchor.second]))
    }
    (at, otherAt) = (anchor.first + 1, anchor.second + 1)
  }
  return pairs
}

/// The longest sequence, in the order of both lists, of positions of elements unique in both.
private func anchors(_ first: [Int], _ second: [Int]) -> [(first: Int, second: Int)] {
  let (mine, theirs) = (uniquePositions(first), uniquePositions(second))
  let candidates = mine.compactMap { key, at in theirs[key].map { (first: at, second: $0) } }
    .sorted { $0.first < $1.first }
  // For each length, the candidate that ends such a sequence earliest in the second list.
  var ends: [Int] = []
  var before = [Int?](repeating: nil, count: candidates.count)
  for (index, candidate) in candidates.enumerated() {
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if candidates[ends[middle]].second < candidate.second {
        low = middle + 1
      } else {
        high = middle
      }
    }
    before[index] = low > 0 ? ends[low - 1] : nil
    if low < ends.count { ends[low] = index } else { ends.append(index) }
  }
  var run: [(first: Int, second: Int)] = []
  var next = ends.last
  while let index = next {
    run.append(candidates[index])
    next = before[index]
  }
  return run.reversed()
}

/// The position of each value that the list has once.
private func uniquePositions(_ list: [Int]) -> [Int: Int] {
  var positions: [Int: Int] = [:]
  for (index, key) in list.enumerated() { positions[key] = positions[key] == nil ? index : -1 }
  return positions.filter { $0.value >= 0 }
}
