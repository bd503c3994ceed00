extension EntryText {
  /// The value of one of the properties at the start of the body, which other programs use instead
  /// of a header: `title:: words` (Logseq), or `Title: words` (MultiMarkdown, Pelican) if another
  /// property or a blank line follows. Everything else treats properties as text.
  ///
  /// - Parameter key: in lower case.
  func bodyProperty(_ key: String) -> String? {
    guard headerKind == .none else { return nil }
    let bytes = bodyBytes
    var (value, count): (String?, Int) = (nil, 0)
    for line in EntryBodyLines(bytes) {
      guard line.kind == .text, let found = EntryText.property(of: bytes[line.range]) else {
        return count > 1 || line.kind == .blank ? value : nil
      }
      count += 1
      guard found.key == key, value == nil else { continue }
      if found.isDouble { return found.value }
      value = found.value
    }
    return value
  }

  private static func property(
    of line: ArraySlice<UInt8>
  ) -> (key: String, value: String, isDouble: Bool)? {
    let key = line.prefix {
      $0.isLetter || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
    }
    let remainder = line[key.endIndex...]
    guard !key.isEmpty, remainder.first == UInt8(ascii: ":") else { return nil }
    let isDouble = remainder.starts(with: "::".utf8)
    let value = remainder.dropFirst(isDouble ? 2 : 1)
    guard value.first.map({ isBlank($0) || $0 == 0x0A }) ?? true else { return nil }
    let text = trimmed(String(decoding: value.prefix(1000), as: UTF8.self))
    guard !text.isEmpty else { return nil }
    return (String(decoding: key, as: UTF8.self).lowercased(), text, isDouble)
  }
}
