extension EntryText {
  /// The same text without the blank lines at its end; the last line with words keeps its line end.
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
