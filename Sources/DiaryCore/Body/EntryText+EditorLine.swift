extension EntryText {
  /// The line, 1 for the first, at which an editor opens the entry: the first line with content
  /// below the header. In an empty body, the last line, or the second of several.
  package var editorLine: Int {
    guard headerKind == .yaml || headerKind == .toml || headerKind == .json else { return 1 }
    let headerLines = text[..<bodyRange.lowerBound].count { $0 == 0x0A } + 1
    let body = bodyBytes
    guard let contentStart = body.firstIndex(where: { !isBlank($0) }) else {
      return headerLines + min(1, max(0, body.count { $0 == 0x0A } - 1))
    }
    return headerLines + body[..<contentStart].count { $0 == 0x0A }
  }
}
