/// The items of a list in a header, each at its own place in the text. An edit of the list leaves
/// the bytes of the other items, their quotes and all comments as they are.
struct FieldItems {
  /// The items that are not null. Those of a list on several lines have whole lines.
  private var ranges: [Range<Int>] = []
  /// The blanks before the dashes of a list on several lines; `nil` for `[a, b]`.
  private var indent: String?

  /// The items of the field's value. Empty if it is not a list.
  init(_ bytes: [UInt8], _ layout: FieldLayout) {
    guard let start = layout.contentStart else { return }
    if bytes[start] == UInt8(ascii: "[") {
      ranges = (FlowValue(bytes, start, layout.end)?.items ?? []).filter { item in
        !isYAMLNull(String(decoding: bytes[item], as: UTF8.self))
      }
    } else if layout.hasDashes(bytes) {
      indent = String(decoding: bytes[layout.contentLineStart..<start], as: UTF8.self)
      readLines(bytes, from: layout.contentLineStart, to: layout.end, start)
    }
  }

  private mutating func readLines(_ bytes: [UInt8], from begin: Int, to end: Int, _ dash: Int) {
    let width = dash - begin
    var at = begin
    while at < end {
      let next = lineEnd(bytes, at)
      defer { at = next }
      guard let first = firstNonBlank(bytes, at..<next), bytes[first] != UInt8(ascii: "#") else {
        continue
      }
      if first - at == width, bytes[first] == UInt8(ascii: "-"), isBlank(bytes[first + 1]) {
        ranges.append(at..<next)
      } else if let last = ranges.indices.last {
        ranges[last] = ranges[last].lowerBound..<next
      }
    }
    ranges.removeAll { line in
      var content = line.dropFirst(width + 1)
      while let last = content.last, isBlank(bytes[last]) { content.removeLast() }
      guard let first = firstNonBlank(bytes, content.startIndex..<content.endIndex) else {
        return true
      }
      return isCommentStart(bytes, first)
        || isYAMLNull(String(decoding: bytes[first..<content.endIndex], as: UTF8.self))
    }
  }

  /// The text in which the items `old` are `new`. Items of both stay; others are removed, and added
  /// after the last one that stays. `nil` if none stays, or if a comment would go with an item.
  func changing(
    _ old: [String], to new: [String], in bytes: [UInt8], newline: String
  ) -> [UInt8]? {
    guard ranges.count == old.count else { return nil }
    var added = new[...]
    var kept: [Int] = []
    for (index, item) in old.enumerated() where added.first == item {
      added.removeFirst()
      kept.append(index)
    }
    guard let last = kept.last else { return nil }
    let text = added.map { item in
      indent.map { $0 + "- " + yamlScalar(item, isInFlow: false) + newline }
        ?? ", " + yamlScalar(item, isInFlow: true)
    }.joined()
    var changed = bytes
    for index in ranges.indices.reversed() {
      if index == last {
        let end = ranges[last].upperBound
        changed.insert(contentsOf: text.utf8, at: end)
      } else if !kept.contains(index) {
        let removed = removal(of: index, after: last)
        if bytes[removed].contains(UInt8(ascii: "#")) { return nil }
        changed.removeSubrange(removed)
      }
    }
    return changed
  }

  /// The bytes of an item with the comma on the side of the last item that stays.
  private func removal(of index: Int, after last: Int) -> Range<Int> {
    if indent != nil { return ranges[index] }
    return index > last
      ? ranges[index - 1].upperBound..<ranges[index].upperBound
      : ranges[index].lowerBound..<ranges[index + 1].lowerBound
  }
}

/// A value in brackets, `[…]` or `{…}`.
struct FlowValue {
  /// The offset after the closing bracket.
  private(set) var end = 0
  /// The texts between the commas outside of inner brackets, without blanks and comments around.
  private(set) var items: [Range<Int>] = []

  /// `nil` if the bracket at `start` is not closed before `limit`.
  init?(_ bytes: [UInt8], _ start: Int, _ limit: Int) {
    var (at, depth, before) = (start, 0, UInt8(ascii: ","))
    var item: Range<Int>?
    while at < limit {
      let byte = bytes[at]
      var next = at + 1
      defer { at = next }
      if isBlank(byte) { continue }
      if byte == UInt8(ascii: "#"), isBlank(bytes[at - 1]) {
        next = lineEnd(bytes, at)
        continue
      }
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        // A quote inside of a word is a letter of it.
        guard "[{,:".utf8.contains(before) else { break }
        guard let close = closingQuote(bytes, at, limit) else { return nil }
        next = close + 1
      default: break
      }
      before = byte
      if depth == 0 || depth == 1 && byte == UInt8(ascii: ",") {
        if let item { items.append(item) }
        item = nil
        end = next
        if depth == 0 { return }
      } else if at > start {
        item = (item?.lowerBound ?? at)..<next
      }
    }
    return nil
  }
}
