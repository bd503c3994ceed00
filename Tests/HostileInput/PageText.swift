@testable import DiaryCore

/// Checks three parts: an entry, and a title and a body typed over its own.
func pageTextComplaint(_ input: [UInt8]) -> String? {
  let input = parts(input, 3)
  let text = EntryText(input[0])
  for name in ["2026/2026-11-21.md", "2026/a-walk.md"] {
    guard let path = EntryPath(name),
      let page = try? EditableText(text, path: path, settings: Settings())
    else { continue }
    let title = decodedText(input[1])
    let body = decodedText(input[2])
    if let complaint = complaint(about: page, title, body, at: path) { return complaint }
  }
  return nil
}

private func complaint(
  about page: EditableText, _ title: String, _ body: String, at path: EntryPath
) -> String? {
  let bytes = page.text.bytes
  let header = bytes[..<page.text.bodyRange.lowerBound]
  if page.bytes(title: page.title, body: page.body) != bytes { return "unchanged is not the same" }
  let written = page.bytes(title: page.title, body: body)
  if !written.starts(with: header) { return "another body changed the header" }
  let titled = page.bytes(title: title, body: page.body)
  // A body that then starts like a header is indented by a blank.
  let isLikeHeader = page.body.utf8.first.map { "-+{".utf8.contains($0) } ?? false
  if !isLikeHeader, !titled.reversed().starts(with: bytes[page.shownRange.lowerBound...].reversed())
  {
    return "another title changed the body"
  }
  for (title, body) in [(page.title, body), (title, page.body), (title, body)] {
    let once = page.bytes(title: title, body: body)
    guard let again = try? EditableText(EntryText(once), path: path, settings: Settings()) else {
      // Text that is not allowed in an entry is refused before this code.
      if TextFault(in: once) == nil, once.count < EditableText.maxSize {
        return "it is no text now: \(decodedText(once).debugDescription)"
      }
      continue
    }
    // Input that is repeated, based on the result, must not be added twice.
    let isAsTyped =
      again.title.utf8.elementsEqual(title.utf8) && again.body.utf8.elementsEqual(body.utf8)
    var (last, next) = (once, again.bytes(title: title, body: body))
    if isAsTyped || title.isEmpty, next != last {
      return
        "the same words again change \(decodedText(last).debugDescription) to \(decodedText(next).debugDescription)"
    }
    for _ in 0..<2 {
      guard let read = try? EditableText(EntryText(next), path: path, settings: Settings()) else {
        break
      }
      (last, next) = (next, read.bytes(title: title, body: body))
    }
    if next != last, TextFault(in: next) == nil {
      return
        "no rest: \(decodedText(once).debugDescription) then \(decodedText(last).debugDescription) then \(decodedText(next).debugDescription)"
    }
    for line in body.split(whereSeparator: { $0.isNewline }) {
      let words = Array(trimmed(line).utf8)
      if !words.isEmpty, once.firstRange(of: words) == nil { return "a line is lost" }
    }
  }
  return nil
}
