/// How one version of a body came from another: the stretches that differ, first by line, then by
/// word within the lines that differ.
struct BodyChanges {
  /// Tokens of the base, and what stands in their place.
  struct Hunk {
    var base: Range<Int>
    var side: Range<Int>
  }

  private(set) var hunks: [Hunk] = []

  init(from base: BodyWords, to side: BodyWords) {
    let lines = alignedPairs(base.lines.map(\.key), side.lines.map(\.key))
    var (baseAt, sideAt) = (0, 0)
    for pair in lines {
      // A line's break is compared apart from its words.
      let (was, now) = (base.lines[pair.first].tokens, side.lines[pair.second].tokens)
      compare(base, baseAt..<(was.lowerBound + 1), side, sideAt..<(now.lowerBound + 1))
      (baseAt, sideAt) = (was.upperBound, now.upperBound)
    }
    compare(base, baseAt..<base.tokens.count, side, sideAt..<side.tokens.count)
    takeMarkers(base, side)
    beginWithBreaks(base, side)
    splitDeletions(base)
  }

  private mutating func compare(
    _ base: BodyWords, _ was: Range<Int>, _ side: BodyWords, _ now: Range<Int>
  ) {
    if was.count == 1, now.count == 1,
      base.tokens[was.lowerBound].key == side.tokens[now.lowerBound].key
    {
      return
    }
    let pairs = alignedPairs(base.tokens[was].map(\.key), side.tokens[now].map(\.key))
      .map { (first: was.lowerBound + $0.first, second: now.lowerBound + $0.second) }
    var found: [Hunk] = []
    for hunk in Hunk.all(between: pairs, was, now) {
      found.append(hunk)
      joinAcrossFewWords(&found, base)
    }
    hunks += found
  }

  /// A word or two that two rewritten stretches happen to share does not part them: what is left of
  /// a sentence that was written anew is no sentence.
  private func joinAcrossFewWords(_ hunks: inout [Hunk], _ base: BodyWords) {
    while hunks.count > 1 {
      let (left, right) = (hunks[hunks.count - 2], hunks[hunks.count - 1])
      let between = left.base.upperBound..<right.base.lowerBound
      let size = 2 * between.count
      guard size <= max(left.base.count, left.side.count),
        size <= max(right.base.count, right.side.count),
        !left.base.isEmpty || !right.base.isEmpty, !left.side.isEmpty || !right.side.isEmpty,
        !base.tokens[between].contains(where: { $0.isBreak })
      else { return }
      hunks.removeLast()
      hunks[hunks.count - 1] = Hunk(
        base: left.base.lowerBound..<right.base.upperBound,
        side: left.side.lowerBound..<right.side.upperBound)
    }
  }

  /// Who wrote all words of an item, a heading or a quoted line anew wrote another line, with a mark
  /// of its own.
  private mutating func takeMarkers(_ base: BodyWords, _ side: BodyWords) {
    var baseEnd = 0
    for index in hunks.indices {
      let hunk = hunks[index]
      let mark = hunk.base.lowerBound - 1
      if !hunk.base.isEmpty, !hunk.side.isEmpty, mark > baseEnd, base.isMarker(mark),
        side.isMarker(hunk.side.lowerBound - 1), base.tokens[hunk.base.upperBound].kind != .word,
        side.tokens[hunk.side.upperBound].kind != .word
      {
        hunks[index] = Hunk(
          base: mark..<hunk.base.upperBound,
          side: (hunk.side.lowerBound - 1)..<hunk.side.upperBound)
      }
      baseEnd = hunk.base.upperBound
    }
  }

  /// A paragraph that came or went takes the break before it along, not the one after it, so that
  /// both sides' changes name the same places.
  private mutating func beginWithBreaks(_ base: BodyWords, _ side: BodyWords) {
    var (baseEnd, sideEnd) = (0, 0)
    for index in hunks.indices {
      let hunk = hunks[index]
      if hunk.base.lowerBound > baseEnd, hunk.side.lowerBound > sideEnd {
        let before = base.tokens[hunk.base.lowerBound - 1]
        if hunk.base.isEmpty, before.isBreak,
          side.tokens[hunk.side.upperBound - 1].key == before.key
        {
          hunks[index] = hunk.shiftedLeft
        } else if hunk.side.isEmpty, before.isBreak,
          base.tokens[hunk.base.upperBound - 1].key == before.key
        {
          hunks[index] = hunk.shiftedLeft
        }
      }
      (baseEnd, sideEnd) = (hunks[index].base.upperBound, hunks[index].side.upperBound)
    }
  }

  /// Whole paragraphs and items that went, went one by one: who edited one of them keeps that one.
  private mutating func splitDeletions(_ base: BodyWords) {
    hunks = hunks.flatMap { hunk -> [Hunk] in
      guard hunk.side.isEmpty, hunk.base.count > 1 else { return [hunk] }
      var pieces: [Hunk] = []
      var start = hunk.base.lowerBound
      for index in hunk.base.dropFirst() where base.beginsBlock(index) {
        pieces.append(Hunk(base: start..<index, side: hunk.side))
        start = index
      }
      return pieces + [Hunk(base: start..<hunk.base.upperBound, side: hunk.side)]
    }
  }
}

extension BodyChanges.Hunk {
  /// What lies between the pairs that two lists have in common.
  static func all(
    between pairs: [(first: Int, second: Int)], _ base: Range<Int>, _ side: Range<Int>
  ) -> [Self] {
    var hunks: [Self] = []
    var (baseAt, sideAt) = (base.lowerBound, side.lowerBound)
    for pair in pairs + [(base.upperBound, side.upperBound)] {
      if pair.first > baseAt || pair.second > sideAt {
        hunks.append(Self(base: baseAt..<pair.first, side: sideAt..<pair.second))
      }
      (baseAt, sideAt) = (pair.first + 1, pair.second + 1)
    }
    return hunks
  }

  fileprivate var shiftedLeft: Self {
    Self(
      base: (base.lowerBound - 1)..<(base.upperBound - 1),
      side: (side.lowerBound - 1)..<(side.upperBound - 1))
  }
}

extension BodyWords {
  /// Whether the token is the break before a paragraph or before an item of a list.
  func beginsBlock(_ index: Int) -> Bool {
    if tokens[index].isInCode { return false }
    switch tokens[index].kind {
    case .paragraphBreak: return true
    case .lineBreak: return beginsItem(index + 1)
    case .word, .end: return false
    }
  }

  /// Whether the token opens a line as the mark of an item, a heading or a quotation.
  func isMarker(_ index: Int) -> Bool {
    guard index > 0, tokens[index].kind == .word, tokens[index - 1].isBreak else { return false }
    return beginsItem(index) || isHeading(index) || spelling(index) == [UInt8(ascii: ">")]
  }

  func isHeading(_ index: Int) -> Bool {
    let word = spelling(index)
    return word.count <= 6 && word.allSatisfy { $0 == UInt8(ascii: "#") }
  }

  /// Whether the token is the mark of an item of a list.
  func beginsItem(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .word && isListMarker(spelling(index))
  }

  private func isListMarker(_ word: ArraySlice<UInt8>) -> Bool {
    guard let last = word.last else { return false }
    if word.count == 1 { return "-*+".utf8.contains(last) }
    return (last == UInt8(ascii: ".") || last == UInt8(ascii: ")"))
      && word.dropLast().allSatisfy { (0x30...0x39).contains($0) }
  }
}
