/// Writes the units of a merge and the whitespace between them.
///
/// Marks, indentation, line ends and blanks are merged separately from the text. The side that
/// changed one wins; if both did, a ticked box, else the one that ``isPreferred(_:over:)`` chooses.
struct MergeWriter {
  let base: BodyUnits
  let sides: [BodyUnits]
  let parts: [MergedPart]
  private let blocks: [Int]
  private let newline: [UInt8]
  /// Parts that always get a blank line before them.
  private var blankLinesBefore: Set<Int> = []
  /// The part of each unit of the versions.
  var partOfUnit: [[Int: Int]] = [[:], [:]]
  /// The markers of the items that only one version has, where the list got another kind.
  var listMarkers: [Int: [UInt8]] = [:]
  /// The numbers of the result's items, by part.
  var numbers: [Int: Int] = [:]

  init(_ plan: MergePlan, newline: [UInt8]) {
    base = plan.matching.base
    sides = plan.matching.sides.map(\.text)
    parts = plan.parts
    blocks = plan.blocks
    self.newline = newline
    blankLinesBefore = Set(parts.indices.dropFirst().filter(isOutOfPlace))
    for (index, part) in parts.enumerated() {
      for side in 0...1 { part.units[side].map { partOfUnit[side][$0] = index } }
    }
    findListMarkers()
  }

  /// True if a new or changed sentence would follow a sentence that its author did not have before
  /// it, although the sentence that the author had there is elsewhere in the result.
  private func isOutOfPlace(_ index: Int) -> Bool {
    let (above, part) = (parts[index - 1], parts[index])
    guard blocks[index - 1] == blocks[index], kind(index - 1) == .sentence,
      kind(index) == .sentence,
      isOfBase(index - 1), !isOfBase(index)
    else { return false }
    return (0...1).allSatisfy { side in
      guard hasKey(index, in: side), let before = part.units[side].map({ $0 - 1 }), before >= 0
      else { return part.units[side] != 0 }
      return above.units[side] != before && parts.contains { $0.units[side] == before }
    }
  }

  /// True if the part's text is that of the base.
  private func isOfBase(_ index: Int) -> Bool {
    parts[index].base.map { base.units[$0].key == unit(index).key } ?? false
  }

  func mergedBytes() -> [UInt8] {
    var text: [UInt8] = []
    var indentations: [[UInt8]] = []
    var open: [OpenItem] = []
    for index in 0...parts.count {
      let gap = gap(before: index)
      text += gap
      guard index < parts.count else { break }
      let isBlockStart = unit(index).isBlockStart || gap.count { $0 == 0x0A } > 1
      let outer = indentation(index, indentations, open, isBlockStart: isBlockStart)
      indentations.append(outer)
      if isBlockStart {
        let column = column(outer)
        open.removeAll { $0.column > column }
        if kind(index) == .item {
          open.append(OpenItem(part: index, column: column + marker(index).count))
        }
      }
      text += unitText(
        index, outer, isLineStart: index == 0 || gap.contains(0x0A) || gap.contains(0x0D))
    }
    return text
  }

  // MARK: Units

  func unit(_ index: Int) -> BodyUnits.Unit {
    sides[parts[index].side].units[parts[index].units[parts[index].side] ?? 0]
  }

  private func unitText(_ index: Int, _ outer: [UInt8], isLineStart: Bool) -> [UInt8] {
    let (part, own) = (parts[index], unit(index))
    let bytes = sides[part.side].bytes
    var text = part.text ?? Array(bytes[own.text])
    if own.slices.count > 1, part.text == nil { text = indentedText(own, bytes, as: outer) }
    guard isLineStart else { return text }
    guard let style = styleSource(part) else {
      return outer + marker(index) + property(part, \.task) + text + property(part, \.closing)
    }
    return outer + marker(index) + (style.unit.kind == .item ? style.bytes[style.unit.task] : [])
      + text + style.bytes[style.unit.closing]
  }

