import DiaryCore
import EntryFormats

/// Checks a body. Its first line is also used as title, place, weather and tag.
func pageComplaint(_ input: [UInt8]) -> String? {
  let body = decodedText(input)
  guard let path = EntryPath("2026/11/2026-11-21-title.md") else { return nil }
  let line = String(body.prefix { !$0.isNewline })
  let listed = EntrySummary(
    number: 1, path: path, title: line.isEmpty ? "Title" : line, date: nil, day: nil,
    weather: Weather(reading: line), tags: line.isEmpty ? [] : [line], place: line, words: 1,
    preview: line)
  let entry = ExportEntry(
    listed, dateText: line, weatherText: line, isNight: false, body: body)
  let html = htmlPage(of: [entry], language: line) { _, name in
    name.hasSuffix(".png")
      ? EmbeddedPicture([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) : nil
  }
  for isStyled in [false, true] {
    for line in terminalLines(of: entry, width: 40, isStyled: isStyled) {
      let plain = isStyled ? withoutStyles(line) : line
      if let sign = plain.unicodeScalars.first(where: isControl) {
        return "U+\(String(sign.value, radix: 16)) for a terminal: \(line.debugDescription)"
      }
    }
  }
  if plainText(of: [entry]).unicodeScalars.contains(where: { $0 != "\n" && isControl($0) }) {
    return "a control character in plain text"
  }
  _ = cleanMarkdown(of: [entry])
  return htmlComplaint(html)
}

private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
  default: false
  }
}

/// The line without sequences that set a text style: `ESC [ digits and semicolons m`.
private func withoutStyles(_ line: String) -> String {
  var rest = String.UnicodeScalarView()
  var left = Substring(line).unicodeScalars
  while let scalar = left.popFirst() {
    guard scalar == "\u{1B}", left.first == "[" else {
      rest.append(scalar)
      continue
    }
    let look = left.dropFirst().prefix { ("0"..."9").contains($0) || $0 == ";" }
    let after = left[look.endIndex...]
    if after.first == "m" { left = after.dropFirst() } else { rest.append(scalar) }
  }
  return String(rest)
}

/// The tags that Diary writes, with their allowed attributes.
private let allowedAttributes: [Substring: Set<Substring>] = [
  "article": ["lang", "dir"], "header": [], "footer": [], "main": [], "h1": [], "h2": [],
  "h3": [], "h4": [], "h5": [], "h6": [], "p": ["class"], "time": ["datetime"],
  "span": ["class", "role", "aria-disabled", "aria-checked", "aria-label"],
  "svg": ["class", "viewBox", "aria-hidden"], "path": ["class", "d"], "blockquote": [], "ul": [],
  "ol": ["start", "class"], "li": ["class", "id"], "pre": ["class"], "code": [], "em": [],
  "strong": [], "del": [], "a": ["class", "href", "rel"], "img": ["alt", "src"], "sup": ["id"],
  "div": ["class"], "table": [], "thead": [], "tbody": [], "tr": [], "th": ["class"],
  "td": ["class"], "br": [], "hr": [], "html": ["lang"], "head": [], "body": [], "style": [],
  "title": [], "meta": ["charset", "http-equiv", "content", "name"], "!DOCTYPE": ["html"],
]

/// Parses the page like a browser: only known tags and attributes and only harmless targets are
/// allowed, and tags must be closed in the right order.
private func htmlComplaint(_ html: String) -> String? {
  let empty: Set<Substring> = ["br", "hr", "img", "meta", "path", "!DOCTYPE"]
  var open: [Substring] = []
  for part in html.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
    .dropFirst()
  {
    let tag = Substring(part.prefix { $0 != UInt8(ascii: ">") })
    if part.count == tag.utf8.count { return "a tag without an end: <\(tag)" }
    let bare = tag.hasPrefix("/") ? tag.dropFirst() : tag
    let name = bare.prefix { $0 != " " && $0 != "\n" && $0 != "\t" && $0 != "/" }
    guard let attributes = allowedAttributes[name] else { return "<\(tag)>" }
    if let complaint = attributeComplaint(bare.dropFirst(name.count), attributes) {
      return "\(complaint) in <\(tag)>"
    }
    if tag.hasPrefix("/") {
      guard open.popLast() == name else { return "<\(tag)> closes what is not open" }
    } else if !empty.contains(name) {
      open.append(name)
    }
  }
  if !open.isEmpty { return "<\(open[0])> is never closed" }
  let sign = html.unicodeScalars.first { $0 != "\n" && $0 != "\t" && isControl($0) }
  return sign.map { "U+\(String($0.value, radix: 16)) in the page" }
}

/// Checks the attributes. Values contain no quote, so the text outside quotes is only names.
private func attributeComplaint(_ text: Substring, _ attributes: Set<Substring>) -> String? {
  let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
  for (index, part) in parts.enumerated() {
    if index % 2 == 0 {
      let word = part.filter { !$0.isWhitespace && $0 != "=" && $0 != "/" }
      if !word.isEmpty, !attributes.contains(Substring(word)) { return "attribute \(word)" }
    } else if parts[index - 1].hasSuffix("href=") {
      let starts = ["http:", "https:", "mailto:", "#e"]
      if !starts.contains(where: { part.lowercased().hasPrefix($0) }) { return "target \(part)" }
    } else if parts[index - 1].hasSuffix("src="), !part.hasPrefix("data:image/") {
      return "source \(part)"
    }
  }
  return parts.count.isMultiple(of: 2) ? "an open quote" : nil
}
