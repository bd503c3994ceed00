/// The lines of a body, classified as far as titles, previews and tags need it.
struct EntryBodyLines: Sequence, IteratorProtocol {
  enum Kind { case text, blank, fence, code, comment }
  struct Line {
    let range: Range<Int>
    let kind: Kind
  }

  private let bytes: ArraySlice<UInt8>
  private var position: Int
  /// The mark and the length of the open code block's fence.
  private var fence: (sign: UInt8, length: Int)?
  private var isInComment = false
  private var isInList = false
  private var last = Kind.blank
  /// True if the current indented lines are code.
  private var isIndentedCode = false

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  mutating func next() -> Line? {
    guard position < bytes.endIndex else { return nil }
    let end = bytes[position...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.endIndex
    let range = position..<end
    position = end
    let kind = kind(of: range)
    last = kind
    return Line(range: range, kind: kind)
  }

  private mutating func kind(of range: Range<Int>) -> Kind {
    let sign = bytes[range].firstIndex { !isBlank($0) }
    if let fence {
      if let sign, let run = fenceRun(sign, range), run.sign == fence.sign,
        run.length >= fence.length, isBlankAfter(sign + run.length, range)
      {
        self.fence = nil
        return .fence
      }
      return .code
    }
    if isInComment {
      isInComment = !contains("-->", range)
      return .comment
    }
    guard let sign else { return .blank }
    if sign - range.lowerBound >= 4 || bytes[range.lowerBound..<sign].contains(0x09) {
      // Indented lines below a list belong to it, and code cannot interrupt a paragraph.
      if isInList, let run = fenceRun(sign, range) {
        fence = run
        return .fence
      }
      if !isInList, isIndentedCode || last == .blank { isIndentedCode = true }
      return isIndentedCode ? .code : .text
    }
    isIndentedCode = false
    if let run = fenceRun(sign, range) {
      fence = run
      return .fence
    }
    if hasPrefix("<!--", sign, range) {
      isInComment = !contains("-->", range)
      return .comment
    }
    if isListItem(sign, range) {
      isInList = true
    } else if sign == range.lowerBound, last == .blank {
      isInList = false
    }
    return .text
  }

  private func fenceRun(_ sign: Int, _ range: Range<Int>) -> (sign: UInt8, length: Int)? {
    let mark = bytes[sign]
    guard mark == UInt8(ascii: "`") || mark == UInt8(ascii: "~") else { return nil }
    let length = bytes[sign..<range.upperBound].prefix { $0 == mark }.count
    guard length >= 3 else { return nil }
    // A code span on one line is not a fence.
    let remainder = bytes[(sign + length)..<range.upperBound]
    return mark == UInt8(ascii: "`") && remainder.contains(mark) ? nil : (mark, length)
  }

  private func isBlankAfter(_ index: Int, _ range: Range<Int>) -> Bool {
    bytes[index..<range.upperBound].allSatisfy { isBlank($0) }
  }

  private func hasPrefix(_ mark: StaticString, _ index: Int, _ range: Range<Int>) -> Bool {
    mark.withUTF8Buffer { bytes[index..<range.upperBound].starts(with: $0) }
  }

  private func contains(_ mark: StaticString, _ range: Range<Int>) -> Bool {
    range.contains { hasPrefix(mark, $0, range) }
  }

  private func isListItem(_ sign: Int, _ range: Range<Int>) -> Bool {
    var next = sign
    if bytes[sign] == UInt8(ascii: "-") || bytes[sign] == UInt8(ascii: "*")
      || bytes[sign] == UInt8(ascii: "+")
    {
      next += 1
    } else {
      while next < range.upperBound, bytes[next].isDigit { next += 1 }
      guard next > sign, next < range.upperBound,
        bytes[next] == UInt8(ascii: ".") || bytes[next] == UInt8(ascii: ")")
      else { return false }
      next += 1
    }
    return next < range.upperBound && isBlank(bytes[next])
  }
}

extension EntryBodyLines {
  /// The first words without markup, at most 200 characters on one line. A heading that is the
  /// title is not repeated.
  static func preview(
    _ bytes: ArraySlice<UInt8>, after heading: Int?, without comments: [Range<Int>]
  ) -> String {
    var words: [UInt8] = []
    var length = 0
    for line in EntryBodyLines(bytes) where line.kind == .text || line.kind == .code {
      if let heading, line.range.lowerBound < heading { continue }
      let text = textWithoutMarkup(lineBeginning(line.range, of: bytes, without: comments))
      for word in Array(text.utf8).split(whereSeparator: { $0 <= 0x20 }) {
        let gap = words.isEmpty ? 0 : 1
        let available = 200 - length - gap
        let letters = word.withUnsafeBufferPointer(characterCount)
        // A script without blanks is cut anywhere; a word of letters is not cut.
        guard letters <= available || (letters > 40 && available > 0) else {
          return String(decoding: words, as: UTF8.self)
        }
        if gap > 0 { words.append(0x20) }
        guard letters <= available else {
          words += String(decoding: word, as: UTF8.self).prefix(available).utf8
          return String(decoding: words, as: UTF8.self)
        }
        words += word
        length += gap + letters
      }
    }
    return String(decoding: words, as: UTF8.self)
  }
}

/// The number of characters of a word. Finding borders is slow; mostly each scalar is one.
private func characterCount(_ word: UnsafeBufferPointer<UInt8>) -> Int {
  var (at, count) = (0, 0)
  while at < word.count {
    let (value, length) = scalarValue(word, at)
    switch value {
    case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x2FF, 0x3041...0x3096, 0x30A1...0x30FA,
      0x4E00...0x9FFF, 0xAC00...0xD7A3:
      count += 1
    default: return String(decoding: word, as: UTF8.self).count
    }
    at += length
  }
  return count
}
