/// The merge of two versions of a body from whole units, each typed by one user. docs/merge.md
/// describes the rule.
struct MergedBody {
  private(set) var bytes: [UInt8] = []
  /// True if the user should review the result: it contains two versions of something, or something
  /// that one version removed.
  private(set) var needsReview = false
  /// The size of the units that the result is read back as; `nil` if it is not read back.
  private(set) var size: BodyUnits.Size?

  private let newline: [UInt8]
  private let style: BodyUnits.Style

  init(base: [UInt8], _ a: [UInt8], _ b: [UInt8], newline: [UInt8]) {
    self.init(once: base, a, b, newline: newline)
    guard bytes != a, bytes != b else { return }
    let texts = [base, a, b]
    var numbers = UnitNumbers()
    let words = texts.map { text in
      let text = BodyUnits(text, &numbers, size: .sentences, style: style)
      return Set(text.units.flatMap(\.words).map(\.number))
    }
    let merges = [(1, 2), (2, 1)].compactMap { version, other -> MergedBody? in
      // Only a version with all words that the other one added can be such a merge.
      guard words[other].subtracting(words[0]).isSubset(of: words[version]) else { return nil }
      return MergedBody(explaining: texts[version], from: base, texts[other], newline: newline)
    }
    guard let first = merges.first else { return }
    self = merges.count > 1 && isPreferred(b, over: a) ? merges[1] : first
  }

  /// A version as the merge of the other one and a third one, which is what is left without the changes of
  /// the other one; `nil` if it is no such merge. So a result that is merged again with one of its
  /// versions stays the same, where ``ChangeInclusion`` does not find the changes unit by unit.
  private init?(explaining version: [UInt8], from base: [UInt8], _ other: [UInt8], newline: [UInt8])
  {
    let third = MergedBody(once: other, version, base, newline: newline)
    guard !third.needsReview, third.bytes != base, third.bytes != other else { return nil }
    self.init(once: base, other, third.bytes, newline: newline)
    guard bytes == version else { return nil }
    // Another third one may have been meant.
    needsReview = true
  }

  private init(once base: [UInt8], _ a: [UInt8], _ b: [UInt8], newline: [UInt8]) {
    self.newline = newline
    style = BodyUnits.Style(
      wholeTables: MergedBody.wholeTables([base, a, b]),
      numbersAreWords: [base, a, b].contains(where: hasNumbersAsWords),
      hasSmallSentences: hasSmallSentences(base))
    let isNew = base.allSatisfy { $0 <= 0x20 }
    let size = isNew ? BodyUnits.Size.paragraphs : .sentences
    if merge([base, a, b], size) {
      self.size = size
      return
    }
    // A result that cannot be read back as it was written is merged again: by lines if the changes do
    // not touch, or else from larger units.
    if !isNew, mergeLines([base, a, b]) { return }
    if merge([base, a, b], .blocks) {
      self.size = .blocks
    } else {
      keepBlocks([base, a, b])
    }
  }

  /// Merges units of a size. Returns false if the result is not read back as these units.
  private mutating func merge(_ texts: [[UInt8]], _ size: BodyUnits.Size) -> Bool {
    var numbers = UnitNumbers()
    func units(_ text: [UInt8]) -> BodyUnits {
      BodyUnits(text, &numbers, size: size, style: style)
    }
    let versions = texts.map(units)
    let matching = UnitMatching(base: versions[0], versions[1], versions[2], numbers)
    let plan = MergePlan(matching)
    needsReview = plan.needsReview
    if let side = ChangeInclusion.side(matching) {
      bytes = texts[side + 1]
      needsReview = needsReview || isUnexplained(versions[side + 1], versions)
      return true
    }
    var writer = MergeWriter(plan, newline: newline)
    // A part that is too close to its neighbour to be read back gets a blank line.
    for _ in 0..<12 {
      bytes = writer.mergedBytes()
      let read = units(bytes)
      let (starts, misread) = writer.readBack(read)
      guard let misread else {
        if writer.renumber(read, starts) { continue }
        needsReview = needsReview || isUnexplained(read, versions)
        return true
      }
      guard writer.addBlankLine(near: misread) else { return false }
    }
    return false
  }

  /// Merges by lines. Returns false if the changes touch, or if the result has a unit that neither
  /// version has, or one more often than the versions explain. This result is not read back.
  private mutating func mergeLines(_ texts: [[UInt8]]) -> Bool {
    guard let merged = mergedLines(base: texts[0], texts[1], texts[2]) else { return false }
    var numbers = UnitNumbers()
    let all = (texts + [merged]).map { BodyUnits($0, &numbers, size: .sentences, style: style) }
    let counts = all.map { text in
      text.units.reduce(into: [Int: Int]()) { $0[$1.key, default: 0] += 1 }
    }
    let isExplained = counts[3].allSatisfy { key, count in
      let (mine, theirs) = (counts[1][key] ?? 0, counts[2][key] ?? 0)
      return count <= max(mine, theirs, mine + theirs - (counts[0][key] ?? 0))
    }
    guard isExplained else { return false }
    bytes = merged
    needsReview = isUnexplained(all[3], Array(all[..<3]))
    return true
  }

