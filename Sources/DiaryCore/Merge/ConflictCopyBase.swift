extension EntryMerge {
  /// Merges a conflict copy into its entry. The base is not known, so it is found in the entry's
  /// history: `versions` are its saved texts, the oldest first and the present one last.
  package init(conflictCopy copy: [UInt8], into present: [UInt8], versions: [[UInt8]]) {
    let base = ConflictCopyBase(versions.filter(EntryMerge.canMerge), copy)
    if let base, !base.hasNewPieces {
      self.init(bytes: present)
      return
    }
    let merge = EntryMerge(base: base?.bytes, present, copy)
    self.init(
      bytes: merge.bytes, hasConflict: merge.hasConflict || base?.keepsReplaced ?? false)
  }
}

/// The base for the merge of a conflict copy.
///
/// A text has pieces: the units of its body and the elements of its header. A version is proved if
/// the copy has a piece of it that no older version had. The base is the newest proved version.
/// Such a piece may also have been typed twice, for example a heading, so one proof is not enough
/// for the merge to remove anything:
/// - A piece that the copy lacks is removed only if every version since the second newest proved
///   one has it. Otherwise the base does not contain it, so it counts as an addition of the entry.
/// - A piece of the copy that an older version had is not a change by the copy, so the base has it.
/// - If the present text is the newest proved one, it need not be older than the copy, which may come
///   from a text that was never saved: a changed piece that no older version has stays in both forms,
///   and so does any if only the present text is proved.
/// - A copy of which each piece is in some version was merged before, or is a version itself, and
///   changes nothing.
struct ConflictCopyBase {
  /// The text of the base.
  private(set) var bytes: [UInt8] = []
  /// True if the copy has a piece that no version has, or one more often.
  private(set) var hasNewPieces = false
  /// True if a unit stays although the copy has another text in its place.
  private(set) var keepsReplaced = false

  /// Returns `nil` if no version is proved. The merge then keeps everything that either text has.
  init?(_ versions: [[UInt8]], _ copyBytes: [UInt8]) {
    var numbers = UnitNumbers()
    let copy = TextPieces(copyBytes, &numbers)
    var pieces: [TextPieces] = []
    /// The oldest version with each piece.
    var origins: [[UInt8]: Int] = [:]
    var most: [[UInt8]: Int] = [:]
    for (number, version) in versions.enumerated() {
      pieces.append(TextPieces(version, &numbers))
      for (piece, count) in pieces[number].counts {
        origins[piece] = origins[piece] ?? number
        most[piece] = max(most[piece] ?? 0, count)
      }
    }
    let proved = Set(copy.counts.keys.compactMap { origins[$0] }).sorted(by: >)
    guard let newest = proved.first else { return nil }
    hasNewPieces = copy.counts.contains { $0.value > most[$0.key] ?? 0 }
    let base = pieces[newest]
    let isBefore = versions[newest] != versions.last
    let since = proved.dropFirst().first.map { pieces[$0...] }
    func isOld(_ piece: [UInt8]) -> Bool { origins[piece].map { $0 < newest } ?? false }
    /// True if the copy's form of the base's piece is the newer one.
    func isOlder(_ piece: [UInt8]) -> Bool { isBefore || proved.count > 1 && isOld(piece) }
    func isRemovable(_ isThere: (TextPieces) -> Bool) -> Bool {
      since?.allSatisfy(isThere) ?? false
    }

    bytes = base.header(
      comparedWith: copy, isOlder: isOlder, isOld: isOld,
      isRemovable: { piece in isRemovable { $0.counts[piece] != nil } })
    let whole = base.units
    let matching = UnitMatching(base: whole, copy.units, whole, numbers)
    let (units, side) = (matching.base, matching.sides[0])
    var gap: [UInt8] = []
    for index in 0...units.units.count {
      // The longest of the gaps around a unit that is left out separates its neighbours.
      let before = units.bytes[units.gap(before: index)]
      if before.count > gap.count { gap = Array(before) }
      guard index < units.units.count else { break }
      let unit = units.units[index]
      let partner = side.unitForBase[index].map { side.text.units[$0] }
      let own = units.bytes[unit.start..<unit.end]
      let theirs = partner.map { side.text.bytes[$0.start..<$0.end] } ?? []
      let (piece, other) = (TextPieces.piece(own), TextPieces.piece(theirs))
      if partner != nil, side.isSimilar[index],
        side.isSame[index] || piece == other || isOld(other) || isOlder(piece)
      {
        bytes += gap + (isOld(other) ? theirs : own)
      } else if isRemovable({ $0.keys.contains(unit.key) }) {
        bytes += gap + own
      } else {
        if partner != nil { keepsReplaced = true }
        continue
      }
      gap = []
    }
    bytes += gap
  }
}

/// A text as the pieces that show from which version of an entry it was made.
private struct TextPieces {
  let units: BodyUnits
  /// The number of each piece, exactly as it is.
  private(set) var counts: [[UInt8]: Int] = [:]
  /// The letters of the units.
  let keys: Set<Int>
  private let aboveBody: [UInt8]
  private let parts: HeaderParts?

  init(_ bytes: [UInt8], _ numbers: inout UnitNumbers) {
    let text = EntryText(bytes)
    aboveBody = text.bytesAboveBody
    parts = HeaderParts(text)
    units = BodyUnits(Array(text.bodyBytes), &numbers)
    keys = Set(units.units.map(\.key))
    let header = parts?.elements.map(\.bytes) ?? [aboveBody]
    let all =
      units.units.map { TextPieces.piece(units.bytes[$0.start..<$0.end]) }
      + header.map(TextPieces.headerPiece)
    for piece in all where piece != [0] { counts[piece, default: 0] += 1 }
  }

  /// A piece without its line end; its other line ends are LF.
  static func piece(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var piece = bytes.filter { $0 != 0x0D }
    while let last = piece.last, isBlank(last) { piece.removeLast() }
    return piece
  }

  /// A piece of a header, which equals none of a body.
  private static func headerPiece(_ bytes: [UInt8]) -> [UInt8] { [0] + piece(bytes) }

  /// The header of the base, by the rules of ``ConflictCopyBase``. A TOML or JSON header is one
  /// piece.
  func header(
    comparedWith copy: TextPieces, isOlder: ([UInt8]) -> Bool, isOld: ([UInt8]) -> Bool,
    isRemovable: ([UInt8]) -> Bool
  ) -> [UInt8] {
    func chosen(_ own: [UInt8], _ theirs: [UInt8]?) -> [UInt8] {
      guard let theirs else { return isRemovable(TextPieces.headerPiece(own)) ? own : [] }
      if isOld(TextPieces.headerPiece(theirs)) { return theirs }
      return own == theirs || isOlder(TextPieces.headerPiece(own)) ? own : []
    }
    guard let parts, copy.parts != nil || copy.aboveBody.isEmpty else {
      return chosen(aboveBody, copy.aboveBody.isEmpty ? nil : copy.aboveBody)
    }
    let theirs = Dictionary(
      (copy.parts?.elements ?? []).map { ($0.name, $0.bytes) }, uniquingKeysWith: { one, _ in one })
    let elements = parts.elements.flatMap { chosen($0.bytes, theirs[$0.name]) }
    return elements.isEmpty ? [] : parts.opening + elements + parts.closing
  }
}
