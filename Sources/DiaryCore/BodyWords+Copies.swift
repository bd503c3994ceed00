extension BodyWords {
  /// Lines that stand here twice or more, of which one side took away one and the other side another,
  /// so that none would be left although both kept one: of each the first that was taken away.
  func lastCopies(
    _ changesOfA: [BodyChanges.Hunk], _ a: BodyWords, _ changesOfB: [BodyChanges.Hunk],
    _ b: BodyWords
  ) -> [Range<Int>] {
    let copies = Dictionary(grouping: lines, by: \.key).filter { $0.value.count > 1 }
    if copies.isEmpty { return [] }
    let sides = [(changesOfA, a), (changesOfB, b)]
    let left = sides.map { Set($0.1.lines.map(\.key)) }
    let added = sides.map { changes, side in
      Set(
        side.lines.filter { line in changes.contains { $0.side.overlaps(line.words) } }.map(\.key))
    }
    return copies.compactMap { key, copies -> Range<Int>? in
      guard left.allSatisfy({ $0.contains(key) }), !added.contains(where: { $0.contains(key) })
      else { return nil }
      let changes = copies.map { copy in
        sides.flatMap { $0.0.filter { $0.base.overlaps(copy.words) } }
      }
      if changes.contains(where: \.isEmpty) { return nil }
      return zip(copies, changes).first { copy, changes in
        changes.allSatisfy { $0.side.isEmpty && $0.base.contains(copy.words) }
      }?.0.tokens
    }.sorted { $0.lowerBound < $1.lowerBound }
  }
}

extension BodyWords.Line {
  /// The line without the break before it.
  fileprivate var words: Range<Int> { (tokens.lowerBound + 1)..<tokens.upperBound }
}
