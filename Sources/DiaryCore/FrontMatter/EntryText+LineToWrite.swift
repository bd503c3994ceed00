extension EntryText {
  /// The line, 1 for the first, at which an editor should open the entry: the first words below the
  /// header; where there are none, the last line there, or the second of several.
  package var lineToWrite: Int {
    guard headerKind == .yaml || headerKind == .toml || headerKind == .json else { return 1 }
    let header = text[..<bodyRange.lowerBound].count { $0 == 0x0A } + 1
    let body = text[bodyRange]
    guard let words = body.firstIndex(where: { !isBlank($0) }) else {
      return header + min(1, max(0, body.count { $0 == 0x0A } - 1))
    }
    return header + body[..<words].count { $0 == 0x0A }
  }
}
