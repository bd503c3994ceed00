/// Writes values so that a strict YAML parser reads back the same value.
extension FieldValue {
  /// The value on one line, without a leading blank. Empty for an empty text. A text before a
  /// comment is in quotes, because plain text reaches to the end of its line.
  func yamlLine(key: String, isQuoted: Bool = false) -> String {
    switch self {
    // The only field whose value is not a text: other programs show it as a checkbox.
    case .text("true") where key == EntryText.starKey && !isQuoted: "true"
    case .text(let text):
      text.isEmpty
        ? ""
        : yamlScalar(
          text, isInFlow: false, canBeDate: EntryText.dateKeys.contains(key), isQuoted: isQuoted)
    case .list(let items):
      "[" + items.map { yamlScalar($0, isInFlow: true) }.joined(separator: ", ") + "]"
    case .mapping(let pairs):
      "{"
        + pairs.map {
          yamlScalar($0.0, isInFlow: true) + ": " + yamlScalar($0.1, isInFlow: true)
        }.joined(separator: ", ") + "}"
    }
  }
}

/// A text as YAML: plain if every parser reads it as the same text, else quoted.
func yamlScalar(
  _ text: String, isInFlow: Bool, canBeDate: Bool = false, isQuoted: Bool = false
) -> String {
  let isDate = canBeDate && text.utf8.first.map { $0.isDigit } ?? false
  if !isQuoted, isPlain(text, isInFlow: isInFlow), isDate || !isAmbiguousInYAML(text) {
    return text
  }
  let scalars = text.unicodeScalars
  let needsEscapes = scalars.contains(where: needsEscape)
  if !needsEscapes, scalars.contains(where: { $0 == "\"" || $0 == "\\" }) {
    return "'"
      + text.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "''") + "'"
  }
  var result = "\""
  for scalar in scalars { appendEscaped(scalar, to: &result) }
  return result + "\""
}

private func isPlain(_ text: String, isInFlow: Bool) -> Bool {
  let bytes = Array(text.utf8)
  guard let first = bytes.first, let last = bytes.last, !isBlank(first), !isBlank(last),
    last != UInt8(ascii: ":"), canStartPlain(bytes, isInFlow: isInFlow)
  else { return false }
  for (index, byte) in bytes.enumerated() {
    switch byte {
    case UInt8(ascii: ":") where isInFlow || isBlank(bytes[index + 1]): return false
    case UInt8(ascii: "#") where isInFlow || isBlank(bytes[index - 1]): return false
    case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
      UInt8(ascii: "}"), UInt8(ascii: "?"):
      if isInFlow { return false }
    case 0..<0x20: return false
    default: break
    }
  }
  return !text.unicodeScalars.contains(where: needsEscape)
}

/// True if the start needs no quotes. A dash needs none before a digit or non-ASCII character.
private func canStartPlain(_ bytes: [UInt8], isInFlow: Bool) -> Bool {
  switch bytes[0] {
  case UInt8(ascii: "-"):
    guard !isInFlow, bytes.count > 1 else { return false }
    return bytes[1] >= 0x80 || (bytes[1] >= 0x30 && bytes[1] <= 0x39)
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF, UInt8(ascii: "("), UInt8(ascii: "/"),
    UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "$"), UInt8(ascii: "_"), UInt8(ascii: "^"),
    UInt8(ascii: ";"):
    return true
  default: return false
  }
}

/// True for words, numbers and dates that some version of YAML reads as another type.
private func isAmbiguousInYAML(_ text: String) -> Bool {
  switch text.lowercased() {
  case "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".nan", ".inf", "+.inf",
    "-.inf", "...":
    return true
  default: break
  }
  guard let first = text.utf8.first else { return true }
  switch first {
  case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."): break
  default: return false
  }
  return text.utf8.allSatisfy { byte in
    switch byte {
    case 0x30...0x3A, 0x41...0x46, 0x61...0x66, UInt8(ascii: "x"), UInt8(ascii: "o"),
      UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: "Z"), UInt8(ascii: "z"), 0x20:
      true
    default: false
    }
  }
}

/// True for characters that YAML calls not printable, and line breaks of its older version.
private func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
  default: false
  }
}

private func appendEscaped(_ scalar: Unicode.Scalar, to result: inout String) {
  switch scalar {
  case "\"": result += "\\\""
  case "\\": result += "\\\\"
  case "\n": result += "\\n"
  case "\t": result += "\\t"
  case "\r": result += "\\r"
  case "\0": result += "\\0"
  case _ where needsEscape(scalar):
    result +=
      scalar.value <= 0xFF
      ? "\\x" + hexadecimal(scalar.value, width: 2) : "\\u" + hexadecimal(scalar.value, width: 4)
  default: result.unicodeScalars.append(scalar)
  }
}
