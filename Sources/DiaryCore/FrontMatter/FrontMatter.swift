/// The position of a text's header and the lines of each key. It contains offsets only, no values.
/// Scanning a typical header takes less than a microsecond.
struct FrontMatter: Sendable {
  var kind = HeaderKind.none
  /// The range of the lines between the fences. Empty without a header.
  var lines = 0..<0
  /// The offset of the first byte of the body.
  var bodyStart: Int
  /// The line number of the opening fence, 1 for the first line of the file.
  var openingLine = 1
  var fields: [EntryText.Field] = []
  /// The values of the fields in a TOML or JSON header, in the order of `fields`.
  var foreignValues: [FieldValue?] = []

  /// Finds the header in `bytes`. The text begins at `start`, after any byte order mark.
  init(scanning bytes: [UInt8], from start: Int) {
    bodyStart = start
    lines = start..<start
    var at = start
    while at < bytes.count {
      let end = lineEnd(bytes, at)
      guard isBlank(bytes, at..<end) else { break }
      openingLine += 1
      at = end
    }
    guard at < bytes.count else { return }
    switch bytes[at] {
    case UInt8(ascii: "-") where isFence(bytes, at, UInt8(ascii: "-")):
      if !scanYAML(bytes, from: at) { kind = .unreadable }
    case UInt8(ascii: "+") where isFence(bytes, at, UInt8(ascii: "+")):
      if !scanTOML(bytes, from: at) { kind = .unreadable }
    case UInt8(ascii: "{"):
      if !scanJSON(bytes, from: at), isLikelyJSON(bytes, at) { kind = .unreadable }
    default: break
    }
  }

  /// Accepts `---` … `---` or `...` as a header if its first meaningful line is a key.
  private mutating func scanYAML(_ bytes: [UInt8], from opening: Int) -> Bool {
    let first = lineEnd(bytes, opening)
    var keys: [(start: Int, colon: Int, line: Int)] = []
    var (at, line) = (first, openingLine + 1)
    while at < bytes.count {
      let end = lineEnd(bytes, at)
      if isFence(bytes, at, UInt8(ascii: "-")) || isFence(bytes, at, UInt8(ascii: ".")) {
        // A rule, a blank line and another rule are ordinary text.
        if keys.isEmpty, at > first, isBlank(bytes, first..<lineEnd(bytes, first)) { return false }
        kind = .yaml
        lines = first..<at
        bodyStart = end
        fields = makeFields(bytes, keys, until: at)
        return true
      }
      if let colon = keyColon(bytes, at, end) {
        keys.append((at, colon, line))
      } else if keys.isEmpty, !isBlank(bytes, at..<end), !isComment(bytes, at, end) {
        return false
      }
      (at, line) = (end, line + 1)
    }
    return false
  }

  private func makeFields(
    _ bytes: [UInt8], _ keys: [(start: Int, colon: Int, line: Int)], until closing: Int
  ) -> [EntryText.Field] {
    var fields: [EntryText.Field] = []
    fields.reserveCapacity(keys.count)
    for (index, key) in keys.enumerated() {
      let end = index + 1 < keys.count ? keys[index + 1].start : closing
      var keyEnd = key.colon
      while isBlank(bytes[keyEnd - 1]) { keyEnd -= 1 }
      let valueEnd = FieldLayout(bytes, valueStart: key.colon + 1, end: end).valueEnd(in: bytes)
      fields.append(
        EntryText.Field(
          key: String(decoding: bytes[key.start..<keyEnd], as: UTF8.self), line: key.line,
          range: key.start..<valueEnd, valueStart: key.colon + 1, end: end))
    }
    return fields
  }
}

/// The offset after the line's newline, or the end of the text.
@inline(__always)
func lineEnd(_ bytes: [UInt8], _ start: Int) -> Int {
  var at = start
  while at < bytes.count {
    if bytes[at] == 0x0A { return at + 1 }
    at += 1
  }
  return at
}

/// True for blank, tab, carriage return or newline.
@inline(__always)
func isBlank(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}

func isBlank(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
  for index in range where !isBlank(bytes[index]) { return false }
  return true
}

/// True if the line's first non-blank character is `#`.
func isComment(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Bool {
  for index in start..<end where !isBlank(bytes[index]) { return bytes[index] == UInt8(ascii: "#") }
  return false
}

/// True if the line at `start` has the character three times and otherwise only trailing blanks.
func isFence(_ bytes: [UInt8], _ start: Int, _ character: UInt8) -> Bool {
  guard start + 3 <= bytes.count, bytes[start] == character, bytes[start + 1] == character,
    bytes[start + 2] == character
  else { return false }
  var at = start + 3
  while at < bytes.count, bytes[at] != 0x0A {
    guard isBlank(bytes[at]) else { return false }
    at += 1
  }
  return true
}
