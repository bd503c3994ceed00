/// One text of a PO file and its translation.
package struct POEntry: Sendable, Equatable {
  /// The English text, of a counted one the singular; empty for the file's header.
  package var id = ""
  /// The English plural of a counted text.
  package var pluralID: String?
  /// The translations: one, or one for each plural form.
  package var forms: [String] = []
  /// Whether a program has guessed it, so that a translator is to look at it.
  package var isFuzzy = false

  private enum Field { case id, pluralID, form(Int) }

  /// The entries of a PO file, its header first.
  package static func entries(of file: String) throws(Translation.Failure) -> [POEntry] {
    var entries: [POEntry] = []
    var entry = POEntry()
    var field: Field?
    for (index, line) in file.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("#") || text.isEmpty {
        if field != nil {
          entries.append(entry)
          (entry, field) = (POEntry(), nil)
        }
        if text.hasPrefix("#,"), text.contains("fuzzy") { entry.isFuzzy = true }
        continue
      }
      let value = try quoted(text, line: index + 1)
      switch text.prefix(while: { $0 != " " && $0 != "\"" }) {
      case "msgid":
        if field != nil {
          entries.append(entry)
          entry = POEntry()
        }
        (entry.id, field) = (value, .id)
      case "msgid_plural": (entry.pluralID, field) = (value, .pluralID)
      case "msgstr", "msgstr[0]", "msgstr[1]":
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

  /// The string between the quotes of a line, without its escapes.
  private static func quoted(_ line: Substring, line number: Int) throws(Translation.Failure)
    -> String
  {
    guard let open = line.firstIndex(of: "\""), line.last == "\"",
      line.index(after: open) < line.endIndex
    else { throw Translation.Failure(line: number, reason: "a string in quotes is missing") }
    var text = ""
    var isEscape = false
    for character in line[line.index(after: open)...].dropLast() {
      if isEscape {
        text.append(character == "n" ? "\n" : character == "t" ? "\t" : character)
        isEscape = false
      } else if character == "\\" {
        isEscape = true
      } else {
        text.append(character)
      }
    }
    return text
  }
}
