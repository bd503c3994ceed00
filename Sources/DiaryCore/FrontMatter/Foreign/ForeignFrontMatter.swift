/// Reads the headers that other programs write, TOML and JSON. Their values have so much in common
/// that one reader does for both; it is lenient, since nothing is ever written back.
struct TOMLJSONHeaderReader {
  /// A value with the levels that a field cannot have.
  enum Tree {
    case text(String)
    case list([Tree])
    case mapping([(String, Tree)])
    /// JSON's `null`.
    case nothing
  }

  let bytes: [UInt8]
  var at: Int
  let end: Int
  /// `:` in JSON, `=` in TOML.
  let separator: UInt8

  var sign: UInt8? { at < end ? bytes[at] : nil }

  /// Moves over blanks, line ends and, in TOML, comments.
  mutating func skipBlanks() {
    while at < end {
      if bytes[at] == UInt8(ascii: "#"), separator == UInt8(ascii: "=") {
        while at < end, bytes[at] != 0x0A { at += 1 }
      } else if isBlank(bytes[at]) {
        at += 1
      } else {
        return
      }
    }
  }

  mutating func skipBlanksInLine() {
    while at < end, bytes[at] != 0x0A, isBlank(bytes[at]) { at += 1 }
  }

  /// A value; `nil` where there is none that can be read.
  mutating func value(depth: Int = 0) -> Tree? {
    guard depth < 32, let sign else { return nil }
    switch sign {
    case UInt8(ascii: "\""): return quoted().map { .text($0) }
    case UInt8(ascii: "'") where separator == UInt8(ascii: "="): return quoted().map { .text($0) }
    case UInt8(ascii: "["): return list(depth: depth)
    case UInt8(ascii: "{"): return mapping(depth: depth)
    default:
      let word = bareWord()
      guard !word.isEmpty else { return nil }
      return word == "null" && separator == UInt8(ascii: ":") ? .nothing : .text(word)
    }
  }

  /// A number, a date, `true`: kept as it is spelled.
  private mutating func bareWord() -> String {
    let start = at
    while at < end {
      switch bytes[at] {
      case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "#"), 0x0A:
        return trimmed(start..<at)
      default: at += 1
      }
    }
    return trimmed(start..<at)
  }

  private func trimmed(_ range: Range<Int>) -> String {
    var last = range.upperBound
    while last > range.lowerBound, isBlank(bytes[last - 1]) { last -= 1 }
    return String(decoding: bytes[range.lowerBound..<last], as: UTF8.self)
  }

  private mutating func list(depth: Int) -> Tree? {
    at += 1
    var items: [Tree] = []
    while true {
      skipBlanks()
      if sign == UInt8(ascii: "]") {
        at += 1
        return .list(items)
      }
      guard let item = value(depth: depth + 1) else { return nil }
      items.append(item)
      skipBlanks()
      if sign == UInt8(ascii: ",") { at += 1 } else if sign != UInt8(ascii: "]") { return nil }
    }
  }

  private mutating func mapping(depth: Int) -> Tree? {
    at += 1
    var pairs: [(String, Tree)] = []
    while true {
      skipBlanks()
      if sign == UInt8(ascii: "}") {
        at += 1
        return .mapping(pairs)
      }
      guard let name = key(), let value = valueAfterSeparator(depth: depth + 1) else { return nil }
      pairs.append((name, value))
      skipBlanks()
      if sign == UInt8(ascii: ",") { at += 1 } else if sign != UInt8(ascii: "}") { return nil }
    }
  }

  mutating func valueAfterSeparator(depth: Int) -> Tree? {
    skipBlanksInLine()
    guard sign == separator else { return nil }
    at += 1
    if separator == UInt8(ascii: ":") { skipBlanks() } else { skipBlanksInLine() }
    return value(depth: depth)
  }

  /// A quoted key or, in TOML, a bare or dotted one.
  mutating func key() -> String? {
    if sign == UInt8(ascii: "\"") || (separator == UInt8(ascii: "=") && sign == UInt8(ascii: "'")) {
      return quoted()
    }
    guard separator == UInt8(ascii: "=") else { return nil }
    let start = at
    while at < end, isBareKeySign(bytes[at]) { at += 1 }
    return at == start ? nil : String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private func isBareKeySign(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...0xFF, UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}

extension TOMLJSONHeaderReader.Tree {
  /// The value as a field has it: deeper levels are left out.
  var fieldValue: FieldValue? {
    switch self {
    case .text(let text): .text(text)
    case .list(let items): .list(items.compactMap(\.word))
    case .mapping(let pairs):
      .mapping(pairs.compactMap { pair in pair.1.word.map { (pair.0, $0) } })
    case .nothing: nil
    }
  }

  private var word: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }
}
