/// An entry's body, parted from the line that is its title.
package struct SplitBody: Sendable, Hashable {
  /// The title as the body says it: a heading's words, or the first line as it is written; `nil`
  /// where the title stands elsewhere.
  package var title: String?
  /// All that follows the title's lines; the whole body where there are none.
  package var bodyBelowTitle: String
}

extension EntryText {
  /// The body without the lines that are only its title, for formats that keep titles by themselves.
  package func splitBody(at path: EntryPath, settings: Settings) -> SplitBody {
    let bytes = text[bodyRange]
    let found = TitleFinder(path: path, text: self, bytes: bytes).title(settings.titles)
    let (title, lines): (String, Range<Int>)
    switch found.location {
    case .heading(let range): (title, lines) = (found.text, range)
    // An indented line may be code, whose blanks mean something.
    case .line(let range) where !isBlank(text[range.lowerBound]):
      (title, lines) = (trimmed(String(decoding: text[range], as: UTF8.self)), range)
    default: return SplitBody(bodyBelowTitle: body)
    }
    guard isBlank(text, bytes.startIndex..<lines.lowerBound) else {
      return SplitBody(bodyBelowTitle: body)
    }
    return SplitBody(
      title: title, bodyBelowTitle: String(decoding: text[lines.upperBound...], as: UTF8.self))
  }
}
