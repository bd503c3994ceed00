/// The comments of Obsidian in a body, `%%…%%`, over any number of lines. Signs in code are text, and
/// so is a last one without a pair.
func vaultComments(in body: ArraySlice<UInt8>) -> [Range<Int>] {
  guard containsByte(UInt8(ascii: "%"), in: body), body.firstRange(of: "%%".utf8) != nil else {
    return []
  }
  let text = Array(body)
  let brackets = MarkdownBrackets(text)
  var comments: [Range<Int>] = []
  var at = 0
  var open: Int?
  while let sign = text[at...].firstRange(of: "%%".utf8) {
    at = sign.upperBound
    guard brackets.isText(sign.lowerBound) else { continue }
    if let begin = open {
      comments.append((body.startIndex + begin)..<(body.startIndex + at))
      open = nil
    } else {
      open = sign.lowerBound
    }
  }
  return comments
}

/// The first thousand bytes of a line, without comments.
func lineBeginning(
  _ line: Range<Int>, of body: ArraySlice<UInt8>, without comments: [Range<Int>]
) -> String {
  let line = body[line].prefix(1000).indices
  // The comments are in order, and may be as many as the lines.
  var (low, high) = (0, comments.count)
  while low < high {
    let middle = (low + high) / 2
    if comments[middle].upperBound <= line.lowerBound { low = middle + 1 } else { high = middle }
  }
  var (kept, at): ([UInt8], Int) = ([], line.lowerBound)
  for comment in comments[low...].prefix(while: { $0.lowerBound < line.upperBound }) {
    kept += body[at..<max(at, comment.lowerBound)]
    at = min(comment.upperBound, line.upperBound)
  }
  return String(decoding: kept + body[at..<line.upperBound], as: UTF8.self)
}

/// A body without the comments of Obsidian.
package func withoutVaultComments(_ body: String) -> String {
  let text = Array(body.utf8)
  var (kept, at): ([UInt8], Int) = ([], 0)
  for comment in vaultComments(in: text[...]) {
    kept += text[at..<comment.lowerBound]
    at = comment.upperBound
  }
  return String(decoding: kept + text[at...], as: UTF8.self)
}
