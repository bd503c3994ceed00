import TestSupport
import Testing

@testable import DiaryCore

/// The rule that a merge contains only units that a user wrote, tested with seeded edits of prose
/// in five scripts. A failure names its part and round.
struct EntryMergeUnitTests {
  @Test(arguments: 1...3)
  func `every unit of a merge was written by a user`(part: Int) {
    var dice = SeededGenerator(part: part)
    var merges = 0
    for round in 0..<SeededGenerator.rounds(200) {
      let (page, language) = dice.page()
      let (a, b) = (dice.edited(page, language), dice.edited(page, language))
      let sample = UnitMergeSample(base: page.text, a: a.text, b: b.text)
      if sample.isMerge { merges += 1 }
      if let complaint = sample.complaint() {
        Issue.record("\(dice), round \(round): \(complaint)\n\(sample)")
      }
    }
    #expect(merges > 50)
  }
}

/// A merge of three texts and the checks of its result.
struct UnitMergeSample: CustomStringConvertible {
  private let texts: [String]
  private let units: [[Piece]]
  private let merge: EntryMerge
  private let mirrored: EntryMerge

  /// A unit of text as a user sees it.
  struct Piece {
    let kind: BodyUnits.Kind
    let key: Int
    let words: [BodyUnits.Word]
    let block: Int
    /// The key of the table head, if the unit is a row.
    let head: Int?
    let bytes: [UInt8]
    let spelled: [[UInt8]]
  }

  init(base: String, a: String, b: String) {
    let bytes = [base, a, b].map { Array($0.utf8) }
    merge = EntryMerge(base: bytes[0], bytes[1], bytes[2])
    mirrored = EntryMerge(base: bytes[0], bytes[2], bytes[1])
    texts = [base, a, b, String(decoding: merge.bytes, as: UTF8.self)]
    var numbers = UnitNumbers()
    units = (bytes + [merge.bytes]).map { text in
      let read = BodyUnits(text, &numbers)
      return read.units.map { unit in
        Piece(
          kind: unit.kind, key: unit.key, words: unit.words, block: unit.block,
          head: unit.kind == .row ? unit.parent.map { read.units[$0].key } : nil,
          bytes: Array(text[unit.text]), spelled: unit.words.map { Array(text[$0.range]) })
      }
    }
  }

  var isMerge: Bool { Set(texts.prefix(3)).count == 3 }

  var description: String {
    zip(["base", "a", "b", "merged"], texts).map { "\($0): \($1.debugDescription)" }
      .joined(separator: "\n")
  }

  func complaint() -> String? {
    if merge != mirrored {
      return "not symmetric: \(String(decoding: mirrored.bytes, as: UTF8.self))"
    }
    return foreignUnit() ?? lostUnit() ?? duplicatedUnit() ?? foreignNeighbour() ?? foreignBlock()
      ?? instability()
  }

  private var result: [Piece] { units[3] }

  /// Reports a unit that neither a version contains nor is a correction of one.
  private func foreignUnit() -> String? {
    let known = Set(units.prefix(3).joined().map(\.key))
    for piece in result where !known.contains(piece.key) {
      let isCorrected = units[1...2].joined().contains { isCorrection(piece, of: $0) }
      if !isCorrected, !isJoined(piece, in: units.prefix(3)) {
        return "\(text(piece)) was written by nobody"
      }
    }
    return nil
  }

  /// Whether every version contains the unit at most once. Equal units cannot be told apart.
  private func isSingle(_ key: Int) -> Bool {
    units.prefix(3).allSatisfy { occurrences(of: key, in: $0) < 2 }
  }

  private func occurrences(of key: Int, in version: [Piece]) -> Int {
    version.count { $0.key == key }
  }

  /// Whether a version contains the same words with other unit boundaries.
  private func isJoined(_ piece: Piece, in versions: some Collection<[Piece]>) -> Bool {
    versions.contains { version in
      version.indices.contains { start in
        var words: [BodyUnits.Word] = []
        for end in start..<version.count where words.count < piece.words.count {
          words += version[end].words
          if words == piece.words { return true }
        }
        return words.count > piece.words.count && words.starts(with: piece.words)
      }
    }
  }

  private func isCorrection(_ piece: Piece, of other: Piece) -> Bool {
    piece.words.count == other.words.count
      && zip(piece.spelled, other.spelled).allSatisfy { now, was in
        now == was || isSpellingVariant(was[...], now[...]) || isSpellingVariant(now[...], was[...])
          || String(decoding: now, as: UTF8.self).lowercased()
            == String(decoding: was, as: UTF8.self).lowercased()
      }
  }

  /// Reports a unit that was typed and not removed, and that no unit of the result replaces.
  private func lostUnit() -> String? {
    let kept = Set(result.map(\.key))
    let before = Set(units[0].map(\.key))
    for version in units[1...2] {
      for piece in version where !kept.contains(piece.key) && !before.contains(piece.key) {
        // A corrected spelling may be missing if the other version removed the words.
        if units[0].contains(where: { isCorrection(piece, of: $0) }) { continue }
        let isThere = result.contains { other in
          isCorrection(other, of: piece) || units[0].contains { includes(other, piece, since: $0) }
        }
        if !isThere, !isJoined(piece, in: units[3...3]), !isWithin(piece) {
          return "\(text(piece)) is lost"
        }
      }
    }
    let both = Set(units[1].map(\.key)).intersection(units[2].map(\.key))
    for piece in units[0]
    where both.contains(piece.key) && !kept.contains(piece.key) && isSingle(piece.key) {
      if !isJoined(piece, in: units[3...3]) {
        return "\(text(piece)) was touched by nobody and is lost"
      }
    }
    return nil
  }

