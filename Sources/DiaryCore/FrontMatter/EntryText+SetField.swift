extension EntryText {
  /// Sets a field: only its value changes, and of a list only the items that differ. A new key is
  /// inserted in order (title, date, weather, tags, then others). A text without a header gets one.
  ///
  /// A value that is neither a text nor a list is not replaced, nor an invalid one by a list, nor
  /// one with lines below it that are not YAML.
  package mutating func set(_ key: String, _ value: FieldValue) throws(FrontMatterError) {
    guard isWritableKey(key) else { throw .unusableKey(key) }
    try checkWritable()
    var changed = bytes
    if headerKind == .none {
      let lineEnding = newline(at: frontMatter.bodyStart)
      var newHeader = "---" + lineEnding + fieldLine(key, value, lineEnding) + "---" + lineEnding
      if hasTextOnFirstBodyLine { newHeader += lineEnding }
      changed.insert(contentsOf: newHeader.utf8, at: frontMatter.bodyStart)
    } else if let index = index(of: key) {
      let old = reading(at: index)
      let field = frontMatter.fields[index]
      guard canReplace(old, by: value), !layout(of: field).hasStrayLine(bytes) else {
        throw .compoundValue(key)
      }
      if case .list(let items)? = old.value, case .list(let new) = value,
        let edited = FieldItems(bytes, layout(of: field)).changing(
          items, to: new, in: bytes, newline: newline(at: field.valueStart)),
        (try? verifyAndAssign(edited, key: key, value)) != nil
      {
        return
      }
      changed.replaceSubrange(field.range, with: fieldLines(field, value).utf8)
    } else {
      let offset = offsetOfNewKey(key)
      let line = fieldLine(key, value, newline(at: frontMatter.lines.lowerBound - 1))
      changed.insert(contentsOf: line.utf8, at: offset)
    }
    try verifyAndAssign(changed, key: key, value)
  }

  /// Removes all fields with the key. Comments below them remain.
  package mutating func remove(_ key: String) throws(FrontMatterError) {
    guard headerKind != .none, headerKind != .unreadable else { return }
    let matching = frontMatter.fields.filter { EntryText.isSameKey($0.key, key) }
    guard !matching.isEmpty else { return }
    try checkWritable()
    guard !matching.contains(where: { layout(of: $0).hasStrayLine(bytes) }) else {
      throw .compoundValue(key)
    }
    var changed = bytes
    for field in matching.reversed() { changed.removeSubrange(field.range) }
    if matching.count == frontMatter.fields.count {
      // Fences around an empty header count as a header only if no blank line follows the first.
      let start = frontMatter.lines.lowerBound
      while start < changed.count, isBlank(changed, start..<lineEnd(changed, start)) {
        changed.removeSubrange(start..<lineEnd(changed, start))
      }
    }
    try verifyAndAssign(changed, key: key, nil)
  }

  /// Replaces the parts of a field's value where they stand in the file, in their order. Each part is
  /// between blanks, brackets, commas, quotes or line ends. All other bytes stay, also comments.
  ///
  /// - Parameter value: the value that the field must then have.
  mutating func replace(
    _ parts: [(old: String, new: String)], in key: String, giving value: FieldValue
  ) throws(FrontMatterError) {
    try checkWritable()
    guard let index = index(of: key) else { return }
    let field = frontMatter.fields[index]
    var (changed, copied, at): ([UInt8], Int, Int) = ([], 0, field.valueStart)
    func isEdge(_ offset: Int) -> Bool {
      guard offset < field.range.upperBound else { return true }
      return isBlank(bytes[offset]) || "\r\n[]{},\"'".utf8.contains(bytes[offset])
    }
    for part in parts {
      let old = Array(part.old.utf8)
      while at < field.range.upperBound,
        !bytes[at...].starts(with: old) || !(at == field.valueStart || isEdge(at - 1))
          || !isEdge(at + old.count)
      {
        at = isCommentStart(bytes, at) && isEdge(at + 1) ? lineEnd(bytes, at) : at + 1
      }
      guard at < field.range.upperBound, !old.isEmpty else { throw .compoundValue(key) }
      changed += bytes[copied..<at] + Array(part.new.utf8)
      at += old.count
      copied = at
    }
    try verifyAndAssign(changed + bytes[copied...], key: key, value, isExact: false)
  }

  /// Removes the other items of a list, unless a comment would go with one.
  mutating func keepItems(_ kept: [String], of key: String) {
    guard let index = index(of: key), case .list(let items)? = value(key), items != kept else {
      return
    }
    let field = frontMatter.fields[index]
    let edited = FieldItems(bytes, layout(of: field)).changing(
      items, to: kept, in: bytes, newline: newline(at: field.valueStart))
    if let edited { try? verifyAndAssign(edited, key: key, .list(kept)) }
  }

  private func checkWritable() throws(FrontMatterError) {
    guard encoding == .utf8, !isDamaged else { throw .notUTF8 }
    switch headerKind {
    case .none, .yaml: break
    case .toml, .json: throw .foreignHeader(headerKind)
    case .unreadable: throw .unreadableHeader
    }
  }

  /// Verifies the changed text and assigns it. To a strict parser, the lines of a key can be inside
  /// another value (an unclosed quote). In that case nothing is written and an error is thrown.
  ///
  /// - Parameter isExact: true if a strict parser must read the value, too.
  private mutating func verifyAndAssign(
    _ changed: [UInt8], key: String, _ value: FieldValue?, isExact: Bool = true
  ) throws(FrontMatterError) {
    let result = EntryText(changed)
    guard result.headerKind == .yaml, result.value(key) == value.flatMap({ $0.isEmpty ? nil : $0 }),
      headerKind == .none || result.bodyBytes == bodyBytes,
      headerKind == .none || result.hasSameFields(as: self, except: key)
    else { throw .wouldChangeOthers(key) }
    if headerKind == .yaml, let before = strictHeader(header) {
      guard let after = strictHeader(result.header) else { throw .wouldChangeOthers(key) }
      let others = before.filter { !EntryText.isSameKey($0.key, key) }
      let othersAfter = after.filter { !EntryText.isSameKey($0.key, key) }
      guard others.elementsEqual(othersAfter, by: { $0.key == $1.key && $0.value == $1.value })
      else {
        throw .wouldChangeOthers(key)
      }
      let matching = after.filter { EntryText.isSameKey($0.key, key) }
      let isExactly =
        value.map { value in matching.allSatisfy { strictYAML($0.value, matches: value) } } ?? true
      guard matching.count == (value == nil ? 0 : 1), isExactly || !isExact else {
        throw .wouldChangeOthers(key)
      }
    }
    self = result
  }

  /// True if all fields except `key` have the same values as in the other text. A comment below a
  /// field can become part of the value above it.
  private func hasSameFields(as other: EntryText, except key: String) -> Bool {
    func others(_ text: EntryText) -> [Int] {
      text.fields.indices.filter { !EntryText.isSameKey(text.fields[$0].key, key) }
    }
    return others(self).elementsEqual(others(other)) { mine, theirs in
      fields[mine].key == other.fields[theirs].key
        && reading(at: mine).value == other.reading(at: theirs).value
    }
  }

  private func canReplace(_ old: FieldReading, by value: FieldValue) -> Bool {
    switch value {
    case .text: !old.isCompound
    case .list: !old.isCompound && !old.isInvalid
    case .mapping: !old.isPartial
    }
  }

  private func layout(of field: Field) -> FieldLayout {
    FieldLayout(bytes, valueStart: field.valueStart, end: field.end)
  }

  private func fieldLine(_ key: String, _ value: FieldValue, _ end: String) -> String {
    let line = value.yamlLine(key: key.lowercased())
    return key + (line.isEmpty ? ":" : ": ") + line + end
  }

  /// The field's lines with a new value. The key, its blanks and the comments beside and above the
  /// value stay, and a list on several lines remains one.
  private func fieldLines(_ field: Field, _ value: FieldValue) -> String {
    let layout = layout(of: field)
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    if case .list(let items) = value, !items.isEmpty, let contentStart = layout.contentStart,
      layout.hasDashes(bytes)
    {
      let end = newline(at: field.valueStart)
      let indent = text(layout.contentLineStart..<contentStart)
      return items.reduce(into: text(field.range.lowerBound..<layout.contentLineStart)) {
        $0 += indent + "- " + yamlScalar($1, isInFlow: false) + end
      }
    }
    let key = text(field.range.lowerBound..<field.valueStart)
    func line(beside comment: String, isQuoted: Bool = false) -> String {
      value.yamlLine(
        key: field.key.lowercased(), isQuoted: isQuoted || comment.contains { $0 == "#" })
    }
    if let contentStart = layout.contentStart, let close = layout.closedEnd(bytes) {
      let after = text(close..<field.range.upperBound)
      let new = line(beside: after, isQuoted: !layout.isOnKeyLine)
      return (new.isEmpty ? key : text(field.range.lowerBound..<contentStart)) + new + after
    }
    let comment = text(layout.keyLineComment(bytes))
    let new = line(beside: comment)
    let blanks = layout.isOnKeyLine ? layout.contentStart.map { text(field.valueStart..<$0) } : nil
    return key + (new.isEmpty ? "" : blanks ?? " ") + new + comment
      + newline(at: field.valueStart) + text(layout.commentLines)
  }

  private var hasTextOnFirstBodyLine: Bool {
    let start = frontMatter.bodyStart
    return start < bytes.count && !isBlank(bytes, start..<lineEnd(bytes, start))
  }

  /// The line ending of the line that contains `index`, or of the first line if that one has none.
  func newline(at index: Int) -> String {
    var end = lineEnd(bytes, index)
    if end == 0 || bytes[end - 1] != 0x0A { end = lineEnd(bytes, 0) }
    return end >= 2 && bytes[end - 1] == 0x0A && bytes[end - 2] == 0x0D ? "\r\n" : "\n"
  }
}

extension EntryText {
  /// True if the header contains `starred: true`.
  package var isStarred: Bool { string(EntryText.starKey)?.lowercased() == "true" }

  /// The key of the field that marks an entry as starred.
  package static let starKey = "starred"

  /// The tags in the header's `tags`, as written, without tags in the body.
  package var headerTags: [String] { value("tags").map(\.tagNames) ?? [] }
}

extension FieldValue {
  /// The tags in a field: the items of a list, or a text split at commas, else at blanks.
  package var tagNames: [String] {
    switch self {
    case .list(let items): items
    case .text(let text):
      text.split(separator: text.contains(",") ? "," : " ").map { trimmed(String($0)) }
    case .mapping: []
    }
  }
}
