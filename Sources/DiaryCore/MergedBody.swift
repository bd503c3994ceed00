/// Merges two versions of a body: paragraph by paragraph, then word by word.
struct MergedBody {
  private(set) var bytes: [UInt8] = []
  /// Whether two versions of the same words stand in it, one after the other.
  private(set) var keptBoth = false

  private let base: BodyWords
  private let a: BodyWords
  private let b: BodyWords
  private let newline: [UInt8]
  private var writer: BodyWriter
  /// Which tokens of a side are not the base's.
  private var newInA: [Bool] = []
  private var newInB: [Bool] = []
  /// Lines of the base that stay, for the sides took away different copies of them.
  private var lastCopies: [Range<Int>] = []
  /// Tokens of a side that stand for the same words of the other, which were left out for them.
  private var neededOfA: Set<Int> = []
  private var neededOfB: Set<Int> = []

  init(base: [UInt8], _ a: [UInt8], _ b: [UInt8], newline: [UInt8]) {
    var spellings = Spellings()
    self.base = BodyWords(base, &spellings)
    self.a = BodyWords(a, &spellings)
    self.b = BodyWords(b, &spellings)
    self.newline = newline
    let leading = merged(self.base.leading, self.a.leading, self.b.leading)
    writer = BodyWriter(leading: Array(leading), newline: newline)
    let changesOfA = BodyChanges(from: self.base, to: self.a).hunks
    let changesOfB = BodyChanges(from: self.base, to: self.b).hunks
    newInA = self.a.new(changesOfA)
    newInB = self.b.new(changesOfB)
    lastCopies = self.base.lastCopies(changesOfA, self.a, changesOfB, self.b)
    let stretches = BodyStretch.all(changesOfA, changesOfB, count: self.base.tokens.count)
    for stretch in stretches { add(stretch) }
    let trailing = merged(self.base.trailing, self.a.trailing, self.b.trailing)
    bytes = writer.finished(with: Array(trailing))
  }

  private mutating func add(_ stretch: BodyStretch) {
    if stretch.isTakenAway {
      for line in lastCopies where stretch.base.contains(line.upperBound - 1) {
        writer.add(line, of: base)
      }
    }
    switch (stretch.changesOfA.isEmpty, stretch.changesOfB.isEmpty) {
    case (true, true): addCommon(stretch)
    case (false, true):
      if stretch.base.isEmpty, neededOfA.isDisjoint(with: stretch.a),
        let there = b.saying(a, stretch.a, at: stretch.b.lowerBound, newInB)
      {
        neededOfB.formUnion(there)
      } else {
        writer.add(stretch.a, of: a)
      }
    case (true, false):
      if stretch.base.isEmpty, neededOfB.isDisjoint(with: stretch.b),
        let there = a.saying(b, stretch.b, at: stretch.a.lowerBound, newInA)
      {
        neededOfA.formUnion(there)
      } else {
        writer.add(stretch.b, of: b)
      }
    case (false, false): addChangedByBoth(stretch)
    }
  }

  /// Words that all three have; how they are composed, and the blanks between them, are merged as
  /// properties of their own.
  private mutating func addCommon(_ stretch: BodyStretch) {
    for offset in 0..<stretch.base.count {
      let at = (
        base: stretch.base.lowerBound + offset, a: stretch.a.lowerBound + offset,
        b: stretch.b.lowerBound + offset
      )
      let token = base.tokens[at.base]
      switch token.kind {
      case .word:
        if base.gap(at.base) == nil, a.gap(at.a) == nil, b.gap(at.b) == nil,
          !writer.isAtLineStart
        {
          // What stood above its line went, and the break with it.
          writer.add(at.base - 1..<at.base, of: base)
        }
        let word = merged(base.spelling(at.base), a.spelling(at.a), b.spelling(at.b))
        writer.add(
          word, gap: mergedGap(base.gap(at.base), a.gap(at.a), b.gap(at.b)),
          isAlone: token.isAlone)
      case .lineBreak, .paragraphBreak:
        let lines = mergedBreak(
          base.separator(at.base, newline), a.separator(at.a, newline),
          b.separator(at.b, newline))
        writer.add(break: lines, isParagraph: token.kind == .paragraphBreak)
      case .end: break
      }
    }
  }

  private mutating func addChangedByBoth(_ stretch: BodyStretch) {
    let (mine, theirs) = (a.tokens[stretch.a].map(\.key), b.tokens[stretch.b].map(\.key))
    if mine == theirs || a.hasWords(stretch.a, of: stretch.b, in: b) {
      addOne(stretch)
    } else if b.hasWords(stretch.b, of: stretch.base, in: base), !stretch.base.isEmpty {
      writer.add(stretch.a, of: a)
    } else if a.hasWords(stretch.a, of: stretch.base, in: base), !stretch.base.isEmpty {
      writer.add(stretch.b, of: b)
    } else {
      let (aDeletes, bDeletes) = (
        stretch.changesOfA.allSatisfy(\.side.isEmpty), stretch.changesOfB.allSatisfy(\.side.isEmpty)
      )
      switch (aDeletes, bDeletes) {
      case (true, true): addDeletedByNeither(stretch)
      case (true, false): writer.add(stretch.b, of: b)
      case (false, true): writer.add(stretch.a, of: a)
      case (false, false): addVersions(stretch)
      }
    }
  }

