/// The value of a field. Plain values are always text, including `12:30`, `no` and `1.10`.
package enum FieldValue: Sendable {
  case text(String)
  case list([String])
  /// Pairs in the order of the file, without values that are lists or mappings.
  case mapping([(String, String)])

  /// True for an empty value, which counts as no value.
  package var isEmpty: Bool {
    switch self {
    case .text(let text): text.isEmpty
    case .list(let items): items.isEmpty
    case .mapping(let pairs): pairs.isEmpty
    }
  }
}

extension FieldValue: Equatable {
  /// Compares kind and text.
  package static func == (left: FieldValue, right: FieldValue) -> Bool {
    switch (left, right) {
    case (.text(let left), .text(let right)): left == right
    case (.list(let left), .list(let right)): left == right
    case (.mapping(let left), .mapping(let right)): left.elementsEqual(right, by: ==)
    default: false
    }
  }
}

/// One field, parsed separately, so that an invalid field never makes the entry unreadable.
struct FieldReading {
  /// The value. `nil` for an empty field, the raw text of an invalid one.
  var value: FieldValue?
  /// True if the value looks like YAML but is invalid.
  var isInvalid: Bool
  /// True if the field contains values that ``value`` cannot hold: lists or mappings inside of it.
  var isPartial: Bool

  /// True if the field is more than a text or a list of texts.
  var isCompound: Bool {
    if case .mapping? = value { true } else { isPartial }
  }

  init(value: FieldValue?, isInvalid: Bool = false, isPartial: Bool = false) {
    self.value = value.flatMap { $0.isEmpty ? nil : $0 }
    (self.isInvalid, self.isPartial) = (isInvalid, isPartial)
  }

  init(_ field: EntryText.Field, in bytes: [UInt8]) {
    let layout = FieldLayout(bytes, valueStart: field.valueStart, end: field.end)
    guard let contentStart = layout.contentStart else {
      self.init(value: nil)
      return
    }
    if !layout.hasYAMLSyntax(bytes, contentStart) {
      let text = layout.plainText(bytes)
      self.init(value: isYAMLNull(text) ? nil : .text(text))
    } else if let value = layout.simpleValue(bytes, contentStart) {
      self.init(value: value)
    } else {
      switch readYAML(bytes[(field.valueStart - 1)..<field.end]) {
      case .value(let value): self.init(value: value)
      case .partial(let value):
        self.init(value: value ?? .text(layout.plainText(bytes)), isPartial: true)
      case .invalid: self.init(value: .text(layout.plainText(bytes)), isInvalid: true)
      }
    }
  }
}

extension FieldLayout {
  /// True if the value is quoted, a block, a flow, a list or a mapping. All other values are plain.
  func hasYAMLSyntax(_ bytes: [UInt8], _ contentStart: Int) -> Bool {
    switch bytes[contentStart] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "|"), UInt8(ascii: ">"),
      UInt8(ascii: "["), UInt8(ascii: "{"):
      return true
    case UInt8(ascii: "-") where hasDashes(bytes): return true
    default:
      // At column 0 it would be a key of the header itself.
      guard !isOnKeyLine, contentStart > contentLineStart else { return false }
      return keyColon(bytes, contentStart, lineEnd(bytes, contentStart)) != nil
    }
  }

  /// The common forms, read without a parser: a one-line quoted text, `[a, b]`, and plain lists.
  fileprivate func simpleValue(_ bytes: [UInt8], _ contentStart: Int) -> FieldValue? {
    switch bytes[contentStart] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      guard let (text, after) = simpleQuoted(bytes, contentStart),
        isEndOfLine(bytes, after), isLastLine(bytes, containing: contentStart)
      else { return nil }
      return .text(text)
    case UInt8(ascii: "["):
      guard let (items, after) = simpleFlow(bytes, contentStart),
        isEndOfLine(bytes, after), isLastLine(bytes, containing: contentStart)
      else { return nil }
      return .list(items)
    case UInt8(ascii: "-"): return simpleList(bytes, contentStart).map { .list($0) }
    default: return nil
    }
  }

  private func simpleList(_ bytes: [UInt8], _ contentStart: Int) -> [String]? {
    let indent = contentStart - contentLineStart
    var items: [String] = []
    var at = contentLineStart
    while at < end {
      let next = lineEnd(bytes, at)
      defer { at = next }
      guard let dash = firstNonBlank(bytes, at..<next), bytes[dash] != UInt8(ascii: "#") else {
        continue
      }
      guard dash - at == indent, bytes[dash] == UInt8(ascii: "-"), dash + 1 < next,
        isBlank(bytes[dash + 1]), let content = firstNonBlank(bytes, (dash + 1)..<next)
      else { return nil }
      if let (text, after) = simpleQuoted(bytes, content) {
        guard isEndOfLine(bytes, after) else { return nil }
        items.append(text)
      } else {
        guard let text = simplePlain(bytes, content..<next) else { return nil }
        if !isYAMLNull(text) { items.append(text) }
      }
    }
    return items
  }
}

