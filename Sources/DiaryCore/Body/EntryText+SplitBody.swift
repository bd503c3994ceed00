/// An entry's body, separated from the line that is its title.
package struct SplitBody: Sendable, Hashable {
  /// The title as it is in the body: a heading's text, or the first line as it is written; `nil` if
  /// the title is elsewhere.
  package var title: String?
  /// Everything below the title's lines; the whole body if there are none.
  package var bodyBelowTitle: String
}

extension EntryText {
  /// The body without the lines that are only its title, for formats that store titles separately.
  package func splitBody(at path: EntryPath, settings: Settings) -> SplitBody {
    let bytes = bodyBytes
    let found = TitleFinder(path: path, text: self, bytes: bytes).title(settings.titles)
    let (title, lines): (String, Range<Int>)
    switch found.location {
    case .heading(let range): (title, lines) = (found.text, range)
    // An indented line may be code, in which blanks have a meaning.
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
