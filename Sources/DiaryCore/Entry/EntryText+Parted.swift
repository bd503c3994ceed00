/// An entry's body, parted from the line that is its title.
package struct PartedBody: Sendable, Hashable {
  /// The title as the body says it: a heading's words, or the first line as it is written; `nil`
  /// where the title stands elsewhere.
  package var title: String?
  /// All that follows the title's lines; the whole body where there are none.
  package var below: String
}

extension EntryText {
  /// The body without the lines that are only its title, for formats that keep titles by themselves.
  package func parted(at path: EntryPath, settings: Settings) -> PartedBody {
    let bytes = text[bodyRange]
    let found = TitleSource(path: path, text: self, bytes: bytes).title(settings.titles)
    let (title, lines): (String, Range<Int>)
    switch found.place {
    case .heading(let range): (title, lines) = (found.words, range)
    // An indented line may be code, whose blanks mean something.
    case .line(let range) where !isBlank(text[range.lowerBound]):
      (title, lines) = (trimmed(String(decoding: text[range], as: UTF8.self)), range)
    default: return PartedBody(below: body)
    }
    guard isBlank(text, bytes.startIndex..<lines.lowerBound) else { return PartedBody(below: body) }
    return PartedBody(
      title: title, below: String(decoding: text[lines.upperBound...], as: UTF8.self))
  }
}
