/// Merges two versions of a header by key, with the comments and blank lines between the keys.
struct MergedHeader {
  /// Everything above the body.
  private(set) var bytes: [UInt8]
  /// True if a losing version is kept, as a comment or below the body.
  private(set) var hasConflict = false
  /// A header that could not be merged, which is added to the end of the body.
  private var rejectedHeader: [UInt8] = []
  private let newline: [UInt8]

  init(base: EntryText?, _ a: EntryText, _ b: EntryText, newline: [UInt8]) {
    self.newline = newline
    let (old, mine, theirs) = (base?.bytesAboveBody ?? [], a.bytesAboveBody, b.bytesAboveBody)
    if mine == theirs || old == theirs {
      bytes = mine
    } else if old == mine {
      bytes = theirs
    } else {
      let lines = HeaderLines(base: base.flatMap(HeaderParts.init), a, b, newline: newline)
      if let lines, lines.isValid(a, b) {
        bytes = lines.bytes
        hasConflict = lines.hasConflict
      } else {
        let (winner, loser) = isPreferred(mine, over: theirs) ? (a, b) : (b, a)
        bytes = winner.bytesAboveBody
        let block = loser.codeBlock(newline)
        hasConflict = !block.isEmpty
        // A merge that includes the other version has its header in the body already.
        let isKnown = [a, b].contains { $0.bodyBytes.contains(block) }
        if !isKnown, !loser.hasOnlyLines(of: winner) { rejectedHeader = block }
      }
    }
  }

  /// The text of the header and its body.
  func text(followedBy body: [UInt8]) -> [UInt8] {
    let needsNewline =
      !bytes.isEmpty && bytes.last != 0x0A && !(body.isEmpty && rejectedHeader.isEmpty)
    let top = bytes + (needsNewline ? newline : [])
    guard !rejectedHeader.isEmpty else { return top + body }
    let trimmedBody = body[..<(body.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0)]
    let gap = trimmedBody.isEmpty ? newline : newline + newline
    return top + trimmedBody + gap + rejectedHeader
  }
}

extension EntryText {
  /// The decoded text before the body.
  var bytesAboveBody: [UInt8] { Array(text[..<bodyRange.lowerBound]) }

  /// True if the other header has each line of this one.
  fileprivate func hasOnlyLines(of other: EntryText) -> Bool {
    func lines(_ bytes: [UInt8]) -> Set<[UInt8]> {
      Set(lineRanges(bytes[...]).map { withoutTrailingBlanks(bytes[$0]) })
    }
    return lines(bytesAboveBody).isSubset(of: lines(other.bytesAboveBody))
  }

  /// The header as a fenced code block; empty without a header.
  fileprivate func codeBlock(_ newline: [UInt8]) -> [UInt8] {
    let lines = bytesAboveBody
    guard let first = lines.firstIndex(where: { !isBlank($0) }),
      let last = lines.lastIndex(where: { !isBlank($0) })
    else { return [] }
    let content = lines[first...last]
    let runs = content.split { $0 != UInt8(ascii: "`") }.map(\.count)
    let fence = [UInt8](repeating: UInt8(ascii: "`"), count: max(3, (runs.max() ?? 0) + 1))
    let name =
      switch headerKind {
      case .toml: "toml"
      case .json: "json"
      case .yaml, .none, .unreadable: "yaml"
      }
    return fence + Array(name.utf8) + newline + content + newline + fence + newline
  }
}

/// The merged lines of a header between `---` lines.
private struct HeaderLines {
  private(set) var bytes: [UInt8] = []
  private(set) var hasConflict = false
  private let base: HeaderParts?
  private let a: HeaderParts?
  private let b: HeaderParts?
  private let newline: [UInt8]
  private var fields: [HeaderParts.Name: MergedField] = [:]
  private var written: Set<HeaderParts.Name> = []
  /// The comments and blank lines of the result.
  private var lines: Set<HeaderParts.Name> = []
  /// The comments for losing values, each with the place for it.
  private var comments: [(at: Int, text: [UInt8])] = []

  /// Returns `nil` if a side has another kind of header.
  init?(base: HeaderParts?, _ a: EntryText, _ b: EntryText, newline: [UInt8]) {
    guard ![a, b].contains(where: { $0.headerKind == .toml || $0.headerKind == .json }) else {
      return nil
    }
    self.base = base
    self.a = HeaderParts(a)
    self.b = HeaderParts(b)
    self.newline = newline
    for part in [self.base, self.a, self.b] {
      for name in (part?.fields ?? [:]).keys where fields[name] == nil {
        fields[name] = MergedField(
          base: base?.fields[name], self.a?.fields[name], self.b?.fields[name])
      }
    }
    addElements()
    // A comment that an earlier merge has written is not added again.
    for comment in comments.reversed() where !lines.contains(.line(comment.text)) {
      bytes.insert(contentsOf: comment.text + newline, at: comment.at)
    }
    addFences()
  }