  /// True if the result has a unit that one version removed and the other left as it was, because
  /// something was added to it, both versions have what took its place, or the other one joined it
  /// to its neighbour; or if it has a word more often than the versions explain, because they cut a
  /// paragraph differently and a line is there twice. The rows of a table stay with its columns.
  private func isUnexplained(_ merged: BodyUnits, _ versions: [BodyUnits]) -> Bool {
    let counts = versions.map { text in
      text.units.reduce(into: [Int: Int]()) { $0[$1.key, default: 0] += 1 }
    }
    let runs = versions[1...].map(WordRuns.init)
    let hasRestored = merged.units.contains { unit in
      guard !unit.isRow, let was = counts[0][unit.key] else { return false }
      return [(1, 2), (2, 1)].contains { own, other in
        counts[own][unit.key] == nil && counts[other][unit.key] == was
          && !runs[own - 1].contains(unit)
      }
    }
    if hasRestored { return true }
    let mergedRuns = WordRuns(merged)
    let hasJoined = versions[0].units.contains { unit in
      !unit.isRow && counts[1...].allSatisfy { $0[unit.key] == nil }
        && runs[0].contains(unit) != runs[1].contains(unit) && mergedRuns.contains(unit)
    }
    if hasJoined { return true }
    let kept = versions[0].units.filter { unit in runs.contains { $0.contains(unit) } }
    let (base, all) = (
      wordCounts(kept), [merged, versions[1], versions[2]].map { wordCounts($0.units) }
    )
    return all[0].contains { word, count in
      let (mine, theirs) = (all[1][word] ?? 0, all[2][word] ?? 0)
      return count > max(mine, theirs, mine + theirs - (base[word] ?? 0))
    }
  }

  /// Keeps both versions of each range of blocks that both changed, for texts that cannot be read
  /// back otherwise. This result is not read back.
  private mutating func keepBlocks(_ texts: [[UInt8]]) {
    needsReview = true
    var numbers = UnitNumbers()
    let versions = texts.map { BodyUnits($0, &numbers, size: .blocks, style: style) }
    let keys = versions.map { $0.units.map(\.key) }
    // Without a base, the blocks that both have are kept.
    let common =
      keys[0].isEmpty ? alignedPairs(keys[1], keys[2]).map { keys[1][$0.first] } : keys[0]
    func hunks(_ side: Int) -> [Hunk] {
      Hunk.all(between: alignedPairs(common, keys[side]), common.indices, keys[side].indices)
    }
    func text(_ side: Int, _ range: Range<Int>) -> [UInt8] {
      guard let first = range.first, let last = range.last else { return [] }
      let own = versions[side]
      return Array(own.bytes[own.units[first].start..<own.units[last].end])
    }
    var ranges: [[UInt8]] = []
    for region in ChangeRegion.all(hunks(1), hunks(2), count: common.count) {
      let (mine, theirs) = (text(1, region.a), text(2, region.b))
      let isKept = (region.changesOfA.isEmpty, region.changesOfB.isEmpty)
      switch isKept {
      case (true, false): ranges.append(theirs)
      case (false, false) where mine != theirs:
        ranges += theirs.lexicographicallyPrecedes(mine) ? [theirs, mine] : [mine, theirs]
      default: ranges.append(mine)
      }
    }
    bytes = Array(ranges.filter { !$0.isEmpty }.joined(separator: newline + newline))
    if texts[1...].contains(where: { $0.last == 0x0A }) { bytes += newline }
  }

  /// The heads of tables that are one unit: a version changed their cells, or has two of them.
  private static func wholeTables(_ texts: [[UInt8]]) -> Set<[UInt8]> {
    // A table has a line of dashes between bars.
    guard texts.contains(where: { $0.contains(UInt8(ascii: "|")) }) else { return [] }
    let heads = texts.map(tableHeads)
    var whole: Set<[UInt8]> = []
    for own in heads {
      whole.formUnion(own.filter { head in own.count { $0 == head } > 1 })
      let removed = heads[0].filter { !own.contains($0) }
      let added = own.filter { !heads[0].contains($0) }
      if !removed.isEmpty, !added.isEmpty { whole.formUnion(removed + added) }
    }
    return whole
  }
}

/// The number of occurrences of each word.
private func wordCounts(_ units: [BodyUnits.Unit]) -> [Int: Int] {
  units.reduce(into: [:]) { counts, unit in
    guard !unit.isRow else { return }
    for word in unit.words { counts[word.number, default: 0] += 1 }
  }
}

/// The words of a text and its pairs of neighbouring words.
private struct WordRuns {
  private let words: Set<Int>
  private let pairs: Set<WordPair>

  init(_ text: BodyUnits) {
    let numbers = text.units.flatMap(\.words).map(\.number)
    words = Set(numbers)
    pairs = Set(zip(numbers, numbers.dropFirst()).map(WordPair.init))
  }

  /// True if the text has the words of a unit side by side: it may only be cut differently.
  func contains(_ unit: BodyUnits.Unit) -> Bool {
    let numbers = unit.words.map(\.number)
    return !numbers.isEmpty && numbers.allSatisfy(words.contains)
      && zip(numbers, numbers.dropFirst()).allSatisfy {
        pairs.contains(WordPair(left: $0, right: $1))
      }
  }
}

extension BodyUnits.Unit {
  fileprivate var isRow: Bool { kind == .row || kind == .tableHead }
}
