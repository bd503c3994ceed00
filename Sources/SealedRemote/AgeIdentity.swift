import Localization

/// The key of a sealed remote: an age identity, as a person writes it down and types it.
package struct AgeIdentity: Equatable {
  /// The line of a key file.
  package let line: String

  private static let start = "AGE-SECRET-KEY-1"
  private static let length = start.utf8.count + 58
  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

  /// Reads what a person typed, or a key file, in which `#` begins a comment. Blanks and case do not
  /// matter. No error repeats any of the text.
  package init(_ text: String) throws(SealedError) {
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
    line = lines.joined().uppercased().filter { !$0.isWhitespace }
    guard line.hasPrefix(Self.start) else {
      throw SealedError(
        localized("this is no key of a sealed remote: such a key begins with \(Self.start)"))
    }
    guard line.utf8.count == Self.length else {
      throw SealedError(
        localized(
          "the key has a mistake: it has \(line.count) characters, and \(Self.length) are right"))
    }
    guard hasRightChecksum else {
      throw SealedError(
        localized("the key has a mistake: one or more of its characters are wrong"),
        hint: localized("after \(Self.start) a key has no 1, B, I or O"))
    }
  }

  /// True if words have a key in them, or most of one, also in the groups in which it is written down.
  package static func isIn(_ words: [String]) -> Bool {
    let isWhole = words.contains { word in
      rests(of: word.uppercased()).contains { rest in
        rest.prefix { $0.isLetter || $0.isNumber }.count > 20
      }
    }
    // No sentence goes on with so many letters of this alphabet and a digit.
    let joined = words.joined().uppercased().filter { !$0.isWhitespace }
    return isWhole
      || rests(of: joined).contains { rest in
        let typed = rest.lowercased().utf8.prefix { alphabet.contains($0) }
        return typed.count > 20 && typed.contains { (48...57).contains($0) }
      }
  }

  /// The parts of a text behind each beginning of a key.
  private static func rests(of text: String) -> [Substring] {
    text.ranges(of: start).map { text[$0.upperBound...] }
  }

  /// The line in rows and groups that can be copied by hand.
  package var rows: [String] {
    let rest = Array(line.dropFirst(Self.start.count))
    let groups = stride(from: 0, to: rest.count, by: 4).map { String(rest[$0...].prefix(4)) }
    let rows = stride(from: 0, to: groups.count, by: 5).map {
      groups[$0...].prefix(5).joined(separator: " ")
    }
    return [Self.start] + rows
  }

  /// The checksum of Bech32 (BIP 173), which finds up to four wrong characters.
  private var hasRightChecksum: Bool {
    let name = Self.start.lowercased().utf8.dropLast()
    let typed = line.lowercased().utf8.dropFirst(Self.start.utf8.count)
    let values = typed.compactMap { Self.alphabet.firstIndex(of: $0) }
    guard values.count == typed.count else { return false }
    let all = name.map { Int($0) >> 5 } + [0] + name.map { Int($0) & 31 } + values
    var sum = 1
    for value in all {
      let top = sum >> 25
      sum = (sum & 0x1ff_ffff) << 5 ^ value
      let terms = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
      for (bit, term) in terms.enumerated() where top >> bit & 1 == 1 { sum ^= term }
    }
    return sum == 1
  }
}