/// True for a plain text that is null in the YAML core schema.
func isYAMLNull(_ text: String) -> Bool {
  text == "~" || text == "null" || text == "Null" || text == "NULL"
}

/// Parses quotes that close on the line on which they open.
private func simpleQuoted(_ bytes: [UInt8], _ start: Int) -> (text: String, after: Int)? {
  // Search for the closing quote only after a quote: a list can have many items on one line.
  guard bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "'"),
    let close = closingQuote(bytes, start, bytes.count)
  else { return nil }
  let inside = bytes[(start + 1)..<close]
  guard !inside.contains(0x0D), !inside.contains(0x0A) else { return nil }
  if bytes[start] == UInt8(ascii: "\""), inside.contains(UInt8(ascii: "\\")) {
    return unescapedYAML(inside).map { ($0, close + 1) }
  }
  let text = String(decoding: inside, as: UTF8.self)
  guard bytes[start] == UInt8(ascii: "'"), inside.contains(bytes[start]) else {
    return (text, close + 1)
  }
  let halves = text.split(separator: "''", omittingEmptySubsequences: false)
  return (halves.joined(separator: "'"), close + 1)
}

/// Parses `[a, "b", c]` on one line, if no item contains a YAML indicator.
private func simpleFlow(_ bytes: [UInt8], _ start: Int) -> (items: [String], after: Int)? {
  var items: [String] = []
  var at = start + 1
  let limit = lineEnd(bytes, start)
  while let content = firstNonBlank(bytes, at..<limit) {
    if bytes[content] == UInt8(ascii: "]") { return (items, content + 1) }
    if let (text, after) = simpleQuoted(bytes, content) {
      items.append(text)
      at = after
    } else {
      at = content
      while at < limit, !isFlowIndicator(bytes[at]) { at += 1 }
      guard let text = simplePlain(bytes, content..<at) else { return nil }
      if !isYAMLNull(text) { items.append(text) }
    }
    guard let after = firstNonBlank(bytes, at..<limit) else { return nil }
    if bytes[after] == UInt8(ascii: ",") {
      at = after + 1
    } else if bytes[after] == UInt8(ascii: "]") {
      at = after
    } else {
      return nil
    }
  }
  return nil
}

@inline(__always)
private func isFlowIndicator(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
    UInt8(ascii: "}"):
    true
  default: false
  }
}

/// Trimmed plain text that needs no parser, else `nil`. `#word` counts as text.
private func simplePlain(_ bytes: [UInt8], _ range: Range<Int>) -> String? {
  var end = range.upperBound
  while end > range.lowerBound, isBlank(bytes[end - 1]) { end -= 1 }
  guard end > range.lowerBound else { return nil }
  for index in range.lowerBound..<end {
    switch bytes[index] {
    case UInt8(ascii: ":"), UInt8(ascii: "&"), UInt8(ascii: "*"), UInt8(ascii: "!"),
      UInt8(ascii: "|"), UInt8(ascii: ">"), UInt8(ascii: "%"), UInt8(ascii: "@"),
      UInt8(ascii: "`"), UInt8(ascii: "?"), UInt8(ascii: "\\"), 0x0D, 0x0A, 0x09,
      UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
      return nil
    case UInt8(ascii: "\"") where index == range.lowerBound: return nil
    case UInt8(ascii: "'") where index == range.lowerBound: return nil
    case UInt8(ascii: "#") where index > range.lowerBound || isCommentStart(bytes, index):
      return nil
    case UInt8(ascii: "-") where index == range.lowerBound: return nil
    default: break
    }
  }
  return String(decoding: bytes[range.lowerBound..<end], as: UTF8.self)
}
