import DiaryCore

/// Returns entries as clean Markdown: the title as a heading; date, weather and place on one line;
/// the unchanged body; the tags. All other header fields are omitted.
package func cleanMarkdown(of entries: [ExportEntry]) -> String {
  entries.map(cleanMarkdown).joined(separator: markdownSeparator)
}

/// The separator between two entries of clean Markdown.
package let markdownSeparator = "\n---\n\n"

/// Returns one entry as clean Markdown.
package func cleanMarkdown(of entry: ExportEntry) -> String {
  var blocks: [String] = []
  var text = MarkdownText(entry.body)
  let opening = text.removeHeading(titled: entry.summary.title)
  let metadata = [entry.dateText, entry.weatherText, entry.place].compactMap { $0 }
    .map { escapedMarkdown(terminalLine($0)) }.joined(separator: " · ")
  if opening == .other {
    blocks.append("# " + escapedMarkdown(terminalLine(entry.summary.title)))
  }
  if !metadata.isEmpty { blocks.append(escapedListMark(metadata)) }
  let body = entry.body.withoutOuterBlankLines
  if !body.isEmpty { blocks.append(body + ending(of: body)) }
  let tags = entry.summary.tags.map { "#" + escapedMarkdown(terminalLine($0)) }
  if !tags.isEmpty { blocks.append(tags.joined(separator: " ")) }
  return blocks.joined(separator: "\n\n") + "\n"
}

/// Returns the text that closes a code block or HTML at the end of a body, if it was never closed.
/// Otherwise it would include all following text. Empty for every other body.
private func ending(of body: String) -> String {
  let probe = MarkdownEvent(node: .text("end"), isStart: true)
  func isClosed(_ text: String) -> Bool {
    let events = MarkdownText(text + "\n\nend\n").events
    return events.dropLast(2).last == probe || events.contains { $0.node == .footnote(1) }
  }
  if isClosed(body) { return "" }
  let fences = (3...12).flatMap { count in
    ["`", "~"].map { String(repeating: $0, count: count) }
  }
  let endings = (fences + ["-->", "</script>", "</style>", "</pre>", "?>", "]]>", ">"])
    .map { "\n" + $0 }
  return endings.first { isClosed(body + $0) } ?? ""
}

/// Escapes the start of a date that Markdown would read as a list item (`21. November`).
private func escapedListMark(_ line: String) -> String {
  let digits = line.prefix { $0.isASCII && $0.isNumber }
  guard !digits.isEmpty, let sign = line.dropFirst(digits.count).first, sign == "." || sign == ")"
  else { return line }
  return digits + "\\" + line.dropFirst(digits.count)
}

/// Returns a text whose special characters are escaped for Markdown.
func escapedMarkdown(_ text: String) -> String {
  var escaped = ""
  for character in text {
    if "\\`*_[]<>&~#|".contains(character) { escaped.append("\\") }
    escaped.append(character)
  }
  return escaped
}

extension String {
  /// The string without blank lines at its start and end. Its other line ends stay.
  var withoutOuterBlankLines: String {
    let bytes = utf8
    guard let first = bytes.firstIndex(where: { !$0.isSpace }),
      let last = bytes.lastIndex(where: { !$0.isSpace })
    else { return "" }
    // A first line that begins with blanks may be code, so all of it stays.
    let start = bytes[..<first].lastIndex(of: 0x0A).map { bytes.index(after: $0) } ?? startIndex
    return String(Substring(bytes[start...last]))
  }
}
