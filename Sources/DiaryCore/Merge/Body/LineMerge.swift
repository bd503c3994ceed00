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
  var found: [LineHunk] = []
  var (old, new) = (0, 0)
  for (first, second) in commonSequence(base, side) + [(base.count, side.count)] {
    if first > old || second > new {
      found.append(LineHunk(base: old..<first, lines: Array(side[new..<second])))
    }
    (old, new) = (first + 1, second + 1)
  }
  return found
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
    var start = 0
    while start < text.count {
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count
      let line = text[start..<end]
      let number = numbers[line] ?? all.count
      if number == all.count {
        numbers[line] = number
        all.append(line)
      }
      found.append(number)
      start = end
    }
    return found
  }
}
