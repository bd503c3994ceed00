/// One text of a PO file and its translation.
package struct POEntry: Sendable, Equatable {
  /// The English text: the singular of a counted text, empty for the file's header.
  package var id = ""
  /// The English plural of a counted text.
  package var pluralID: String?
  /// The translations: one, or one for each plural form.
  package var forms: [String] = []
  /// True if a program has guessed the translation and a translator should check it.
  package var isFuzzy = false

  private enum Field { case id, pluralID, form(Int) }

  /// The entries of a PO file, header first. Parses bytes, because it runs at each start.
  package static func entries(of file: String) throws(Translation.Failure) -> [POEntry] {
    var entries: [POEntry] = []
    var entry = POEntry()
    var field: Field?
    let lines = Array(file.utf8).split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      guard let first = line.first, first != UInt8(ascii: "#") else {
        if field != nil {
          entries.append(entry)
          (entry, field) = (POEntry(), nil)
        }
        if line.starts(with: "#,".utf8), line.contains(word: "fuzzy") { entry.isFuzzy = true }
        continue
      }
      guard let quote = line.firstIndex(of: UInt8(ascii: "\"")) else {
        throw Translation.Failure(line: index + 1, reason: "a string in quotes is missing")
      }
      let value = try unquoted(line[quote...], line: index + 1)
      switch String(decoding: line[..<quote], as: UTF8.self) {
      case "msgid ":
        if field != nil {
          entries.append(entry)
          entry = POEntry()
        }
        (entry.id, field) = (value, .id)
      case "msgid_plural ": (entry.pluralID, field) = (value, .pluralID)
      case "msgstr ", "msgstr[0] ", "msgstr[1] ":
        entry.forms.append(value)
        field = .form(entry.forms.count - 1)
      case "" where field != nil: entry.append(value, to: field)
      default: throw Translation.Failure(line: index + 1, reason: "unknown line")
      }
    }
    return field == nil ? entries : entries + [entry]
  }

  private mutating func append(_ value: String, to field: Field?) {
    switch field {
    case .id: id += value
    case .pluralID: pluralID? += value
    case .form(let index): forms[index] += value
    case nil: break
    }
  }

  /// The string between two quotes, without its escapes.
  private static func unquoted(
    _ text: ArraySlice<UInt8>, line: Int
  ) throws(Translation.Failure) -> String {
    guard text.count > 1, text.last == UInt8(ascii: "\"") else {
      throw Translation.Failure(line: line, reason: "a string in quotes is missing")
    }
    let escape = UInt8(ascii: "\\")
    let inner = text.dropFirst().dropLast()
    guard inner.contains(escape) else { return String(decoding: inner, as: UTF8.self) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(inner.count)
    var isEscape = false
    for byte in inner {
      if isEscape {
        bytes.append(byte == UInt8(ascii: "n") ? 10 : byte == UInt8(ascii: "t") ? 9 : byte)
        isEscape = false
      } else if byte == escape {
        isEscape = true
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension ArraySlice<UInt8> {
  fileprivate func contains(word: String) -> Bool {
    String(decoding: self, as: UTF8.self).contains(word)
  }
}
