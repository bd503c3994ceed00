/// The difference between two texts in whole words: Korean and Latin words by blanks, each Han or
/// kana character a word. The parts that are ``Part/same`` or ``Part/added`` form the new text,
/// those that are ``Part/same`` or ``Part/removed`` the old one, byte for byte.
package struct WordDiff: Hashable, Sendable {
  /// A part of the texts.
  package enum Part: Hashable, Sendable {
    case same(String)
    case removed(String)
    case added(String)
  }

  /// The parts in order; removed text is before the text that replaces it.
  package let parts: [Part]
  /// The number of words of the new text that the old one lacks.
  package let added: Int
  /// The number of words of the old text that the new one lacks: ``added`` with the texts
  /// exchanged.
  package let removed: Int

  /// Compares two texts. The time grows with their length and, up to a limit, their difference.
  package init(from old: String, to new: String) {
    let (before, after) = (WordTokens(Array(old.utf8)), WordTokens(Array(new.utf8)))
    var builder = PartsBuilder()
    var (oldAt, newAt, sameWords) = (0, 0, 0)
    for match in WordDiff.matches(before, after) {
      let (was, now) = (before.tokens[match.old], after.tokens[match.new])
      builder.replace(before.bytes[oldAt..<was.start], after.bytes[newAt..<now.start])
      builder.addSame(after.bytes[now.start..<now.end])
      (oldAt, newAt) = (was.end, now.end)
      sameWords += now.isWord ? 1 : 0
    }
    builder.replace(before.bytes[oldAt...], after.bytes[newAt...])
    parts = builder.finish()
    added = after.words - sameWords
    removed = before.words - sameWords
  }

  /// The first added and removed parts that are not blank, together at most `length` characters,
  /// and an ellipsis for the unchanged text between two of them.
  package func excerpt(of length: Int) -> [Part] {
    var excerpt: [Part] = []
    var remaining = length
    var isGap = false
    for part in parts where remaining > 0 {
      let make: (String) -> Part
      let text: String
      switch part {
      case .same:
        isGap = !excerpt.isEmpty
        continue
      case .removed(let removed): (make, text) = (Part.removed, removed)
      case .added(let added): (make, text) = (Part.added, added)
      }
      guard text.contains(where: { !$0.isWhitespace }) else { continue }
      if isGap { excerpt.append(.same(" … ")) }
      isGap = false
      excerpt.append(make(String(text.prefix(remaining))))
      remaining -= min(remaining, text.count)
    }
    return excerpt
  }

  /// The tokens that both texts have in the same order.
  private static func matches(
    _ old: WordTokens, _ new: WordTokens
  ) -> [(old: Int, new: Int)] {
    var numbers: [ArraySlice<UInt8>: Int] = [:]
    func numbered(_ text: WordTokens) -> [Int] {
      text.tokens.map { token in
        let word = text.bytes[token.start..<token.end]
        let number = numbers[word] ?? numbers.count
        numbers[word] = number
        return number
      }
    }
    // If several results are equally good, both directions must choose the same one.
    if new.bytes.lexicographicallyPrecedes(old.bytes) {
      return commonSequence(numbered(new), numbered(old)).map { ($0.second, $0.first) }
    }
    return commonSequence(numbered(old), numbered(new)).map { ($0.first, $0.second) }
  }
}

/// Builds the parts. Blanks that both sides have at an edge are not a difference.
private struct PartsBuilder {
  private var parts: [WordDiff.Part] = []
  private var same: [UInt8] = []

  mutating func addSame(_ bytes: ArraySlice<UInt8>) { same += bytes }

  mutating func replace(_ old: ArraySlice<UInt8>, _ new: ArraySlice<UInt8>) {
    var (old, new) = (old, new)
    while let byte = old.first, byte == new.first, isASCIIBlank(byte) {
      same.append(byte)
      old.removeFirst()
      new.removeFirst()
    }
    var tail: [UInt8] = []
    while let byte = old.last, byte == new.last, isASCIIBlank(byte) {
      tail.append(byte)
      old.removeLast()
      new.removeLast()
    }
    if !old.isEmpty || !new.isEmpty {
      flush()
      if !old.isEmpty { parts.append(.removed(String(decoding: old, as: UTF8.self))) }
      if !new.isEmpty { parts.append(.added(String(decoding: new, as: UTF8.self))) }
    }
    same += tail.reversed()
  }

  mutating func finish() -> [WordDiff.Part] {
    flush()
    return parts
  }

  private mutating func flush() {
    if !same.isEmpty { parts.append(.same(String(decoding: same, as: UTF8.self))) }
    same = []
  }

  private func isASCIIBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