  private mutating func addElements() {
    let lists = [base, a, b].map { $0?.elements ?? [] }
    var numbers: [HeaderParts.Name: Int] = [:]
    let keys = lists.map { list in
      list.map { element in
        let number = numbers[element.name] ?? numbers.count
        numbers[element.name] = number
        return number
      }
    }
    func changes(_ side: Int) -> [Hunk] {
      Hunk.all(
        between: alignedPairs(keys[0], keys[side]), keys[0].indices, keys[side].indices)
    }
    for region in ChangeRegion.all(changes(1), changes(2), count: lists[0].count) {
      let (mine, theirs) = (lists[1][region.a], lists[2][region.b])
      switch (region.changesOfA.isEmpty, region.changesOfB.isEmpty) {
      case (true, true):
        for (offset, element) in lists[0][region.base].enumerated() {
          add(element, mine[mine.startIndex + offset], theirs[theirs.startIndex + offset])
        }
      case (false, true): mine.forEach { add($0) }
      case (true, false): theirs.forEach { add($0) }
      case (false, false): add(mine, theirs)
      }
      // A key that one side removed and the other changed keeps its position.
      for element in lists[0][region.base] where isRemoved(element.name) { add(element) }
    }
  }

  private func isRemoved(_ name: HeaderParts.Name) -> Bool {
    fields[name] != nil && (a?.fields[name] == nil || b?.fields[name] == nil)
  }

  /// Adds lines that both sides added: equal ones once, others one after the other in byte order.
  private mutating func add(
    _ mine: ArraySlice<HeaderParts.Element>, _ theirs: ArraySlice<HeaderParts.Element>
  ) {
    let (x, y) = (mine.flatMap(\.bytes), theirs.flatMap(\.bytes))
    // Equal lines may be a key's first occurrence on one side and a repetition on the other.
    let theirsFirst =
      x == y
      ? theirs.map(\.name.occurrence).lexicographicallyPrecedes(mine.map(\.name.occurrence))
      : y.lexicographicallyPrecedes(x)
    let (first, second) = theirsFirst ? (theirs, mine) : (mine, theirs)
    let names = Set(first.map(\.name))
    first.forEach { add($0) }
    for element in second where !names.contains(element.name) { add(element) }
  }

  private mutating func add(
    _ base: HeaderParts.Element, _ a: HeaderParts.Element, _ b: HeaderParts.Element
  ) {
    let lines = mergedValue(base.bytes[...], a.bytes[...], b.bytes[...])
    add(HeaderParts.Element(name: base.name, bytes: Array(lines)))
  }

  /// Adds a line unchanged, or a merged field at its first occurrence.
  private mutating func add(_ element: HeaderParts.Element) {
    guard let field = fields[element.name] else {
      lines.insert(element.name)
      bytes += element.bytes
      return
    }
    guard let lines = field.bytes, written.insert(element.name).inserted else { return }
    bytes += lines
    guard let other = field.losingLines else { return }
    hasConflict = true
    for line in lineRanges(other[...]) {
      let content = withoutTrailingBlanks(other[line])
      comments.append(
        (bytes.count, [UInt8(ascii: "#")] + (content.isEmpty ? [] : [0x20] + content)))
    }
  }

  private mutating func addFences() {
    let sides = [a, b].compactMap { $0 }
    if written.isEmpty {
      // A header without fields is recognized only if no blank line follows the opening fence.
      let lines = lineRanges(bytes[...]).filter { !isBlank(bytes, $0) }
      bytes = lines.flatMap { bytes[$0] }
    }
    guard !bytes.isEmpty, let one = sides.first, let other = sides.last else {
      bytes = []
      return
    }
    let opening = mergedValue(base?.opening ?? [], one.opening, other.opening)
    let closing = mergedValue(base?.closing ?? [], one.closing, other.closing)
    bytes = opening + bytes + closing
  }

  /// True if the lines are a valid header, also for a strict reader if it can read both versions.
  func isValid(_ a: EntryText, _ b: EntryText) -> Bool {
    if bytes.isEmpty { return true }
    let text = EntryText(bytes)
    guard text.headerKind == .yaml, text.bodyRange.isEmpty else { return false }
    let names = HeaderParts(text)?.fields.count
    guard names == written.count else { return false }
    let wereReadable = [a, b].allSatisfy { strictHeader($0.header) != nil }
    return !wereReadable || strictHeader(text.header) != nil
  }
}
