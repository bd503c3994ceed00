import EntryFiles

@testable import DiaryCore

/// Checks two parts: a pattern and a path.
func globComplaint(_ input: [UInt8]) -> String? {
  let input = parts(input, 2)
  guard let path = EntryPath(bytes: input[1]) else { return nil }
  if let glob = PathGlob(decodedText(input[0])) { _ = glob.matches(path) }
  if PathGlob("**").map({ $0.matches(path) }) == false { return "** does not match" }
  return nil
}

/// Checks two parts: an old text and a new one.
func wordsComplaint(_ input: [UInt8]) -> String? {
  let input = parts(input, 2)
  let (old, new) = (decodedText(input[0]), decodedText(input[1]))
  let diff = WordDiff(from: old, to: new)
  let (before, after) = sides(of: diff)
  // White space between words that both sides have is that of the new text.
  if !after.isIdentical(to: new) { return "the parts are not the new text" }
  if diff.parts.allSatisfy({ if case .same = $0 { true } else { false } }),
    !before.isIdentical(to: old)
  {
    return "no difference is told"
  }
  let back = WordDiff(from: new, to: old)
  if back.added != diff.removed || back.removed != diff.added { return "not the same backwards" }
  return displayComplaint(old)
}

/// The old and the new text of a difference.
public func sides(of diff: WordDiff) -> (old: String, new: String) {
  var sides = (old: "", new: "")
  for part in diff.parts {
    switch part {
    case .same(let text):
      sides.old += text
      sides.new += text
    case .removed(let text): sides.old += text
    case .added(let text): sides.new += text
    }
  }
  return sides
}

private func displayComplaint(_ text: String) -> String? {
  let folded = foldedForSearch(text)
  if !foldedForSearch(folded).isIdentical(to: folded) { return "folded twice is not folded once" }
  if displayWidth(truncated(text, toWidth: 7)) > 7 { return "wider than asked" }
  let (words, all) = (wordCount(text), wordCountByScalars(text))
  // Headings, numbers, times, ids and pictures count less.
  if words > all || (words < all && !text.contains(where: "#.):^!".contains)) {
    return "\(words) words of \(all)"
  }
  let line = terminalLine(text)
  if !terminalLine(line).isIdentical(to: line) { return "shown twice is not shown once" }
  let isSafe = line.unicodeScalars.allSatisfy {
    $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && !(0x202A...0x202E).contains($0.value)
  }
  return isSafe ? nil : "a control character on a line"
}

/// The number of words, counted scalar by scalar: `wordCount` counts bytes.
private func wordCountByScalars(_ text: String) -> Int {
  let runs = text.unicodeScalars.split { $0.value <= 0x20 || $0.properties.isWhitespace }
  return runs.reduce(0) { sum, run in
    sum + run.count(where: isHanOrKana)
      + run.split(whereSeparator: isHanOrKana).count { $0.contains(where: isLetterOrDigit) }
  }
}

/// Checks two parts: a template or a body, and a title.
func linksComplaint(_ input: [UInt8]) -> String? {
  let input = parts(input, 2)
  guard let path = EntryPath("2026/11/a.md"), let other = EntryPath("p.jpg") else { return nil }
  for file in fileReferences(in: decodedText(input[0]), of: path).flatMap(\.candidates) {
    if file.isHidden || file.names.contains(where: { $0.elementsEqual("..".utf8) }) {
      return "out of the journal: \(file)"
    }
  }
  let text = EntryText(input[0])
  if let mended = text.rewritingLinks(in: path, from: other, to: path),
    !mended.bytes.starts(with: text.bytes[..<text.bodyRange.lowerBound])
  {
    return "links changed the header"
  }
  guard let day = Day(year: 2026, month: 11, day: 21) else { return nil }
  let values = TemplateValues(
    title: decodedText(input[1]), date: EntryDate(date: day, seconds: 60, offset: 0),
    tags: [decodedText(input[1])])
  let made = Template(name: "t", text: decodedText(input[0])).render(values)
  return (made.cursor ?? 0) > made.bytes.count ? "a cursor outside of the text" : nil
}