  /// The version that changed the unit's kind of block; `nil` if none did.
  func styleSource(_ part: MergedPart) -> (unit: BodyUnits.Unit, bytes: [UInt8])? {
    guard let x = part.units[0], let y = part.units[1] else { return nil }
    let (mine, theirs) = (sides[0].units[x], sides[1].units[y])
    // A line without words, such as an emptied item, has no style for a text.
    guard mine.kind != theirs.kind, mine.kind != .other, theirs.kind != .other else { return nil }
    let baseKind = part.base.map { base.units[$0].kind }
    if mine.kind == baseKind { return (theirs, sides[1].bytes) }
    if theirs.kind == baseKind || mine.kind.rawValue > theirs.kind.rawValue {
      return (mine, sides[0].bytes)
    }
    return (theirs, sides[1].bytes)
  }

  /// The kind of block that a part becomes.
  func kind(_ index: Int) -> BodyUnits.Kind {
    styleSource(parts[index])?.unit.kind ?? unit(index).kind
  }

  /// One of the marks around a unit, merged, in the form that `transform` gives it.
  func property(
    _ part: MergedPart, _ path: KeyPath<BodyUnits.Unit, Range<Int>>,
    without inner: KeyPath<BodyUnits.Unit, Range<Int>>? = nil,
    as transform: ([UInt8]) -> [UInt8] = { $0 }
  ) -> [UInt8] {
    func value(_ text: BodyUnits, _ index: Int) -> [UInt8] {
      var range = text.units[index][keyPath: path]
      if let inner, !text.units[index][keyPath: inner].isEmpty {
        range =
          range.lowerBound..<max(range.lowerBound, text.units[index][keyPath: inner].lowerBound)
      }
      return transform(Array(text.bytes[range]))
    }
    let values = (0...1).map { side in
      part.units[side].flatMap { hasMarks(part, side) ? value(sides[side], $0) : nil }
    }
    guard let mine = values[0], let theirs = values[1] else { return values[0] ?? values[1] ?? [] }
    return mergedMark(part.base.map { value(base, $0) }, mine, theirs)
  }

  /// False for a line without words, such as an emptied item, if the text of the other version is used.
  private func hasMarks(_ part: MergedPart, _ side: Int) -> Bool {
    let kinds = [side, part.side].map { side in part.units[side].map { sides[side].units[$0].kind }
    }
    return kinds[0] != .other || kinds[1] == .other
  }

  /// The text of several lines, each with the indentation of the first one.
  private func indentedText(_ unit: BodyUnits.Unit, _ bytes: [UInt8], as outer: [UInt8]) -> [UInt8]
  {
    let own = Array(bytes[unit.linePrefix])
    guard own != outer, unit.kind != .sentence || unit.isLineStart else {
      return Array(bytes[unit.text])
    }
    var text = Array(bytes[unit.slices[0]])
    for (slice, next) in zip(unit.slices, unit.slices.dropFirst()) {
      let between = Array(bytes[slice.upperBound..<next.lowerBound])
      guard let end = between.lastIndex(of: 0x0A) else {
        text += between + bytes[next]
        continue
      }
      var line = between[(end + 1)...] + bytes[next]
      if line.starts(with: own) { line = outer + line.dropFirst(own.count) }
      text += between[...end] + line
    }
    return text
  }

  // MARK: Gaps between units

  private func gap(before index: Int) -> [UInt8] {
    guard !parts.isEmpty else {
      let blank = sides.filter(\.units.isEmpty)
      return blank.count == 1
        ? blank[0].bytes : mergedMark(base.bytes, sides[0].bytes, sides[1].bytes)
    }
    if index == 0 || index == parts.count { return edge(index) }
    let known = knownGap(before: index)
    if blankLinesBefore.contains(index) {
      let own = known ?? []
      return own.count(where: { $0 == 0x0A }) > 1 ? own : newline + newline
    }
    guard let known else { return defaultGap(before: index) }
    if known.contains(0x0A) || known.contains(0x0D) { return known }
    let isSentence = kind(index) == .sentence && kind(index - 1) == .sentence
    guard isSentence else { return defaultGap(before: index) }
    return hasFinalStop(index - 1) || hasFollowerInBlock(index - 1) ? known : newline
  }

