/// The comments of Obsidian in a body, `%%…%%`, over any number of lines. Signs in code are text, and
/// so is a last one without a pair. Nothing in a comment is code.
package func vaultComments(in body: ArraySlice<UInt8>) -> [Range<Int>] {
  guard containsByte(UInt8(ascii: "%"), in: body) else { return [] }
  var comments: [Range<Int>] = []
  var fence: (sign: UInt8, length: Int)?
  var open: Int?
  var at = body.startIndex
  while at < body.endIndex {
    let end = body[at...].firstIndex(of: 0x0A).map { $0 + 1 } ?? body.endIndex
    if open == nil {
      let text = body[at..<end].drop { $0 == 0x20 }
      let run = text.prefix { $0 == text.first }
      if let known = fence {
        let isEnd = run.first == known.sign && run.count >= known.length
        if isEnd, text[run.endIndex...].allSatisfy({ isBlank($0) || $0 == 0x0A }) { fence = nil }
        at = end
        continue
      }
      if let sign = run.first, "`~".utf8.contains(sign), run.count >= 3,
        sign != UInt8(ascii: "`") || !text[run.endIndex...].contains(sign)
      {
        fence = (sign, run.count)
        at = end
        continue
      }
    }
    scanLine(body, at..<end, &open, &comments)
    at = end
  }
  return comments
}

private func scanLine(
  _ body: ArraySlice<UInt8>, _ line: Range<Int>, _ open: inout Int?, _ comments: inout [Range<Int>]
) {
  let percent = UInt8(ascii: "%")
  let tick = UInt8(ascii: "`")
  guard open != nil || containsByte(percent, in: body[line]) else { return }
  /// The start of the last run of backticks of each length.
  var lastRuns: [Int: Int] = [:]
  var next = line.lowerBound
  while let start = body[next..<line.upperBound].firstIndex(of: tick) {
    let run = body[start..<line.upperBound].prefix { $0 == tick }
    lastRuns[run.count] = start
    next = run.endIndex
  }
  var at = line.lowerBound
  while at < line.upperBound {
    if body[at] == percent, at + 1 < line.upperBound, body[at + 1] == percent {
      if let begin = open { comments.append(begin..<(at + 2)) }
      open = open == nil ? at : nil
      at += 2
    } else if open == nil, body[at] == tick {
      let length = body[at..<line.upperBound].prefix { $0 == tick }.count
      at += length
      guard let last = lastRuns[length], last >= at else { continue }
      while let start = body[at..<line.upperBound].firstIndex(of: tick) {
        let run = body[start..<line.upperBound].prefix { $0 == tick }
        at = run.endIndex
        if run.count == length { break }
      }
    } else {
      at += 1
    }
  }
}

extension [Range<Int>] {
  /// The first of ordered ranges that ends after an offset: its index, or the end.
  func firstIndex(endingAfter offset: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// True if one of ordered ranges contains an offset.
  package func cover(_ offset: Int) -> Bool {
    let index = firstIndex(endingAfter: offset)
    return index < count && self[index].lowerBound <= offset
  }
}

/// The first thousand bytes of a line, without comments.
func lineBeginning(
  _ line: Range<Int>, of body: ArraySlice<UInt8>, without comments: [Range<Int>]
) -> String {
  let line = body[line].prefix(1000).indices
  var (kept, at): ([UInt8], Int) = ([], line.lowerBound)
  // There may be as many comments as lines.
  let first = comments.firstIndex(endingAfter: line.lowerBound)
  for comment in comments[first...].prefix(while: { $0.lowerBound < line.upperBound }) {
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
