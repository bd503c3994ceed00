/// A set of text styles for a terminal.
struct TextStyle: OptionSet, Hashable {
  let rawValue: UInt8
  static let bold = TextStyle(rawValue: 1)
  static let dim = TextStyle(rawValue: 2)
  static let italic = TextStyle(rawValue: 4)
  static let underline = TextStyle(rawValue: 8)
  static let strikethrough = TextStyle(rawValue: 16)
  static let code = TextStyle(rawValue: 32)
  static let highlight = TextStyle(rawValue: 64)

  /// Returns the text between the escape sequences that switch the style on and off.
  func applied(to text: String) -> String {
    if isEmpty || text.isEmpty { return text }
    let codes: [(TextStyle, String)] = [
      (.bold, "1"), (.dim, "2"), (.italic, "3"), (.underline, "4"), (.strikethrough, "9"),
      (.code, "36"), (.highlight, "7"),
    ]
    let wanted = codes.filter { contains($0.0) }.map(\.1).joined(separator: ";")
    return "\u{1B}[\(wanted)m\(text)\u{1B}[0m"
  }
}

/// A text of one style. It contains no control characters.
struct StyledText: Equatable {
  var text: String
  var style: TextStyle
}