  /// The gap from the versions that have both units side by side, the first one as the kind of block
  /// that it becomes.
  private func knownGap(before index: Int) -> [UInt8]? {
    func gap(_ text: BodyUnits, _ unit: (MergedPart) -> Int?) -> [UInt8]? {
      guard let before = unit(parts[index - 1]), let after = unit(parts[index]),
        after == before + 1
      else { return nil }
      return Array(text.bytes[text.gap(before: after)])
    }
    func gap(_ side: Int) -> [UInt8]? {
      guard let before = parts[index - 1].units[side],
        sides[side].units[before].kind == kind(index - 1)
      else { return nil }
      return gap(sides[side]) { $0.units[side] }
    }
    let (mine, theirs) = (gap(0), gap(1))
    let baseGap = gap(base) { $0.base }
    guard let mine, let theirs else {
      // A line break of the other version stays: this gap counts only if this text is used.
      guard mine != nil || theirs != nil else { return baseGap }
      let side = mine == nil ? 1 : 0
      let isUsed = parts[index].side == side || hasKey(index, in: side)
      return isUsed ? mine ?? theirs : nil
    }
    return mergedMark(baseGap, mine, theirs)
  }

  /// True if a version's unit has the letters of the text that is used.
  private func hasKey(_ index: Int, in side: Int) -> Bool {
    parts[index].units[side].map { sides[side].units[$0].key == unit(index).key } ?? false
  }

  /// True if the version whose text is used continues in the same block.
  private func hasFollowerInBlock(_ index: Int) -> Bool {
    let (side, number) = (parts[index].side, parts[index].units[parts[index].side] ?? 0)
    let units = sides[side].units
    return number + 1 < units.count && units[number + 1].block == units[number].block
  }

  private func hasFinalStop(_ index: Int) -> Bool {
    let text = parts[index].text ?? Array(sides[parts[index].side].bytes[unit(index).text])
    return SentenceCuts.hasFinalStop(String(decoding: text.suffix(48), as: UTF8.self))
  }

  /// The whitespace before the first unit or after the last one, merged separately.
  private func edge(_ index: Int) -> [UInt8] {
    func edge(_ text: BodyUnits) -> [UInt8] {
      let gap = Array(text.bytes[text.gap(before: index == 0 ? 0 : text.units.count)])
      return text.units.isEmpty ? [] : gap
    }
    let values = [base, sides[0], sides[1]].map(edge)
    return mergedMark(values[0], values[1], values[2])
  }

  private func defaultGap(before index: Int) -> [UInt8] {
    let (above, own) = (unit(index - 1), unit(index))
    let blank = newline + newline
    func kind(_ index: Int) -> BodyUnits.Kind { isMarkerAlone(index) ? .item : self.kind(index) }
    switch (kind(index - 1), kind(index)) {
    case (.item, .item): return newline
    case (.row, .row), (.tableHead, .row):
      return blocks[index - 1] == blocks[index] ? newline : blank
    case (.sentence, .sentence):
      guard blocks[index - 1] == blocks[index], quotes(index - 1) == quotes(index),
        !isMovedBlockStart(index)
      else { return blank }
      if isLine(index) || isLine(index - 1) { return newline }
      if !hasFinalStop(index - 1), !hasFollowerInBlock(index - 1) { return newline }
      let bytes = sides[parts[index - 1].side].bytes
      let text = String(decoding: bytes[above.text].suffix(8), as: UTF8.self).unicodeScalars
      let first = String(
        decoding: sides[parts[index].side].bytes[own.text].prefix(4), as: UTF8.self
      ).unicodeScalars.first
      let isWide = text.last.map { isHanOrKana($0) || isWidePunctuation($0) } ?? false
      return isWide && first.map { isHanOrKana($0) || isWidePunctuation($0) } ?? false ? [] : [0x20]
    default: return blank
    }
  }

