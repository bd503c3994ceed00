import Foundation

/// Day One's text format: Markdown in which every character that could be markup is escaped.
package enum DayOneText {
  /// Characters whose escapes are removed. Without the backslash they have the same meaning in
  /// Markdown, except at the start of a line.
  private static let unescapable = Set(".()!-+{}|~#=:>&'\"".unicodeScalars)

  /// Returns the text without the backslashes that only Day One needs. An escape stays if its
  /// character alone would be markup: `*`, `_`, a backtick, brackets, and the characters that start
  /// a heading, a list or a quotation at the start of a line.
  package static func unescaped(_ text: String) -> String {
    guard text.contains("\\") else { return text }
    var result = String.UnicodeScalarView()
    var isLineStart = true
    var remaining = Substring(text).unicodeScalars
    while let scalar = remaining.popFirst() {
      if scalar == "\\", let next = remaining.first {
        if next == "\\"
          || (unescapable.contains(next)
            && !(isLineStart && ".)-+#>=~|:".unicodeScalars.contains(next)))
        {
          remaining.removeFirst()
          result.append(next)
          isLineStart = false
          continue
        }
      }
      result.append(scalar)
      let isNumber = ("0"..."9").contains(scalar) && isLineStart
      isLineStart = scalar == "\n" || (isLineStart && (scalar == " " || scalar == "\t")) || isNumber
    }
    return String(result)
  }

  /// Returns the text that ``unescaped(_:)`` converts to `text`.
  package static func escaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    var result = String.UnicodeScalarView()
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      result.append(scalar)
      guard scalar == "\\", index + 1 < scalars.count else { continue }
      let next = scalars[index + 1]
      if next == "\\" || unescapable.contains(next) { result.append("\\") }
    }
    return String(result)
  }
}
