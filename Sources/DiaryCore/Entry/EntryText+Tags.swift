extension EntryText {
  /// The tags of `tags`, `keywords` and `categories`, of the title in the header, and of the body,
  /// in this order, each once. Those in `comments`, parts of the body, do not count.
  func tags(marked marks: Settings.TagMarks, without comments: [Range<Int>] = []) -> [String] {
    var tags: [String] = []
    var seen: Set<String> = []
    func add(_ tag: String) {
      if !tag.isEmpty, seen.insert(tag.lowercased()).inserted { tags.append(tag) }
    }
    for key in EntryText.tagKeys {
      switch value(key) {
      case .list(let items): for item in items { add(marks.removed(from: item)) }
      case .text(let words): for word in tagWords(words) { add(marks.removed(from: word)) }
      case .mapping, nil: break
      }
    }
    let (title, body) = (titleBytes, bodyBytes)
    for name in TagScanner.names(in: title, marked: marks) {
      add(String(decoding: title[name], as: UTF8.self))
    }
    for name in TagScanner.names(in: body, marked: marks) where !comments.cover(name.lowerBound) {
      add(String(decoding: body[name], as: UTF8.self))
    }
    return tags
  }

  /// The value of `title` in the header.
  private var titleBytes: ArraySlice<UInt8> {
    guard case .text(let title) = value("title") else { return [] }
    return Array(title.utf8)[...]
  }

  /// Renames a tag, and all tags below it (`old/…`), in the header and the body, each at its own
  /// place. All other bytes stay the same. Of a tag that a list has by both names, one stays, if no
  /// comment would go with the other.
  ///
  /// - Throws: ``FrontMatterError`` if a part with the tag is never rewritten, or has it in a form
  ///   that is not what it reads as, such as an escape.
  package mutating func renameTag(
    _ old: String, to new: String, marked marks: Settings.TagMarks
  ) throws(FrontMatterError) {
    /// The tag with its new name. `nil` if it is another one.
    func renamed(_ tag: some StringProtocol) -> String? {
      let mark = tag.prefix { marks.isBefore($0) }
      let words = tag[mark.endIndex...].split(separator: "/", omittingEmptySubsequences: false)
      let oldWords = old.split(separator: "/", omittingEmptySubsequences: false)
      guard words.count >= oldWords.count,
        zip(words, oldWords).allSatisfy({ trimmed($0).lowercased() == $1.lowercased() }),
        let last = words.prefix(oldWords.count).last
      else { return nil }
      let blanks = last.reversed().prefix { $0.isWhitespace }
      return mark + new + blanks + tag[last.endIndex...]
    }
    func renaming(in text: ArraySlice<UInt8>) -> [UInt8]? {
      var (changed, offset): ([UInt8], Int) = ([], text.startIndex)
      for name in TagScanner.names(in: text, marked: marks) {
        guard let new = renamed(String(decoding: text[name], as: UTF8.self)) else { continue }
        changed += text[offset..<name.lowerBound] + Array(new.utf8)
        offset = name.upperBound
      }
      return offset == text.startIndex ? nil : changed + text[offset...]
    }
    for key in EntryText.tagKeys {
      switch value(key) {
      case .list(let items):
        let new = items.map { renamed($0) ?? $0 }
        guard new != items else { continue }
        try replace(Array(zip(items, new)), in: key, giving: .list(new))
        var seen: Set<String> = []
        keepItems(
          new.filter { seen.insert(marks.removed(from: $0).lowercased()).inserted }, of: key)
      case .text(let words):
        var (changed, offset) = ("", words.startIndex)
        for word in tagWords(words) {
          guard let new = renamed(word) else { continue }
          changed += words[offset..<word.startIndex] + new
          offset = word.endIndex
        }
        guard offset > words.startIndex else { continue }
        changed += words[offset...]
        try replace([(words, changed)], in: key, giving: .text(changed))
      case .mapping, nil: break
      }
    }
    if let title = renaming(in: titleBytes) {
      let (old, new) = (
        String(decoding: titleBytes, as: UTF8.self), String(decoding: title, as: UTF8.self)
      )
      try replace([(old, new)], in: "title", giving: .text(new))
    }
    guard let body = renaming(in: bodyBytes) else { return }
    guard encoding == .utf8, !isDamaged else { throw .notUTF8 }
    self = EntryText(bytes[..<bodyRange.lowerBound] + body)
  }
}

extension Settings.TagMarks {
  /// True for a character before the name of a tag.
  fileprivate func isBefore(_ character: Character) -> Bool {
    character == " " || character == "#" || hasAt && character == "@"
  }

  /// A tag without the mark and the blanks before it, and the blanks behind it.
  package func removed(from tag: some StringProtocol) -> String {
    trimmed(String(tag.drop(while: isBefore)))
  }

  /// True if a text can contain the tag: with a mark before it, it is found whole.
  package func canMark(_ tag: String) -> Bool {
    let text = Array((hasHash ? "#" : "@").utf8) + Array(tag.utf8)
    return TagScanner.names(in: text[...], marked: self) == [1..<text.count]
  }
}

/// The tags of a plain value, which is split at commas, else at blanks. Brackets that are not YAML
/// are no part of them.
private func tagWords(_ value: String) -> [Substring] {
  var value = value[...]
  if value.hasPrefix("["), value.hasSuffix("]"), !value.hasPrefix("[[") {
    value = value.dropFirst().dropLast()
  }
  let hasCommas = value.contains(",")
  return value.split { hasCommas ? $0 == "," : $0.isWhitespace }
}