  /// Both sides have the same words, and one layout must stand.
  private mutating func addOne(_ stretch: BodyStretch) {
    let (mine, theirs) = (a.bytes(stretch.a), b.bytes(stretch.b))
    let isMine =
      mine == theirs
      ? stands(a.gap(before: stretch.a), before: b.gap(before: stretch.b))
      : stands(mine, before: theirs)
    if isMine {
      writer.add(stretch.a, of: a)
    } else {
      writer.add(stretch.b, of: b)
    }
  }

  private mutating func addDeletedByNeither(_ stretch: BodyStretch) {
    var at = stretch.base.lowerBound
    let deletions = (stretch.changesOfA + stretch.changesOfB).map(\.base)
      .sorted { $0.lowerBound < $1.lowerBound }
    for deletion in deletions {
      if at < deletion.lowerBound { writer.add(at..<deletion.lowerBound, of: base) }
      at = max(at, deletion.upperBound)
    }
    if at < stretch.base.upperBound { writer.add(at..<stretch.base.upperBound, of: base) }
  }

  private mutating func addVersions(_ stretch: BodyStretch) {
    let after = base.tokens[stretch.base.upperBound].kind
    let isWhole = writer.isAtLineStart && after != .word
    let isItem = [(a, stretch.a.lowerBound), (b, stretch.b.lowerBound)].contains { text, index in
      text.isMarker(index) && !text.isHeading(index)
    }
    let isParagraph =
      isWhole && !isItem && after != .lineBreak && base.isParagraphStart(stretch.base.lowerBound)
    var versions = KeptVersions(
      a.version(stretch.a), b.version(stretch.b), isRewrite: !stretch.base.isEmpty,
      isWhole: isWhole, isParagraph: isParagraph)
    versions.write(to: &writer)
    if versions.keptBoth { keptBoth = true }
  }
}

extension BodyWords {
  /// What is blank before the first word; nothing in a text without words.
  fileprivate var leading: ArraySlice<UInt8> { bytes[tokens[0].range] }
  /// What is blank after the last word.
  fileprivate var trailing: ArraySlice<UInt8> { bytes[(tokens.last?.range ?? 0..<0)] }

  /// The break, where the text's beginning counts as one between paragraphs.
  fileprivate func separator(_ index: Int, _ newline: [UInt8]) -> ArraySlice<UInt8> {
    index == 0 ? (newline + newline)[...] : spelling(index)
  }

  /// Whether two stretches have the same words, however they lie in lines.
  fileprivate func hasWords(_ range: Range<Int>, of other: Range<Int>, in text: BodyWords) -> Bool {
    tokens[range].lazy.filter { !$0.isBreak }.map(\.key)
      .elementsEqual(text.tokens[other].lazy.filter { !$0.isBreak }.map(\.key))
  }

  /// For each token whether a change brought it.
  fileprivate func new(_ changes: [BodyChanges.Hunk]) -> [Bool] {
    var isNew = [Bool](repeating: false, count: tokens.count)
    for change in changes {
      for index in change.side { isNew[index] = true }
    }
    return isNew
  }

  /// Where this side came by the same words in the very place where the other inserted them,
  /// together with other changes.
  fileprivate func saying(
    _ other: BodyWords, _ range: Range<Int>, at place: Int, _ isNew: [Bool]
  ) -> Range<Int>? {
    guard let first = range.first(where: { !other.tokens[$0].isBreak }),
      let last = range.last(where: { !other.tokens[$0].isBreak })
    else { return nil }
    let (size, next) = (last + 1 - first, tokens[place...].firstIndex { !$0.isBreak })
    let before = tokens[..<place].lastIndex { !$0.isBreak }
    for case let start? in [next, before.map { $0 + 1 - size }] {
      guard start >= 0, start + size <= tokens.count else { continue }
      let isSame = (0..<size).allSatisfy { offset in
        let own = start + offset
        return tokens[own].key == other.tokens[first + offset].key
          && (isNew[own] || tokens[own].isBreak)
      }
      if isSame { return start..<(start + size) }
    }
    return nil
  }

  fileprivate func isParagraphStart(_ index: Int) -> Bool {
    (index > 0 && tokens[index - 1].kind == .paragraphBreak && !tokens[index - 1].isInCode)
      || tokens[index].kind == .paragraphBreak
  }
}
