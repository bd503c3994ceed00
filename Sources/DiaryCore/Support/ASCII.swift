extension UInt8 {
  /// An ASCII digit, `0` to `9`.
  package var isDigit: Bool { (0x30...0x39).contains(self) }

  /// An ASCII letter in either case.
  package var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }

  /// A blank, a tab or one of the line ends.
  package var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

/// The text without surrounding blanks and line endings, compared byte by byte.
package func trimmed(_ text: some StringProtocol) -> String {
  let bytes = Array(text.utf8)
  guard let start = bytes.firstIndex(where: { !$0.isSpace }),
    let last = bytes.lastIndex(where: { !$0.isSpace })
  else { return "" }
  return String(decoding: bytes[start...last], as: UTF8.self)
}

/// The part of a path behind its last slash. Foundation's `lastPathComponent` (Swift 6.3) ends the
/// program for some paths that stand in texts, such as `a.//é`.
package func lastComponent(_ path: some StringProtocol) -> String {
  path.split(separator: "/").last.map { String($0) } ?? ""
}

/// The trimmed lines of a text as one, without the blank ones.
package func singleLine(_ text: String) -> String {
  text.split(whereSeparator: \.isNewline).map { trimmed($0) }.filter { !$0.isEmpty }
    .joined(separator: " ")
}

/// The text on one line. White space becomes single blanks.
package func withSingleBlanks(_ text: String) -> String {
  text.split(whereSeparator: \.isBlank).joined(separator: " ")
}

extension Character {
  /// True for white space alone. A blank with a combining mark, for which `isWhitespace` is true as
  /// well, is text.
  package var isBlank: Bool { isWhitespace && unicodeScalars.allSatisfy(\.properties.isWhitespace) }
}

extension Unicode.Scalar {
  /// A combining mark, such as the voicing mark of a kana.
  var isMark: Bool {
    guard value >= 0x300 else { return false }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return false
    }
  }

  /// An invisible format character, such as a zero-width joiner.
  var isFormat: Bool { value >= 0x300 && properties.generalCategory == .format }
}
