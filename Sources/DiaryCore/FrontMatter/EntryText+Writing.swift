extension EntryText {
  /// Gives a field a value: its own lines change, and no other byte. A new key goes to its place
  /// (title, date, weather, tags, then others); without a header one is made above the text.
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
      let field = frontMatter.fields[index]
      changed.replaceSubrange(field.range, with: fieldLines(field, value).utf8)
    } else {
      let offset = offsetOfNewKey(key)
      let line = fieldLine(key, value, newline(at: frontMatter.lines.lowerBound - 1))
      changed.insert(contentsOf: line.utf8, at: offset)
    }
    try verifyAndAssign(changed, key: key, value)
  }

  /// Takes a field away, each time that it is given; comments below it stay.
  package mutating func remove(_ key: String) throws(FrontMatterError) {
    guard headerKind != .none, headerKind != .unreadable else { return }
    let matching = frontMatter.fields.filter { EntryText.isSameKey($0.key, key) }
    guard !matching.isEmpty else { return }
    try checkWritable()
    var changed = bytes
    for field in matching.reversed() { changed.removeSubrange(field.range) }
    if matching.count == frontMatter.fields.count {
      // Fences around nothing are a header only when no blank line follows the first.
      let start = frontMatter.lines.lowerBound
      while start < changed.count, isBlank(changed, start..<lineEnd(changed, start)) {
        changed.removeSubrange(start..<lineEnd(changed, start))
      }
    }
    try verifyAndAssign(changed, key: key, nil)
  }

  private func checkWritable() throws(FrontMatterError) {
    guard encoding == .utf8, !isDamaged else { throw .notUTF8 }
    switch headerKind {
    case .none, .yaml: break
    case .toml, .json: throw .foreignHeader(headerKind)
    case .unreadable: throw .unreadableHeader
    }
  }

  /// Reads back what was written. The lines of a key may stand inside another value for a strict
  /// parser (quotes that run on); then nothing is written, rather than a header that it misreads.
  private mutating func verifyAndAssign(
    _ changed: [UInt8], key: String, _ value: FieldValue?
  ) throws(FrontMatterError) {
    let result = EntryText(changed)
    guard result.headerKind == .yaml, result.value(key) == value.flatMap({ $0.isEmpty ? nil : $0 }),
      headerKind == .none || result.bytes[result.bodyRange] == bytes[bodyRange],
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
      guard matching.count == (value == nil ? 0 : 1),
        value.map({ value in matching.allSatisfy { strictYAML($0.value, matches: value) } }) ?? true
      else { throw .wouldChangeOthers(key) }
    }
    self = result
  }

  /// Whether all fields but that key's read as they do in another text: a comment that stood below a
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

  private func fieldLine(_ key: String, _ value: FieldValue, _ end: String) -> String {
    let line = value.yamlLine(key: key.lowercased())
    return key + (line.isEmpty ? ":" : ": ") + line + end
  }

  /// The field's lines with a new value: the key and its blanks as they were, a list in lines as
  /// a list in lines.
  private func fieldLines(_ field: Field, _ value: FieldValue) -> String {
    let layout = FieldLayout(bytes, valueStart: field.valueStart, end: field.end)
    let key = String(decoding: bytes[field.range.lowerBound..<field.valueStart], as: UTF8.self)
    let end = newline(at: field.valueStart)
    if case .list(let items) = value, !items.isEmpty, let contentStart = layout.contentStart,
      !layout.isOnKeyLine, bytes[contentStart] == UInt8(ascii: "-"),
      isBlank(bytes[contentStart + 1])
    {
      let indent = String(decoding: bytes[layout.contentLineStart..<contentStart], as: UTF8.self)
      return items.reduce(into: key + end) { lines, item in
        lines += indent + "- " + yamlScalar(item, isInFlow: false) + end
      }
    }
    let line = value.yamlLine(key: field.key.lowercased())
    guard !line.isEmpty else { return key + end }
    let valueStart = layout.isOnKeyLine ? layout.contentStart : nil
    let blanks = valueStart.map { String(decoding: bytes[field.valueStart..<$0], as: UTF8.self) }
    return key + (blanks ?? " ") + line + end
  }

  private var hasTextOnFirstBodyLine: Bool {
    let start = frontMatter.bodyStart
    return start < bytes.count && !isBlank(bytes, start..<lineEnd(bytes, start))
  }

  /// The line end of the line that holds `index`; of the first line where it has none.
  func newline(at index: Int) -> String {
    var end = lineEnd(bytes, index)
    if end == 0 || bytes[end - 1] != 0x0A { end = lineEnd(bytes, 0) }
    return end >= 2 && bytes[end - 1] == 0x0A && bytes[end - 2] == 0x0D ? "\r\n" : "\n"
  }
}

extension EntryText {
  /// Whether the header says `starred: true`.
  package var isStarred: Bool { string(EntryText.starKey)?.lowercased() == "true" }

  /// The field that bears an entry's star.
  package static let starKey = "starred"

  /// The tags of the header's `tags`, as they stand there; those of the body are not among them.
  package var headerTags: [String] { value("tags").map(\.tagNames) ?? [] }
}

extension FieldValue {
  /// The words of a field of tags: the items of a list, else what commas or blanks part.
  package var tagNames: [String] {
    switch self {
    case .list(let items): items
    case .text(let text):
      text.split(separator: text.contains(",") ? "," : " ").map { trimmed(String($0)) }
    case .mapping: []
    }
  }
}
