/// A text that is safe on a terminal. Control characters (except newline and tab) and marks that
/// change the writing direction are escaped, such as `\x1B` and `\u202E`; CRLF becomes a newline.
package func terminalText(_ text: String) -> String {
  escapedText(text) { $0 == "\n" || $0 == "\t" }
}

/// A text for a terminal with newlines escaped, too, so that no name looks like a line of its own.
package func terminalName(_ text: String) -> String { escapedText(text) { $0 == "\t" } }

/// A text for a terminal on one line: newlines, tabs and whitespace around them become one blank.
package func terminalLine(_ text: String) -> String {
  let isOneLine = text.utf8.allSatisfy { $0 >= 0x20 }
  let line =
    isOneLine
    ? text : text.split { $0.isNewline || $0 == "\t" }.map { trimmed($0) }.joined(separator: " ")
  return escapedText(line) { _ in false }
}

private func escapedText(_ text: String, except isKept: (Unicode.Scalar) -> Bool) -> String {
  if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A && isKept("\n") }) {
    return text
  }
  var safe = String.UnicodeScalarView()
  var isReturnPending = false
  for scalar in text.unicodeScalars {
    // A carriage return is escaped unless a newline follows: CRLF is a line end of other systems.
    if isReturnPending, scalar != "\n" { safe.append(contentsOf: "\\x0D".unicodeScalars) }
    isReturnPending = scalar == "\r"
    if isReturnPending { continue }
    switch scalar.value {
    case 0..<0x20 where isKept(scalar): safe.append(scalar)
    case 0..<0x20, 0x7F...0x9F:
      safe.append(contentsOf: ("\\x" + hexadecimal(scalar.value, width: 2)).unicodeScalars)
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
      safe.append(contentsOf: ("\\u" + hexadecimal(scalar.value, width: 4)).unicodeScalars)
    default: safe.append(scalar)
    }
  }
  if isReturnPending { safe.append(contentsOf: "\\x0D".unicodeScalars) }
  return String(safe)
}