  private func isMovedBlockStart(_ index: Int) -> Bool {
    guard let side = parts[index].movedBy, let own = parts[index].units[side] else { return false }
    return sides[side].units[own].isBlockStart
  }

  /// True if a unit is a line of its block, not a sentence within a line.
  private func isLine(_ index: Int) -> Bool {
    (0...1).contains { side in
      guard let number = parts[index].units[side] else { return false }
      let (units, own) = (sides[side].units, sides[side].units[number])
      if !own.isBlockStart { return own.isLineStart }
      guard number + 1 < units.count, units[number + 1].block == own.block else {
        return sides[side].bytes[own.linePrefix].contains { $0 < 0x80 }
      }
      return units[number + 1].isLineStart
    }
  }

  private func quotes(_ index: Int) -> Int {
    property(parts[index], \.linePrefix).count { $0 == UInt8(ascii: ">") }
  }

  private func isWidePunctuation(_ scalar: Unicode.Scalar) -> Bool {
    (0x3000...0x303F).contains(scalar.value) || (0xFF00...0xFF60).contains(scalar.value)
  }

  // MARK: Verification

  /// The read unit at which each part begins, up to the first part that the written text is not
  /// read back as: another kind of block, other characters, or two parts as one. A sentence may be
  /// read as several.
  func readBack(_ read: BodyUnits) -> (starts: [Int], misread: Int?) {
    func visibleBytes(_ bytes: some Sequence<UInt8>) -> [UInt8] {
      bytes.filter { $0 > 0x20 && $0 != UInt8(ascii: ">") }
    }
    var starts: [Int] = []
    var remaining = read.units[...]
    for index in parts.indices {
      let text = visibleBytes(
        parts[index].text ?? Array(sides[parts[index].side].bytes[unit(index).text]))
      starts.append(remaining.startIndex)
      guard let first = remaining.popFirst(), first.kind == kind(index) else {
        return (starts, index)
      }
      var found = visibleBytes(read.bytes[first.text])
      while first.kind == .sentence, found.count < text.count, remaining.first?.kind == .sentence,
        let next = remaining.popFirst()
      {
        found += visibleBytes(read.bytes[next.text])
      }
      if found != text { return (starts, found.count > text.count ? index + 1 : index) }
    }
    return (starts, remaining.isEmpty ? nil : parts.count - 1)
  }

  /// Adds a blank line before a part, the next or the last one. Returns false if all have one.
  mutating func addBlankLine(near index: Int) -> Bool {
    for position in [index, index + 1, index - 1] where (1..<max(1, parts.count)).contains(position)
    {
      if blankLinesBefore.insert(position).inserted { return true }
    }
    return false
  }
}

/// The marker without a task's box.
func markerRange(_ unit: BodyUnits.Unit) -> Range<Int> {
  unit.marker.lowerBound..<(unit.task.isEmpty ? unit.marker.upperBound : unit.task.lowerBound)
}

/// The column behind an indentation; a tab reaches to the next multiple of four.
private func column(_ indentation: [UInt8]) -> Int {
  indentation.reduce(0) { $1 == 0x09 ? $0 / 4 * 4 + 4 : $0 + 1 }
}

/// Merges a mark that both versions have. The side that changed it wins; if both did, a ticked box,
/// else the one that ``isPreferred(_:over:)`` chooses.
func mergedMark(_ base: [UInt8]?, _ mine: [UInt8], _ theirs: [UInt8]) -> [UInt8] {
  if mine == theirs || base == theirs { return mine }
  if base == mine { return theirs }
  func isTicked(_ mark: [UInt8]) -> Bool {
    mark.count > 2 && mark[0] == UInt8(ascii: "[") && mark[1] | 0x20 == UInt8(ascii: "x")
  }
  if isTicked(mine) != isTicked(theirs) { return isTicked(mine) ? mine : theirs }
  return isPreferred(mine, over: theirs) ? mine : theirs
}
