extension FrontMatter {
  /// Accepts `+++` … `+++` as a header if its first meaningful line is a key or a table.
  mutating func scanTOML(_ bytes: [UInt8], from opening: Int) -> Bool {
    let first = lineEnd(bytes, opening)
    var closing = first
    while closing < bytes.count, !isFence(bytes, closing, UInt8(ascii: "+")) {
      closing = lineEnd(bytes, closing)
    }
    guard closing < bytes.count else { return false }
    var reader = TOMLJSONHeaderReader(
      bytes: bytes, position: first, end: closing, separator: UInt8(ascii: "="))
    var table: String?
    var isFirst = true
    while true {
      reader.skipBlanks()
      guard let byte = reader.currentByte else { break }
      let start = reader.position
      if byte == UInt8(ascii: "[") {
        table = tableName(bytes, start)
      } else if let key = reader.key(), let tree = reader.valueAfterSeparator(depth: 0) {
        add(key, tree.fieldValue, in: table, start..<lineEnd(bytes, reader.position), bytes)
      } else if isFirst {
        return discardFields()
      }
      isFirst = false
      reader.position = min(closing, max(lineEnd(bytes, start), lineEnd(bytes, reader.position)))
    }
    kind = .toml
    lines = first..<closing
    bodyStart = lineEnd(bytes, closing)
    return true
  }

  private mutating func discardFields() -> Bool {
    fields = []
    foreignValues = []
    return false
  }

  private func tableName(_ bytes: [UInt8], _ start: Int) -> String {
    let line = String(decoding: bytes[start..<lineEnd(bytes, start)], as: UTF8.self)
    let name = line.prefix { $0 != "]" }.drop { $0 == "[" || $0 == " " }
    return String(name.reversed().drop { $0 == " " }.reversed())
  }

  /// Adds a value. Zola stores tags in a table `taxonomies`, so that table's keys count as
  /// top-level keys. The keys of any other table become one mapping.
  private mutating func add(
    _ key: String, _ value: FieldValue?, in table: String?, _ range: Range<Int>, _ bytes: [UInt8]
  ) {
    guard let table, table != "taxonomies" else {
      addField(key, value, range, bytes)
      return
    }
    guard case .text(let text) = value else { return }
    let last = foreignValues.indices.last
    if let last, fields[last].key == table, case .mapping(var pairs) = foreignValues[last] {
      // The array gives up its reference first, so that the pairs grow in place, without a copy.
      foreignValues[last] = nil
      pairs.append((key, text))
      foreignValues[last] = .mapping(pairs)
    } else {
      addField(table, .mapping([(key, text)]), range, bytes)
    }
  }

  private mutating func addField(
    _ key: String, _ value: FieldValue?, _ range: Range<Int>, _ bytes: [UInt8]
  ) {
    let last = fields.last.map { ($0.line, $0.range.lowerBound) } ?? (1, 0)
    let line = last.0 + bytes[last.1..<range.lowerBound].count { $0 == 0x0A }
    fields.append(
      EntryText.Field(
        key: key, line: line, range: range, valueStart: range.lowerBound, end: range.upperBound))
    foreignValues.append(value)
  }

  /// Accepts a JSON object as a header if a line ends after it.
  mutating func scanJSON(_ bytes: [UInt8], from opening: Int) -> Bool {
    var reader = TOMLJSONHeaderReader(
      bytes: bytes, position: opening, end: bytes.count, separator: UInt8(ascii: ":"))
    var found: [(String, FieldValue?, Range<Int>)] = []
    reader.position += 1
    reader.skipBlanks()
    while reader.currentByte == UInt8(ascii: "\"") {
      let start = reader.position
      guard let key = reader.key(), let tree = valueInObject(&reader) else { return false }
      found.append((key, tree.fieldValue, start..<reader.position))
      reader.skipBlanks()
      if reader.currentByte == UInt8(ascii: ",") { reader.position += 1 }
      reader.skipBlanks()
    }
    guard !found.isEmpty, reader.currentByte == UInt8(ascii: "}") else { return false }
    let end = lineEnd(bytes, reader.position)
    guard isBlank(bytes, (reader.position + 1)..<end) else { return false }
    for (key, value, range) in found { addField(key, value, range, bytes) }
    kind = .json
    lines = opening..<end
    bodyStart = end
    return true
  }

  private func valueInObject(_ reader: inout TOMLJSONHeaderReader) -> TOMLJSONHeaderReader.Tree? {
    reader.skipBlanks()
    return reader.valueAfterSeparator(depth: 1)
  }

  /// True for a line `{` or the start of an object, but not for `{{< figure >}}` or `{: .lead}`.
  func isLikelyJSON(_ bytes: [UInt8], _ opening: Int) -> Bool {
    let line = (opening + 1)..<lineEnd(bytes, opening)
    guard let content = firstNonBlank(bytes, line) else { return true }
    return bytes[content] == UInt8(ascii: "\"")
  }
}
