import Localization

extension EntryText {
  /// Problems in the text for the user to check: a header that is not at the top, and conflict
  /// markers of an unfinished merge.
  package var bodyLints: [Diagnostic] {
    var lints: [Diagnostic] = []
    if let found = misplacedHeader() {
      lints.append(
        Diagnostic(
          code: "header-not-at-top", line: found.line,
          message: localized("a header begins here instead of at the top, so Diary ignores it")))
    }
    if let line = conflictMarkerLine {
      lints.append(
        Diagnostic(
          code: "conflict-mark", line: line,
          message:
            localized(
              "conflict markers of an unfinished merge; keep the right version and remove "
                + "the rest")))
    }
    return lints
  }

  /// The line of the first `<<<<<<<` that is followed by `=======` and `>>>>>>>`. Code blocks are
  /// ignored, because they may contain examples.
  private var conflictMarkerLine: Int? {
    guard let first = text.firstRange(of: "<<<<<<<".utf8), !first.isEmpty else { return nil }
    let markers = [("<", true), ("=", false), (">", true)]
    var (at, line, isCode) = (0, 1, false)
    var (found, start) = (0, 1)
    while at < text.count {
      let end = lineEnd(text, at)
      let lineBytes = text[at..<end]
      if found == 0, lineBytes.starts(with: "```".utf8) || lineBytes.starts(with: "~~~".utf8) {
        isCode.toggle()
      } else if !isCode {
        let (character, canHaveLabel) = markers[found]
        let remainder = lineBytes.dropFirst(7)
        if lineBytes.starts(with: String(repeating: character, count: 7).utf8),
          remainder.first.map({ isBlank($0) }) ?? true,
          canHaveLabel || remainder.allSatisfy({ isBlank($0) })
        {
          if found == 0 { start = line }
          found += 1
          if found == markers.count { return start }
        }
      }
      (at, line) = (end, line + 1)
    }
    return nil
  }
}
