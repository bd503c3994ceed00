import DiaryCore

/// A rendered template.
package struct RenderedTemplate: Sendable, Equatable {
  /// The whole entry.
  package var bytes: [UInt8]
  /// The cursor's offset in ``bytes``; `nil` if the template does not set it.
  package var cursor: Int?
}

extension Template {
  /// Fills in the template's placeholders.
  ///
  /// Header fields are read, filled and written by the rules of front matter, so that a title
  /// cannot break the header. A field that becomes empty is removed. Values without a place in the
  /// template, and the date, are added to the header. A header that cannot be rewritten (TOML,
  /// JSON) keeps its placeholders.
  package func render(_ values: TemplateValues) -> RenderedTemplate {
    let values = values.cleaned()
    let marked = Self.textWithMarks(text)
    var entry = EntryText(Array(marked.utf8))
    var templateHeader = TemplateHeader(values: values, used: Self.placeholders(in: marked))
    templateHeader.run(&entry)
    return Self.fillBody(entry, values)
  }

  /// Replaces `{{name}}`, ignoring blanks and case, by the placeholder's mark.
  private static func textWithMarks(_ text: String) -> String {
    var result = ""
    var remainder = Substring(text.unicodeScalars.filter { Placeholder(mark: $0) == nil }.asText)
    while let open = remainder.firstRange(of: "{{") {
      result += remainder[..<open.lowerBound]
      remainder = remainder[open.upperBound...]
      let word = remainder.prefix { $0 != "}" && $0 != "{" && !$0.isNewline }
      let name = word.filter { $0 != " " }.lowercased()
      if remainder[word.endIndex...].hasPrefix("}}"), let placeholder = Placeholder(rawValue: name)
      {
        result.unicodeScalars.append(placeholder.mark)
        remainder = remainder[word.endIndex...].dropFirst(2)
      } else {
        result += "{{"
      }
    }
    return result + remainder
  }

  private static func placeholders(in marked: String) -> Set<Placeholder> {
    Set(marked.unicodeScalars.compactMap { Placeholder(mark: $0) })
  }

  /// Fills the body, restores the braces of marks left in the header, and finds the cursor.
  private static func fillBody(_ entry: EntryText, _ values: TemplateValues) -> RenderedTemplate {
    let start = entry.bodyRange.lowerBound
    let header = String(decoding: entry.bytes[..<start], as: UTF8.self)
      .replacingMarks { $0 == .cursor ? "" : "{{\($0.rawValue)}}" }
    let body = String(decoding: entry.bytes[start...], as: UTF8.self)
    let pieces = body.unicodeScalars.split(
      separator: Placeholder.cursor.mark, maxSplits: 1, omittingEmptySubsequences: false)
    let filled = pieces.map { String($0).replacingMarks { $0.text(values) } }
    let before = header + filled[0]
    return RenderedTemplate(
      bytes: Array((header + filled.joined()).utf8),
      cursor: filled.count < 2 ? nil : before.utf8.count)
  }
}

extension TemplateValues {
  /// The values as single lines without marks; empty ones become `nil`.
  func cleaned() -> TemplateValues {
    func clean(_ text: String?) -> String? {
      let line = singleLine(
        text?.unicodeScalars.filter { Placeholder(mark: $0) == nil }.asText ?? "")
      return line.isEmpty ? nil : line
    }
    var values = self
    values.title = clean(title)
    values.weather = clean(weather)
    values.place = clean(place)
    values.tags = tags.compactMap { clean($0) }
    return values
  }
}

extension String {
  /// The text with each mark replaced.
  func replacingMarks(_ replacement: (Placeholder) -> String) -> String {
    var result = ""
    for scalar in unicodeScalars {
      if let placeholder = Placeholder(mark: scalar) {
        result += replacement(placeholder)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Sequence<Unicode.Scalar> {
  var asText: String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: self)
    return String(view)
  }
}
