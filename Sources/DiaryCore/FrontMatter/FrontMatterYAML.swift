import Yams

/// The result of parsing one field as YAML.
enum YAMLReading {
  case value(FieldValue)
  /// Valid YAML that a field cannot hold whole: a mapping without the values that are lists or
  /// mappings, or `nil` for nested lists, and keys that are not texts.
  case partial(FieldValue?)
  case invalid
}

/// Parses one field by itself. `source` starts with the key's colon.
func readYAML(_ source: ArraySlice<UInt8>) -> YAMLReading {
  // The key is replaced, because its spelling is irrelevant here and may exceed YAML's key length.
  guard let node = parseYAML("k" + String(decoding: source, as: UTF8.self)),
    let mapping = node.mapping, mapping.count == 1, let pair = mapping.first,
    pair.key.scalar?.string == "k"
  else { return .invalid }
  switch pair.value {
  case .scalar(let scalar): return .value(.text(isNull(scalar) ? "" : scalar.string))
  case .sequence(let items):
    guard items.allSatisfy({ $0.scalar != nil }) else { return .partial(nil) }
    return .value(.list(items.compactMap { $0.scalar.flatMap { isNull($0) ? nil : $0.string } }))
  case .mapping(let pairs):
    guard pairs.allSatisfy({ $0.key.scalar != nil }) else { return .partial(nil) }
    var result: [(String, String)] = []
    for pair in pairs {
      if let key = pair.key.scalar, let value = pair.value.scalar {
        result.append((key.string, isNull(value) ? "" : value.string))
      }
    }
    return result.count == pairs.count
      ? .value(.mapping(result)) : .partial(.mapping(result))
  case .alias: return .invalid
  }
}

/// The header's fields as a strict YAML parser reads them. `nil` if the parser rejects the header.
func strictHeader(_ lines: String) -> [(key: String, value: Node)]? {
  guard let node = parseYAML(lines) else { return isEmptyDocument(lines) ? [] : nil }
  guard let mapping = node.mapping else { return isNull(node.scalar) ? [] : nil }
  var pairs: [(key: String, value: Node)] = []
  for pair in mapping {
    guard let key = pair.key.scalar else { return nil }
    pairs.append((key.string, pair.value))
  }
  return pairs
}

/// True if every line is blank or a comment, for which the parser finds no document.
private func isEmptyDocument(_ lines: String) -> Bool {
  lines.utf8.split(separator: 0x0A).allSatisfy { line in
    line.first { !isBlank($0) }.map { $0 == UInt8(ascii: "#") } ?? true
  }
}

/// True if the strict parser's value equals the value to be written.
func strictYAML(_ node: Node, matches value: FieldValue) -> Bool {
  switch value {
  case .text(let text): return text.isEmpty ? isNull(node.scalar) : equals(node, text)
  case .list(let items):
    guard let nodes = node.sequence?.filter({ !isNull($0.scalar) }), nodes.count == items.count
    else { return false }
    return zip(nodes, items).allSatisfy { equals($0, $1) }
  case .mapping(let pairs):
    guard let mapping = node.mapping, mapping.count == pairs.count else { return false }
    return zip(mapping, pairs).allSatisfy { equals($0.key, $1.0) && equals($0.value, $1.1) }
  }
}

/// Yams uses Foundation, which removes a byte order mark at the start of a text.
private func equals(_ node: Node, _ text: String) -> Bool {
  guard let value = node.scalar?.string else { return false }
  return value == text
    || text.unicodeScalars.first == "\u{FEFF}"
      && value.unicodeScalars.elementsEqual(text.unicodeScalars.dropFirst())
}

private func isNull(_ scalar: Node.Scalar?) -> Bool {
  guard let scalar else { return false }
  return scalar.style == .plain && (scalar.string.isEmpty || isYAMLNull(scalar.string))
}

/// Limits depth and length, because a hostile header can exhaust the parser's stack or time.
private func parseYAML(_ text: String) -> Node? {
  guard text.utf8.count <= 262_144, isWithinDepthLimit(text), !hasExcessiveAliases(text) else {
    return nil
  }
  return try? Yams.compose(yaml: text)
}

/// True for at most 32 nested brackets, and 32 dashes, question marks and colons in a row.
private func isWithinDepthLimit(_ text: String) -> Bool {
  var (brackets, indicators, isIndicator) = (0, 0, false)
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "["), UInt8(ascii: "{"): brackets += 1
    case UInt8(ascii: "]"), UInt8(ascii: "}"): brackets = max(0, brackets - 1)
    case 0x20, 0x09, 0x0D:
      if isIndicator { indicators += 1 }
    default:
      // `- - -` opens three levels, but `---` is a plain word.
      if isIndicator || !isNestingIndicator(byte) { indicators = 0 }
    }
    isIndicator = isNestingIndicator(byte)
    if brackets > 32 || indicators > 32 { return false }
  }
  return true
}

/// True if the text uses aliases excessively (`&a`, then `*a` many times). A few lines of nested
/// lists like this expand to more values than fit in memory.
func hasExcessiveAliases(_ text: String) -> Bool {
  var (anchors, aliases) = (0, 0)
  var (last, byte): (UInt8, UInt8) = (0x0A, 0x0A)
  for next in text.utf8 {
    if byte == UInt8(ascii: "&") || byte == UInt8(ascii: "*"),
      isBlank(last) || "[{,:-?\"'".utf8.contains(last), !isBlank(next)
    {
      if byte == UInt8(ascii: "&") { anchors += 1 } else { aliases += 1 }
    }
    (last, byte) = (byte, next)
  }
  return anchors > 0 && aliases > 8
}

private func isNestingIndicator(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: "-") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: ":")
}
