import Localization

extension EntryText {
  /// Problems that Diary preserves but the user should check.
  package var lints: [Diagnostic] {
    var lints: [Diagnostic] = []
    if encoding != .utf8 || isDamaged {
      lints.append(
        Diagnostic(
          code: "not-utf8", line: nil,
          message: hasExcessiveMarks(bytes)
            ? localized(
              "a letter has more combining marks than any script uses, so Diary does not "
                + "rewrite the text")
            : localized("the text is not UTF-8, so Diary never rewrites it")))
    }
    if headerKind == .unreadable {
      lints.append(
        Diagnostic(
          code: "unreadable-header", line: frontMatter.openingLine,
          message: localized("the text begins like a header, but the header cannot be read")))
    } else if headerKind != .none, frontMatter.openingLine > 1 {
      lints.append(
        Diagnostic(
          code: "blank-before-header", line: 1,
          message: localized(
            "there are blank lines before the header, so many programs do not find it")))
    }
    var seen: Set<String> = []
    for index in fields.indices {
      let field = fields[index]
      if !seen.insert(field.key.lowercased()).inserted {
        lints.append(
          Diagnostic(
            code: "duplicate-key", line: field.line,
            message: localized("\"\(field.key)\" is given twice; the first one is used")))
      }
      if headerKind == .yaml, let lint = lint(of: index) { lints.append(lint) }
    }
    return lints
  }

  private func lint(of index: Int) -> Diagnostic? {
    let field = fields[index]
    if reading(at: index).isInvalid {
      return Diagnostic(
        code: "unreadable-value", line: field.line,
        message: localized(
          "the value of \"\(field.key)\" is not YAML; Diary reads it as plain text"))
    }
    let layout = FieldLayout(text, valueStart: field.valueStart, end: field.end)
    guard let contentStart = layout.contentStart else { return nil }
    let isYAML = layout.hasYAMLSyntax(text, contentStart)
    guard
      isYAML
        ? !layout.hasHiddenItem(text, contentStart)
        : layout.isOneSafeLine(text, contentStart, until: field.range.upperBound)
    else {
      return Diagnostic(
        code: "unquoted-value", line: field.line,
        message: localized("a strict YAML parser may misread \"\(field.key)\"; put it in quotes"))
    }
    return nil
  }
}

extension FieldLayout {
  /// True if a list item is `#word`, which a strict parser reads as a comment.
  fileprivate func hasHiddenItem(_ bytes: [UInt8], _ contentStart: Int) -> Bool {
    guard bytes[contentStart] == UInt8(ascii: "-") else { return false }
    var at = contentLineStart
    while at < end {
      let next = lineEnd(bytes, at)
      if let dash = firstNonBlank(bytes, at..<next), bytes[dash] == UInt8(ascii: "-"),
        let content = firstNonBlank(bytes, (dash + 1)..<next), bytes[content] == UInt8(ascii: "#")
      {
        return true
      }
      at = next
    }
    return false
  }

  /// True if a plain value contains nothing that YAML reads as an indicator. `end` is the end of
  /// the value's lines, without the comments below it.
  fileprivate func isOneSafeLine(_ bytes: [UInt8], _ contentStart: Int, until end: Int) -> Bool {
    switch bytes[contentStart] {
    case UInt8(ascii: "#"), UInt8(ascii: "&"), UInt8(ascii: "*"), UInt8(ascii: "!"),
      UInt8(ascii: "%"), UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "]"),
      UInt8(ascii: "}"), UInt8(ascii: ","):
      return false
    case UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"):
      if isBlank(bytes[contentStart + 1]) { return false }
    default: break
    }
    var at = contentStart
    while at < end {
      let next = lineEnd(bytes, at)
      if at > contentStart, let content = firstNonBlank(bytes, at..<next), content == at,
        bytes[content] != UInt8(ascii: "#")
      {
        return false
      }
      for index in at..<next {
        if bytes[index] == UInt8(ascii: ":"), isBlank(bytes[index + 1]) { return false }
        if bytes[index] == UInt8(ascii: "#"), index > at, isBlank(bytes[index - 1]),
          firstNonBlank(bytes, at..<next) != index
        {
          return false
        }
      }
      at = next
    }
    return true
  }
}
