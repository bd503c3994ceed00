import DiaryCore
import Foundation

/// The lines of a text with their line ends.
struct TextLines {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  /// Calls `each` with the range of every line, including its end, and its number from 1.
  func forEach(_ each: (_ line: Range<Int>, _ number: Int) -> Void) {
    var start = 0
    var number = 1
    while start < bytes.count {
      let end = (bytes[start...].firstIndex(of: 0x0A) ?? bytes.count - 1) + 1
      each(start..<end, number)
      start = end
      number += 1
    }
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension StringProtocol {
  /// The text without blank lines at its start and without white space at its end.
  var withoutBlankEdges: String {
    var text = Substring(self)
    while let end = text.firstIndex(where: \.isNewline),
      text[..<end].allSatisfy(\.isBlank)
    {
      text = text[text.index(after: end)...]
    }
    if text.allSatisfy(\.isBlank) { return "" }
    while text.last?.isBlank == true { text.removeLast() }
    return String(text)
  }
}
