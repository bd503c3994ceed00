/// Where the value of a field begins, and how far its own lines reach.
struct FieldLayout {
  /// Just after the colon.
  let valueStart: Int
  /// Where the next key, or the closing line, begins.
  let end: Int
  /// The end of the key's line.
  let firstLineEnd: Int
  /// The first sign of the value; `nil` when the field is empty.
  private(set) var leader: Int?
  /// Where the leader's line begins; the value's start when it is the key's line.
  private(set) var leaderLine: Int
  var isOnKeyLine: Bool { leaderLine == valueStart }

  init(_ bytes: [UInt8], valueStart: Int, end: Int) {
    self.valueStart = valueStart
    self.end = end
    firstLineEnd = lineEnd(bytes, valueStart)
    leaderLine = valueStart
    if let sign = firstSign(bytes, valueStart..<firstLineEnd), !startsComment(bytes, sign) {
      leader = sign
      return
    }
    var at = firstLineEnd
    while at < end {
      let next = lineEnd(bytes, at)
      if let sign = firstSign(bytes, at..<next), bytes[sign] != UInt8(ascii: "#") {
        (leader, leaderLine) = (sign, at)
        return
      }
      at = next
    }
  }

  /// The end of the last line that belongs to the value: comments and blank lines below it stay when
  /// the field is replaced.
  func ownEnd(in bytes: [UInt8]) -> Int {
    guard firstLineEnd < end, let leader else { return firstLineEnd }
    var at = lineEnd(bytes, leader)
    var own = at
    let isBlock = bytes[leader] == UInt8(ascii: "|") || bytes[leader] == UInt8(ascii: ">")
    if let close = closingQuote(bytes, leader, end) {
      at = lineEnd(bytes, close)
      own = at
    }
    while at < end {
      let next = lineEnd(bytes, at)
      // In a block text an indented `#` is text.
      let isText = isBlock && isBlank(bytes[at])
      if !isBlank(bytes, at..<next), isText || !isComment(bytes, at, next) { own = next }
      at = next
    }
    if isBlock, bytes[leader..<lineEnd(bytes, leader)].contains(UInt8(ascii: "+")) {
      while own < end, isBlank(bytes, own..<lineEnd(bytes, own)) { own = lineEnd(bytes, own) }
    }
    return own
  }

  /// The value's lines joined by one blank, without blank lines and comment lines.
  func joined(_ bytes: [UInt8]) -> String {
    guard let leader else { return "" }
    var parts: [String] = []
    var at = leader
    while at < end {
      let next = lineEnd(bytes, at)
      if let sign = firstSign(bytes, at..<next), at == leader || bytes[sign] != UInt8(ascii: "#") {
        var last = next
        while isBlank(bytes[last - 1]) { last -= 1 }
        parts.append(String(decoding: bytes[sign..<last], as: UTF8.self))
      }
      at = next
    }
    return parts.count == 1 ? parts[0] : parts.joined(separator: " ")
  }

  /// Whether nothing but comments and blank lines follows the line that holds `index`.
  func isLastLine(_ bytes: [UInt8], holding index: Int) -> Bool {
    var at = lineEnd(bytes, index)
    while at < end {
      let next = lineEnd(bytes, at)
      if let sign = firstSign(bytes, at..<next), bytes[sign] != UInt8(ascii: "#") { return false }
      at = next
    }
    return true
  }
}

func firstSign(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
  for index in range where !isBlank(bytes[index]) { return index }
  return nil
}

/// `#` and a blank: a comment even where a value could begin; `#word` there is text.
func startsComment(_ bytes: [UInt8], _ index: Int) -> Bool {
  bytes[index] == UInt8(ascii: "#") && (index + 1 == bytes.count || isBlank(bytes[index + 1]))
}

/// The quote that closes the one at `start`, before `end`; `nil` when there is none.
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
