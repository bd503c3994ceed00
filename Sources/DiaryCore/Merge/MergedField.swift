/// The merge of one key of a header.
struct MergedField {
  /// The field's lines; `nil` if the field is removed.
  private(set) var bytes: [UInt8]?
  /// The lines of the losing version, which are kept as comments.
  private(set) var losingLines: [UInt8]?

  /// Each version is a header with only this field, or `nil` without it.
  init(base: EntryText?, _ a: EntryText?, _ b: EntryText?) {
    guard let a, let b else {
      bytes = (a ?? b).flatMap { left in
        base.map { left.isSameField(as: $0) } ?? false ? nil : left.singleFieldLines
      }
      return
    }
    let (aSame, bSame) = (
      base.map { a.isSameField(as: $0) } ?? false, base.map { b.isSameField(as: $0) } ?? false
    )
    if let base, aSame, bSame {
      bytes = Array(
        mergedValue(base.singleFieldLines[...], a.singleFieldLines[...], b.singleFieldLines[...]))
    } else if aSame || bSame {
      bytes = (aSame ? b : a).singleFieldLines
    } else {
      mergeChanged(base, a, b)
    }
  }

  private mutating func mergeChanged(_ base: EntryText?, _ a: EntryText, _ b: EntryText) {
    let (winner, loser) = a.isPreferredField(over: b) ? (a, b) : (b, a)
    bytes = winner.singleFieldLines
    guard let value = winner.singleFieldValue, let losingValue = loser.singleFieldValue else {
      // One side has no value, so the other side's lines are used.
      if winner.singleFieldValue == nil { bytes = loser.singleFieldLines }
      return
    }
    if value == losingValue { return }
    if winner.isTagField, let tags = MergedTags(base: base?.singleFieldValue, value, losingValue) {
      if let written = winner.lines(withValue: tags.value, unless: value) {
        bytes = written
        return
      }
    }
    if winner.singleFieldKey == "weather" {
      switch (winner.isWeatherStamp, loser.isWeatherStamp) {
      case (true, true), (false, true): return
      case (true, false):
        bytes = loser.singleFieldLines
        return
      case (false, false): break
      }
    }
    losingLines = loser.singleFieldLines
  }
}

/// The merged set of tags, in the spelling of the first list.
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

  /// Splits a value as ``Entry`` does: plain text at commas, else at whitespace.
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

/// The parts of a text whose header is one field, as in ``HeaderParts/fields``.
extension EntryText {
  fileprivate var singleFieldLines: [UInt8] { Array(bytes[frontMatter.lines]) }
  fileprivate var singleFieldKey: String { fields.first?.key.lowercased() ?? "" }
  fileprivate var singleFieldValue: FieldValue? { fields.isEmpty ? nil : reading(at: 0).value }
  fileprivate var isTagField: Bool { EntryText.tagKeys.contains(singleFieldKey) }

  fileprivate var isWeatherStamp: Bool {
    guard case .text(let text) = singleFieldValue else { return false }
    return Weather(reading: text)?.isStamp ?? false
  }

  /// True if both fields are equal apart from line ends, trailing blanks and the composition of
  /// characters.
  fileprivate func isSameField(as other: EntryText) -> Bool {
    if bytes == other.bytes { return true }
    let (mine, theirs) = (singleFieldLines, other.singleFieldLines)
    func folded(_ bytes: [UInt8]) -> [String] {
      lineRanges(bytes[...]).map {
        String(decoding: withoutTrailingBlanks(bytes[$0]), as: UTF8.self)
      }
    }
    return folded(mine) == folded(theirs)
  }

  /// True if this field wins: it has the longer value, or for equal values the longer spelling.
  fileprivate func isPreferredField(over other: EntryText) -> Bool {
    let (mine, theirs) = (valueBytes, other.valueBytes)
    return mine == theirs
      ? isPreferred(singleFieldLines, over: other.singleFieldLines)
      : isPreferred(mine, over: theirs)
  }

  private var valueBytes: [UInt8] {
    switch singleFieldValue {
    case .text(let text): Array(text.utf8)
    case .list(let items): Array(items.joined(separator: ", ").utf8)
    case .mapping(let pairs): Array(pairs.map { "\($0.0): \($0.1)" }.joined(separator: ", ").utf8)
    case nil: []
    }
  }

  /// The field's lines with a new value in their own style; unchanged if the values are equal.
  fileprivate func lines(withValue new: FieldValue, unless value: FieldValue) -> [UInt8]? {
    if new == value { return singleFieldLines }
    var changed = self
    guard let key = fields.first?.key, (try? changed.set(key, new)) != nil else { return nil }
    return changed.singleFieldLines
  }
}
