import DiaryCore
import Glibc

/// The original text of a body or header, and its folded text with line ends.
struct FieldText {
  let written: UnsafeRawBufferPointer
  let folded: UnsafeRawBufferPointer

  func contains(anyOf needles: [FoldedTerm]) -> Bool {
    needles.contains { $0.firstOffset(in: folded, from: 0) != nil }
  }

  func fullText() throws -> String {
    guard let text = String(validating: written, as: UTF8.self) else { throw UnreadableRow() }
    return text
  }

  /// The original text of the first line with the most terms. `nil` if no single line contains a
  /// whole term, or original and folded lines cannot be matched.
  func bestLine(_ needles: [FoldedTerm]) -> String? {
    var best: (number: Int, terms: Int) = (0, 0)
    var (lineStart, number) = (0, 0)
    while let offset = needles.compactMap({ $0.firstOffset(in: folded, from: lineStart) }).min() {
      while let end = lineEnd(from: lineStart, in: folded), end <= offset {
        (lineStart, number) = (end + 1, number + 1)
      }
      let end = lineEnd(from: lineStart, in: folded) ?? folded.count
      let line = UnsafeRawBufferPointer(rebasing: folded[lineStart..<end])
      let terms = needles.count { $0.firstOffset(in: line, from: 0) != nil }
      if terms > best.terms { best = (number, terms) }
      guard terms < needles.count, end < folded.count else { break }
      (lineStart, number) = (end + 1, number + 1)
    }
    return best.terms > 0 ? originalLine(best.number) : nil
  }

  private func lineEnd(from start: Int, in text: UnsafeRawBufferPointer) -> Int? {
    guard let base = text.baseAddress,
      let end = memchr(base + start, Int32(SearchText.lineEnd), text.count - start)
    else { return nil }
    return UnsafeRawPointer(end) - base
  }

  /// The line with that number, without trailing blanks; blank lines are not counted. A line folds
  /// to one line or to none, so equal counts mean that the lines correspond. Otherwise `nil`.
  private func originalLine(_ number: Int) -> String? {
    guard let base = written.baseAddress, memchr(base, 13, written.count) == nil else { return nil }
    var (start, count) = (0, 0)
    var found: Range<Int>?
    while start < written.count {
      let end = lineEnd(from: start, in: written) ?? written.count
      if (start..<end).contains(where: { written[$0] > UInt8(ascii: " ") }) {
        if count == number { found = start..<end }
        count += 1
      }
      start = end + 1
    }
    guard var found, count == foldedLineCount else { return nil }
    while let last = found.last, written[last] == 0x20 || written[last] == 0x09 {
      found = found.dropLast()
    }
    return String(decoding: UnsafeRawBufferPointer(rebasing: written[found]), as: UTF8.self)
  }

  private var foldedLineCount: Int {
    var (start, count) = (0, 0)
    while start < folded.count {
      count += 1
      start = (lineEnd(from: start, in: folded) ?? folded.count) + 1
    }
    return count
  }
}
