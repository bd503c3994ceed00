extension EntryText {
  /// Creates a new entry: a header with these fields in this order, each key once, above a body.
  /// Empty fields are skipped. Writing the header in one pass is much faster than setting each
  /// field, which matters for thousands of entries.
  package init(fields: [(key: String, value: FieldValue)], body: String) {
    let hasCarriageReturn = body.utf8.firstIndex(of: 0x0A).map { index in
      index > body.utf8.startIndex && body.utf8[body.utf8.index(before: index)] == 0x0D
    }
    let newline = hasCarriageReturn == true ? "\r\n" : "\n"
    var header = ""
    var keys: Set<String> = []
    for (key, value) in fields where !value.isEmpty && isWritableKey(key) {
      guard keys.insert(key.lowercased()).inserted else { continue }
      let line = value.yamlLine(key: key.lowercased())
      if !line.isEmpty { header += key + ": " + line + newline }
    }
    let plain = EntryText(Array(body.utf8))
    // Without a new header, a body that looks like a header would become one.
    if header.isEmpty, plain.headerKind == .none {
      self = plain
      return
    }
    let first = body.utf8.prefix { $0 != 0x0A }
    let isFirstLineBlank = first.allSatisfy { isBlank($0) || $0 == 0x0D }
    header = "---" + newline + header + "---" + newline + (isFirstLineBlank ? "" : newline)
    self.init(Array((header + body).utf8))
  }
}
