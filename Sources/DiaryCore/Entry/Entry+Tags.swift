extension Entry {
  /// The tags of `tags`, `keywords`, `categories` and the `#tags` of the body, in this order, each
  /// once.
  static func tags(of text: EntryText, body: ArraySlice<UInt8>) -> [String] {
    var tags: [String] = []
    var seen: Set<String> = []
    func add(_ item: String) {
      let tag = trimmed(item.drop { $0 == "#" || $0 == " " })
      if !tag.isEmpty, seen.insert(tag.lowercased()).inserted { tags.append(tag) }
    }
    for key in EntryText.tagKeys {
      switch text.value(key) {
      case .list(let items): items.forEach(add)
      case .text(let words): splitTags(words).forEach(add)
      case .mapping, nil: break
      }
    }
    if containsByte(UInt8(ascii: "#"), in: body) { TagScanner.tags(in: body).forEach(add) }
    return tags
  }

  /// Splits a plain value at commas, else at blanks. Brackets that are not YAML are removed.
  private static func splitTags(_ value: String) -> [String] {
    var value = value[...]
    if value.hasPrefix("["), value.hasSuffix("]"), !value.hasPrefix("[[") {
      value = value.dropFirst().dropLast()
    }
    let hasCommas = value.contains(",")
    let parts = value.split { hasCommas ? $0 == "," : $0.isWhitespace }
    return parts.map(String.init)
  }
}
