extension EntryText {
  /// The text without blank lines at its end. The last line with content keeps its line ending.
  package var withoutTrailingBlankLines: EntryText {
    guard encoding == .utf8, !isDamaged, bytes.last == 0x0A else { return self }
    var end = bytes.count
    while end > bodyRange.lowerBound {
      let start = bytes[..<(end - 1)].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      guard start >= bodyRange.lowerBound, isBlank(bytes, start..<(end - 1)) else { break }
      end = start
    }
    return EntryText(Array(bytes[..<end]))
  }
}
