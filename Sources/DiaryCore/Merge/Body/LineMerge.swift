/// Merges two texts by lines. Returns `nil` if both sides changed the same line, or neighbouring
/// lines, differently.
func mergedLines(base: [UInt8], _ a: [UInt8], _ b: [UInt8]) -> [UInt8]? {
  let lines = LineNumbers(base, a, b)
  let ours = hunks(lines.base, lines.a)
  let theirs = hunks(lines.base, lines.b)
  var merged: [Int] = []
  var (i, j, position) = (0, 0, 0)
  while i < ours.count || j < theirs.count {
    let our = i < ours.count ? ours[i] : nil
    let their = j < theirs.count ? theirs[j] : nil
    let next: LineHunk
    if let our, their.map({ our.base.upperBound < $0.base.lowerBound }) ?? true {
      next = our
      i += 1
    } else if let their, our.map({ their.base.upperBound < $0.base.lowerBound }) ?? true {
      next = their
      j += 1
    } else if let our, our == their {
      next = our
      i += 1
      j += 1
    } else {
      return nil
    }
    merged += lines.base[position..<next.base.lowerBound]
    merged += next.lines
    position = next.base.upperBound
  }
  merged += lines.base[position...]
  return lines.text(merged)
}

/// Lines of the base that a side replaced.
private struct LineHunk: Equatable {
  var base: Range<Int>
  var lines: [Int]
}

private func hunks(_ base: [Int], _ side: [Int]) -> [LineHunk] {
  var hunks: [LineHunk] = []
  for hunk in Hunk.all(between: commonSequence(base, side), base.indices, side.indices) {
    var hunk = LineHunk(base: hunk.base, lines: Array(side[hunk.side]))
    let start = hunks.last?.base.upperBound ?? 0
    // An addition or removal between equal lines can be told in several ways. The first place counts,
    // so that it is the same for both sides.
    while hunk.base.isEmpty != hunk.lines.isEmpty, hunk.base.lowerBound > start,
      base[hunk.base.lowerBound - 1] == hunk.lines.last ?? base[hunk.base.upperBound - 1]
    {
      hunk.base = (hunk.base.lowerBound - 1)..<(hunk.base.upperBound - 1)
      if let last = hunk.lines.popLast() { hunk.lines.insert(last, at: 0) }
    }
    hunks.append(hunk)
  }
  return hunks
}

/// Three texts as lists of numbers, equal for equal lines. A line includes its line end.
private struct LineNumbers {
  private(set) var base: [Int] = []
  private(set) var a: [Int] = []
  private(set) var b: [Int] = []
  private var numbers: [ArraySlice<UInt8>: Int] = [:]
  private var all: [ArraySlice<UInt8>] = []

  init(_ base: [UInt8], _ a: [UInt8], _ b: [UInt8]) {
    self.base = add(base)
    self.a = add(a)
    self.b = add(b)
  }

  func text(_ lines: [Int]) -> [UInt8] { lines.flatMap { all[$0] } }

  private mutating func add(_ text: [UInt8]) -> [Int] {
    var found: [Int] = []
    for range in lineRanges(text[...]) {
      let line = text[range]
      let number = numbers[line] ?? all.count
      if number == all.count {
        numbers[line] = number
        all.append(line)
      }
      found.append(number)
    }
    return found
  }
}
