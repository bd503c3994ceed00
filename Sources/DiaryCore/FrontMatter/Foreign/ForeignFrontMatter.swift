/// Parses the TOML and JSON headers that other programs write. One parser serves both, because
/// their values are similar. It is lenient, because these headers are never rewritten.
struct TOMLJSONHeaderReader {
  /// A value of any depth. A field can hold fewer levels.
  enum Tree {
    case text(String)
    case list([Tree])
    case mapping([(String, Tree)])
    /// JSON's `null`.
    case null
  }

  let bytes: [UInt8]
  var position: Int
  let end: Int
  let separator: UInt8

  var currentByte: UInt8? { position < end ? bytes[position] : nil }

  /// Skips blanks, line endings and, in TOML, comments.
  mutating func skipBlanks() {
    while position < end {
      if bytes[position] == UInt8(ascii: "#"), separator == UInt8(ascii: "=") {
        while position < end, bytes[position] != 0x0A { position += 1 }
      } else if isBlank(bytes[position]) {
        position += 1
      } else {
        return
      }
    }
  }

  mutating func skipBlanksInLine() {
    while position < end, bytes[position] != 0x0A, isBlank(bytes[position]) { position += 1 }
  }

  /// Parses a value. Returns `nil` if there is none that can be read.
  mutating func value(depth: Int = 0) -> Tree? {
    guard depth < 32, let currentByte else { return nil }
    switch currentByte {
    case UInt8(ascii: "\""): return quotedString().map { .text($0) }
    case UInt8(ascii: "'") where separator == UInt8(ascii: "="):
      return quotedString().map { .text($0) }
    case UInt8(ascii: "["): return list(depth: depth)
    case UInt8(ascii: "{"): return mapping(depth: depth)
    default:
      let word = bareWord()
      guard !word.isEmpty else { return nil }
      return word == "null" && separator == UInt8(ascii: ":") ? .null : .text(word)
    }
  }

  /// Reads a number, a date or `true` as spelled.
  private mutating func bareWord() -> String {
    let start = position
    while position < end, !",]}#\n".utf8.contains(bytes[position]) { position += 1 }
    return trimmed(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func list(depth: Int) -> Tree? {
    position += 1
    var items: [Tree] = []
    while true {
      skipBlanks()
      if currentByte == UInt8(ascii: "]") {
        position += 1
        return .list(items)
      }
      guard let item = value(depth: depth + 1) else { return nil }
      items.append(item)
      skipBlanks()
      if currentByte == UInt8(ascii: ",") {
        position += 1
      } else if currentByte != UInt8(ascii: "]") {
        return nil
      }
    }
  }

  private mutating func mapping(depth: Int) -> Tree? {
    position += 1
    var pairs: [(String, Tree)] = []
    while true {
      skipBlanks()
      if currentByte == UInt8(ascii: "}") {
        position += 1
        return .mapping(pairs)
      }
      guard let name = key(), let value = valueAfterSeparator(depth: depth + 1) else { return nil }
      pairs.append((name, value))
      skipBlanks()
      if currentByte == UInt8(ascii: ",") {
        position += 1
      } else if currentByte != UInt8(ascii: "}") {
        return nil
      }
    }
  }

  mutating func valueAfterSeparator(depth: Int) -> Tree? {
    skipBlanksInLine()
    guard currentByte == separator else { return nil }
    position += 1
    if separator == UInt8(ascii: ":") { skipBlanks() } else { skipBlanksInLine() }
    return value(depth: depth)
  }

  /// Parses a quoted key or, in TOML, a bare or dotted one.
  mutating func key() -> String? {
    if currentByte == UInt8(ascii: "\"")
      || (separator == UInt8(ascii: "=") && currentByte == UInt8(ascii: "'"))
    {
      return quotedString()
    }
    guard separator == UInt8(ascii: "=") else { return nil }
    let start = position
    while position < end, isBareKeyByte(bytes[position]) { position += 1 }
    return position == start ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private func isBareKeyByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF, UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}

extension TOMLJSONHeaderReader.Tree {
  /// The value for a field, without deeper levels.
  var fieldValue: FieldValue? {
    switch self {
    case .text(let text): .text(text)
    case .list(let items): .list(items.compactMap(\.stringValue))
    case .mapping(let pairs):
      .mapping(pairs.compactMap { pair in pair.1.stringValue.map { (pair.0, $0) } })
    case .null: nil
    }
  }

  private var stringValue: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }
}
