/// The merge of two versions of a body: whole units, each as one writer typed it. docs/merge.md tells the
/// rule.
struct MergedBody {
  private(set) var bytes: [UInt8] = []
  /// Whether the user should look at the result: two versions of something stand in it, or something
  /// that one of them took away.
  private(set) var needsReview = false

  private let newline: [UInt8]
  private let wholeTables: Set<[UInt8]>

  init(base: [UInt8], _ a: [UInt8], _ b: [UInt8], newline: [UInt8]) {
    self.newline = newline
    wholeTables = MergedBody.wholeTables([base, a, b])
    let isNew = base.allSatisfy { $0 <= 0x20 }
    // What cannot be read back as it was written is put together from larger units.
    for size in [isNew ? BodyUnits.Size.paragraphs : .sentences, .blocks] {
      if merge([base, a, b], size) { return }
    }
    bytes = concatenation(a, b)
    needsReview = true
  }

  /// Merges units of a size; `false` where the result does not read as its units do.
  private mutating func merge(_ texts: [[UInt8]], _ size: BodyUnits.Size) -> Bool {
    var numbers = UnitNumbers()
    let units = texts.map { BodyUnits($0, &numbers, size: size, wholeTables: wholeTables) }
    let plan = MergePlan(UnitMatching(base: units[0], units[1], units[2], numbers))
    needsReview = plan.needsReview
    var writer = MergeWriter(plan, newline: newline)
    // What stands too close to be read as it was written gets a blank line.
    for _ in 0..<12 {
      bytes = writer.mergedBytes()
      let read = BodyUnits(bytes, &numbers, size: size, wholeTables: wholeTables)
      guard let misread = writer.firstMisread(read) else { return true }
      guard writer.addBlankLine(near: misread) else { return false }
    }
    return false
  }

  /// Both bodies whole: for texts that cannot be put together otherwise.
  private func concatenation(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    let (first, second) = a.lexicographicallyPrecedes(b) ? (a, b) : (b, a)
    var text = first
    while let last = text.last, last == 0x0A || last == 0x0D { text.removeLast() }
    return text + newline + newline + second.drop { $0 == 0x0A || $0 == 0x0D }
  }

  /// The heads of tables that are one unit: one version gave them other cells, or has two of them.
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
