/// The position of a field's value, and the extent of its lines.
struct FieldLayout {
  /// The offset after the colon.
  let valueStart: Int
  /// The offset of the next key or the closing line.
  let end: Int
  /// The end of the key's line.
  let firstLineEnd: Int
  /// The offset of the value's first character. `nil` if the field is empty.
  private(set) var contentStart: Int?
  /// The start of the line that contains the first character, or `valueStart` on the key's line.
  private(set) var contentLineStart: Int
  var isOnKeyLine: Bool { contentLineStart == valueStart }

  init(_ bytes: [UInt8], valueStart: Int, end: Int) {
    self.valueStart = valueStart
    self.end = end
    firstLineEnd = lineEnd(bytes, valueStart)
    contentLineStart = valueStart
    if let content = firstNonBlank(bytes, valueStart..<firstLineEnd),
      !isCommentStart(bytes, content)
    {
      contentStart = content
      return
    }
    var at = firstLineEnd
    while at < end {
      let next = lineEnd(bytes, at)
      if let content = firstNonBlank(bytes, at..<next), bytes[content] != UInt8(ascii: "#") {
        (contentStart, contentLineStart) = (content, at)
        return
      }
      at = next
    }
  }

  /// True for a list with a dash before each item.
  func hasDashes(_ bytes: [UInt8]) -> Bool {
    guard let contentStart, !isOnKeyLine else { return false }
    return bytes[contentStart] == UInt8(ascii: "-") && isBlank(bytes[contentStart + 1])
  }

  /// The end of a value in quotes or brackets. `nil` for others, and if text follows it.
  func closedEnd(_ bytes: [UInt8]) -> Int? {
    guard let contentStart else { return nil }
    let isFlow = "[{".utf8.contains(bytes[contentStart])
    let close =
      isFlow
      ? FlowValue(bytes, contentStart, end)?.end
      : closingQuote(bytes, contentStart, end).map { $0 + 1 }
    guard let close, isEndOfLine(bytes, close), isLastLine(bytes, containing: close) else {
      return nil
    }
    return close
  }

  /// The comment on the key's line with the blanks before it. Empty if there is none, and beside
  /// plain text, which includes it.
  func keyLineComment(_ bytes: [UInt8]) -> Range<Int> {
    var start = valueStart
    if isOnKeyLine, let contentStart {
      guard "|>".utf8.contains(bytes[contentStart]) else { return start..<start }
      start = contentStart
      while start < firstLineEnd, !isBlank(bytes[start]) { start += 1 }
    }
    var end = firstLineEnd
    while end > start, isBlank(bytes[end - 1]) { end -= 1 }
    guard let content = firstNonBlank(bytes, start..<end), bytes[content] == UInt8(ascii: "#")
    else { return start..<start }
    return start..<end
  }

  /// The lines between the key's line and the value.
  var commentLines: Range<Int> {
    isOnKeyLine ? firstLineEnd..<firstLineEnd : firstLineEnd..<contentLineStart
  }

  /// The end of the value's last line. Comments and blank lines below it are not part of the field
  /// and remain when it is replaced.
  func valueEnd(in bytes: [UInt8]) -> Int {
    guard firstLineEnd < end, let contentStart else { return firstLineEnd }
    var at = lineEnd(bytes, contentStart)
    var valueEnd = at
    let isBlock =
      bytes[contentStart] == UInt8(ascii: "|") || bytes[contentStart] == UInt8(ascii: ">")
    if let close = closingQuote(bytes, contentStart, end) {
      at = lineEnd(bytes, close)
      valueEnd = at
    }
    while at < end {
      let next = lineEnd(bytes, at)
      // In a block scalar, an indented `#` is text.
      let isText = isBlock && isBlank(bytes[at])
      if !isBlank(bytes, at..<next), isText || !isComment(bytes, at, next) { valueEnd = next }
      at = next
    }
    if isBlock, bytes[contentStart..<lineEnd(bytes, contentStart)].contains(UInt8(ascii: "+")) {
      while valueEnd < end, isBlank(bytes, valueEnd..<lineEnd(bytes, valueEnd)) {
        valueEnd = lineEnd(bytes, valueEnd)
      }
    }
    return valueEnd
  }

  /// The value's lines joined by single blanks, without blank lines and comment lines.
  func plainText(_ bytes: [UInt8]) -> String {
    guard let contentStart else { return "" }
    var parts: [String] = []
    var at = contentStart
    while at < end {
      let next = lineEnd(bytes, at)
      if let content = firstNonBlank(bytes, at..<next),
        at == contentStart || bytes[content] != UInt8(ascii: "#")
      {
        var last = next
        while isBlank(bytes[last - 1]) { last -= 1 }
        parts.append(String(decoding: bytes[content..<last], as: UTF8.self))
      }
      at = next
    }
    return parts.count == 1 ? parts[0] : parts.joined(separator: " ")
  }

  /// True if a line at column 0 cannot be part of the value in YAML. It is read as its text.
  func hasStrayLine(_ bytes: [UInt8]) -> Bool {
    guard closedEnd(bytes) == nil else { return false }
    let isList = hasDashes(bytes)
    var at = firstLineEnd
    while at < end {
      let isItem = isList && bytes[at] == UInt8(ascii: "-") && isBlank(bytes[at + 1])
      if !isBlank(bytes[at]), bytes[at] != UInt8(ascii: "#"), !isItem { return true }
      at = lineEnd(bytes, at)
    }
    return false
  }

  /// True if only comments and blank lines follow the line that contains `index`.
  func isLastLine(_ bytes: [UInt8], containing index: Int) -> Bool {
    var at = lineEnd(bytes, index)
    while at < end {
      let next = lineEnd(bytes, at)
      if let content = firstNonBlank(bytes, at..<next), bytes[content] != UInt8(ascii: "#") {
        return false
      }
      at = next
    }
    return true
  }
}

/// True if only blanks, or blanks and a comment, follow `index` on its line.
func isEndOfLine(_ bytes: [UInt8], _ index: Int) -> Bool {
  guard let content = firstNonBlank(bytes, index..<lineEnd(bytes, index)) else { return true }
  return content > index && bytes[content] == UInt8(ascii: "#")
}

func firstNonBlank(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
  for index in range where !isBlank(bytes[index]) { return index }
  return nil
}

/// True for `#` and a blank, a comment even at the start of a value. `#word` there is text.
func isCommentStart(_ bytes: [UInt8], _ index: Int) -> Bool {
  bytes[index] == UInt8(ascii: "#") && (index + 1 == bytes.count || isBlank(bytes[index + 1]))
}

/// The offset of the quote before `end` that closes the one at `start`. `nil` if there is none.
func closingQuote(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int? {
  let quote = bytes[start]
  guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
  var at = start + 1
  while at < end {
    if bytes[at] == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
      at += 1
    } else if bytes[at] == quote {
      guard quote == UInt8(ascii: "'"), at + 1 < end, bytes[at + 1] == quote else { return at }
      at += 1
    }
    at += 1
  }
  return nil
}
