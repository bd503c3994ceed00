extension EntryText {
  /// A new entry: a header with these fields in this order, each key once, above a body. Fields that
  /// say nothing are left out. The header is written at once, which for thousands of entries is much
  /// faster than to set field after field.
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
    // A body that looks like a header of its own must not become one.
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
