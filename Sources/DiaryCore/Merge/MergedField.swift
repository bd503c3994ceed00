/// What becomes of one key of a header.
struct MergedField {
  /// The field's lines; `nil` when it is gone.
  private(set) var bytes: [UInt8]?
  /// The lines of the version that gave way, to be kept as comments.
  private(set) var other: [UInt8]?

  /// Each version is a header with that one field, or `nil` without it.
  init(base: EntryText?, _ a: EntryText?, _ b: EntryText?) {
    guard let a, let b else {
      bytes = (a ?? b).flatMap { left in
        base.map { left.isSameField(as: $0) } ?? false ? nil : left.ownLines
      }
      return
    }
    let (aSame, bSame) = (
      base.map { a.isSameField(as: $0) } ?? false, base.map { b.isSameField(as: $0) } ?? false
    )
    if let base, aSame, bSame {
      bytes = Array(merged(base.ownLines[...], a.ownLines[...], b.ownLines[...]))
    } else if aSame || bSame {
      bytes = (aSame ? b : a).ownLines
    } else {
      mergeChanged(base, a, b)
    }
  }

  private mutating func mergeChanged(_ base: EntryText?, _ a: EntryText, _ b: EntryText) {
    let (winner, loser) = a.standsAsField(before: b) ? (a, b) : (b, a)
    bytes = winner.ownLines
    guard let value = winner.ownValue, let lost = loser.ownValue else {
      // Nothing was said on one side.
      if winner.ownValue == nil { bytes = loser.ownLines }
      return
    }
    if value == lost { return }
    if winner.isTags, let tags = MergedTags(base: base?.ownValue, value, lost) {
      if let written = winner.withOwnValue(tags.value, unless: value) {
        bytes = written
        return
      }
    }
    if winner.ownKey == "weather" {
      switch (winner.isStamp, loser.isStamp) {
      case (true, true), (false, true): return
      case (true, false):
        bytes = loser.ownLines
        return
      case (false, false): break
      }
    }
    other = loser.ownLines
  }
}

/// Tags as a set of added and removed, in the spelling of the first list.
struct MergedTags {
  private(set) var value: FieldValue

  init?(base: FieldValue?, _ winner: FieldValue, _ loser: FieldValue) {
    guard let mine = MergedTags.items(winner), let theirs = MergedTags.items(loser) else {
      return nil
    }
    let old = Set((base.flatMap(MergedTags.items) ?? []).map(MergedTags.name))
    let (mineNames, theirNames) = (Set(mine.map(MergedTags.name)), Set(theirs.map(MergedTags.name)))
    var seen: Set<String> = []
    let items = (mine + theirs).filter { item in
      let name = MergedTags.name(item)
      return (!old.contains(name) || mineNames.contains(name) && theirNames.contains(name))
        && seen.insert(name).inserted
    }
    switch winner {
    case .text(let words) where !words.contains(",") && !items.contains { $0.contains(" ") }:
      value = .text(items.joined(separator: " "))
    case .text: value = .text(items.joined(separator: ", "))
    case .list, .mapping: value = .list(items)
    }
  }

  /// As ``Entry`` reads tags: a plain value splits at commas, else at blanks.
  private static func items(_ value: FieldValue) -> [String]? {
    switch value {
    case .list(let items): return items
    case .mapping: return nil
    case .text(let words):
      if words.contains(where: { "[]{}\"".contains($0) }) { return nil }
      let hasCommas = words.contains(",")
      return words.split { hasCommas ? $0 == "," : $0.isWhitespace }
        .map { trimmed($0) }.filter { !$0.isEmpty }
    }
  }

  private static func name(_ item: String) -> String {
    trimmed(item.drop { $0 == "#" || $0 == " " }).lowercased()
  }
}

/// A text whose header is one field, as ``HeaderParts/fields`` has it.
extension EntryText {
  fileprivate var ownLines: [UInt8] { Array(bytes[frontMatter.lines]) }
  fileprivate var ownKey: String { fields.first?.key.lowercased() ?? "" }
  fileprivate var ownValue: FieldValue? { fields.isEmpty ? nil : reading(at: 0).value }
  fileprivate var isTags: Bool { EntryText.tagKeys.contains(ownKey) }

  fileprivate var isStamp: Bool {
    guard case .text(let words) = ownValue else { return false }
    return Weather(reading: words)?.isStamp ?? false
  }

  /// Whether both say the same in the same way, apart from line ends, blanks at the ends of lines,
  /// and how characters are composed.
  fileprivate func isSameField(as other: EntryText) -> Bool {
    if bytes == other.bytes { return true }
    let (mine, theirs) = (ownLines, other.ownLines)
    func folded(_ bytes: [UInt8]) -> [String] {
      lineRanges(bytes[...]).map {
        String(decoding: withoutLastBlanks(bytes[$0]), as: UTF8.self)
      }
    }
    return folded(mine) == folded(theirs)
  }

  /// The longer value stands; of equal ones the longer spelling.
  fileprivate func standsAsField(before other: EntryText) -> Bool {
    let (mine, theirs) = (valueBytes, other.valueBytes)
    return mine == theirs
      ? stands(ownLines, before: other.ownLines) : stands(mine, before: theirs)
  }

  private var valueBytes: [UInt8] {
    switch ownValue {
    case .text(let text): Array(text.utf8)
    case .list(let items): Array(items.joined(separator: ", ").utf8)
    case .mapping(let pairs): Array(pairs.map { "\($0.0): \($0.1)" }.joined(separator: ", ").utf8)
    case nil: []
    }
  }

  /// The field's lines with another value, in its own style; as they are when it is `value`.
  fileprivate func withOwnValue(_ new: FieldValue, unless value: FieldValue) -> [UInt8]? {
    if new == value { return ownLines }
    var changed = self
    guard let key = fields.first?.key, (try? changed.set(key, new)) != nil else { return nil }
    return changed.ownLines
  }
}