  /// Whether one unit contains all changes that another made to the base.
  private func includes(_ piece: Piece, _ other: Piece, since base: Piece) -> Bool {
    let (mine, theirs) = (
      WordChange.all(from: base.words, to: piece.words),
      WordChange.all(from: base.words, to: other.words)
    )
    return theirs.count <= base.words.count && WordChange.hasChanges(mine, all: theirs)
  }

  /// Whether a unit is part of a larger one: in a quote, the sentences of a line are one unit.
  private func isWithin(_ piece: Piece) -> Bool {
    result.contains { other in
      let last = other.words.count - piece.words.count
      return last >= 0
        && (0...last).contains { other.words[$0...].starts(with: piece.words) }
    }
  }

  /// Reports a unit with more copies than either version, unless both added it in other places.
  private func duplicatedUnit() -> String? {
    func counts(_ pieces: [Piece]) -> [Int: Int] {
      pieces.reduce(into: [:]) { $0[$1.key, default: 0] += 1 }
    }
    let (was, mine, theirs) = (counts(units[0]), counts(units[1]), counts(units[2]))
    for (key, count) in counts(result) where isSingle(key) && (mine[key] ?? theirs[key]) != nil {
      let most = max(mine[key] ?? 0, theirs[key] ?? 0)
      let added =
        max(0, (mine[key] ?? 0) - (was[key] ?? 0)) + max(0, (theirs[key] ?? 0) - (was[key] ?? 0))
      if count > max(most, (was[key] ?? 0) + added) {
        let piece = result.first { $0.key == key }
        // A table is kept whole if a version has its head twice or with other cells.
        if let head = piece?.head,
          !units.prefix(3).allSatisfy({ occurrences(of: head, in: $0) == 1 })
        {
          continue
        }
        return "\(piece.map(text) ?? "") stands there \(count) times"
      }
    }
    return nil
  }

  /// Reports a sentence that follows one that it did not follow in its version.
  private func foreignNeighbour() -> String? {
    let base = Set(units[0].map(\.key))
    for (one, other) in zip(result, result.dropFirst())
    where one.kind == .sentence && other.kind == .sentence && one.block == other.block {
      if base.contains(other.key) || !base.contains(one.key) || isMoved(one) { continue }
      guard isSingle(one.key), isSingle(other.key) else { continue }
      // An addition or change after a sentence that existed before.
      let isKnown = units.prefix(3).contains { version in
        zip(version, version.dropFirst()).contains { first, second in
          (second.key == other.key || isCorrection(other, of: second))
            && (first.key == one.key || areSimilar(first, one) || !isIn(first, result)
              || !isSingle(first.key))
        } || version.first?.key == other.key
      }
      if !isKnown { return "\(text(other)) stands behind \(text(one))" }
    }
    return nil
  }

  /// Whether a version has the unit after another predecessor than the base.
  private func isMoved(_ piece: Piece) -> Bool {
    func before(_ version: [Piece]) -> Int? {
      version.firstIndex { $0.key == piece.key }.map { $0 == 0 ? -1 : version[$0 - 1].key }
    }
    let place = before(units[0])
    return units[1...2].contains { before($0).map { $0 != place } ?? false }
  }

  private func isIn(_ piece: Piece, _ pieces: [Piece]) -> Bool {
    pieces.contains { $0.key == piece.key }
  }

  private func areSimilar(_ one: Piece, _ other: Piece) -> Bool {
    let common = alignedPairs(one.words.map(\.number), other.words.map(\.number))
      .reduce(0) { $0 + one.words[$1.first].letters }
    return 2 * common
      >= max(one.words.reduce(0) { $0 + $1.letters }, other.words.reduce(0) { $0 + $1.letters })
  }

  /// Reports a kind of block that no version has, or a code block or table head that none has.
  private func foreignBlock() -> String? {
    let known = Set(units.prefix(3).joined().map { $0.kind })
    for piece in result {
      if !known.contains(piece.kind) { return "\(piece.kind) is no kind of the versions" }
      if piece.kind == .code || piece.kind == .tableHead,
        !units.prefix(3).joined().contains(where: { $0.key == piece.key && $0.kind == piece.kind })
      {
        return "\(text(piece)) is no block of the versions"
      }
    }
    return nil
  }

  private func instability() -> String? {
    let (base, m) = (Array(texts[0].utf8), merge.bytes)
    for side in [texts[1], texts[2]].map({ Array($0.utf8) }) {
      if EntryMerge(base: side, m, side).bytes != m { return "merged again it changes" }
      if EntryMerge(base: base, side, side).bytes != side { return "not itself" }
      if EntryMerge(base: base, base, side).bytes != side { return "not the only change" }
    }
    return nil
  }

  private func text(_ piece: Piece) -> String {
    String(decoding: piece.bytes, as: UTF8.self).debugDescription
  }
}
