import DiaryCore

/// Returns an entry in jrnl's file format: `[2026-11-21 21:04] Title`, the body and a blank line.
/// jrnl 4.6 reads it back as one entry. `nil` for an undated entry, which jrnl does not support.
///
/// jrnl has neither zones nor headers: the time is the local time, tags of the header are written
/// below the body as `@tag`, and `starred` is the asterisk after the title.
package func jrnlText(of entry: WholeEntry) -> String? {
  guard let date = entry.summary.date else { return nil }
  var title = terminalLine(entry.splitBody.title ?? entry.summary.title)
  // jrnl reads an asterisk at the end of the line as its star.
  if title.hasSuffix("*") { title += "." }
  var body = entry.splitBody.bodyBelowTitle.withoutOuterBlankLines
  let tags = entry.summary.tags.filter { tag in
    !["#" + tag, "@" + jrnlTag(tag)].contains { containsTag(body, $0) || containsTag(title, $0) }
  }
  if !tags.isEmpty {
    body += (body.isEmpty ? "" : "\n\n") + tags.map { "@" + jrnlTag($0) }.joined(separator: " ")
  }
  return "[\(jrnlTime(date))] " + title + (entry.text.isStarred ? " *" : "") + "\n"
    + (body.isEmpty ? "" : escapedJrnlDates(body) + "\n")
}

/// Returns whether a text contains a whole tag, compared by bytes. It is called for thousands of
/// entries, and the standard library's search would take most of an export's time.
private func containsTag(_ text: String, _ tag: String) -> Bool {
  let (text, tag) = (ContiguousArray(text.utf8), ContiguousArray(tag.utf8))
  guard let first = tag.first, tag.count <= text.count else { return false }
  for start in 0...(text.count - tag.count) where text[start] == first {
    var length = 1
    while length < tag.count, text[start + length] == tag[length] { length += 1 }
    guard length == tag.count else { continue }
    let end = start + length
    guard end < text.count else { return true }
    let next = text[end]
    if next < 0x80, !next.isLetter, !next.isDigit, !"-+*/_".utf8.contains(next) { return true }
  }
  return false
}

/// Returns `2026-11-21 21:04`, with seconds if they are not zero, or only a date.
private func jrnlTime(_ date: EntryDate) -> String {
  guard let seconds = date.seconds, let clock = date.clock else { return date.date.description }
  let rest = seconds % 60
  return "\(date.date) \(clock)" + (rest == 0 ? "" : rest < 10 ? ":0\(rest)" : ":\(rest)")
}

/// Returns a tag with only the characters that jrnl allows.
private func jrnlTag(_ tag: String) -> String {
  func isAllowed(_ sign: Unicode.Scalar) -> Bool {
    if sign.isASCII {
      let byte = UInt8(sign.value)
      return byte.isLetter || byte.isDigit || "-+*#/_".utf8.contains(byte)
    }
    let properties = sign.properties
    return properties.isAlphabetic || properties.numericType != nil
      || properties.generalCategory == .nonspacingMark
  }
  var allowed = String.UnicodeScalarView()
  for sign in tag.unicodeScalars { allowed.append(isAllowed(sign) ? sign : "_") }
  return String(allowed)
}

/// Adds a blank before each line that jrnl would read as the start of an entry. jrnl does so for
/// `[…] `, even over several lines, if the text in the brackets may be a date. The blank has no
/// meaning in Markdown.
private func escapedJrnlDates(_ text: String) -> String {
  guard text.utf8.contains(UInt8(ascii: "[")) else { return text }
  let bytes = Array(text.utf8)
  var starts: [Int] = []
  var closing: Int?
  for index in bytes.indices.reversed() {
    if bytes[index] == UInt8(ascii: "]") { closing = index }
    guard bytes[index] == UInt8(ascii: "["), index == 0 || bytes[index - 1] == 0x0A,
      let closing, closing > index + 1, closing + 1 < bytes.count, bytes[closing + 1] == 0x20
    else { continue }
    starts.append(index)
  }
  guard !starts.isEmpty else { return text }
  var written: [UInt8] = []
  var position = 0
  for start in starts.reversed() {
    written += bytes[position..<start] + [0x20]
    position = start
  }
  return String(decoding: written + bytes[position...], as: UTF8.self)
}
