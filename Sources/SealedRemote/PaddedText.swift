import Localization

/// The plain text of an encrypted file: a line with the length, the content, and zeros up to one of a few
/// sizes, so that the size says little about the content.
enum PaddedText {
  /// Digits and line break; a fixed number, because the length is known last.
  static let lineLength = 21
  private static let digits = lineLength - 1

  static func line(for length: Int) -> [UInt8] {
    let number = String(length)
    return Array((String(repeating: "0", count: digits - number.count) + number + "\n").utf8)
  }

  /// The size of the plain text for a content of this length: powers of √2 from 4 KiB, and from 1 MiB steps
  /// of 5 %.
  static func size(for length: Int) -> Int {
    var size = 4096.0
    while Int(size.rounded(.up)) < length + lineLength {
      size *= size < 1_048_575 ? 2.0.squareRoot() : 1.05
    }
    return Int(size.rounded(.up))
  }

  static func padded(_ content: [UInt8]) -> [UInt8] {
    let zeros = size(for: content.count) - content.count - lineLength
    return line(for: content.count) + content + [UInt8](repeating: 0, count: zeros)
  }

  /// The length that the line gives; `nil` if it is no such line or the text is shorter.
  static func length(in line: [UInt8], of size: Int) -> Int? {
    guard line.count == lineLength, line.last == 10,
      line.dropLast().allSatisfy({ (48...57).contains($0) }),
      let length = Int(String(decoding: line.dropLast(), as: UTF8.self)),
      length <= size - lineLength
    else { return nil }
    return length
  }

  static func content(of text: [UInt8]) -> [UInt8]? {
    guard let length = length(in: Array(text.prefix(lineLength)), of: text.count) else {
      return nil
    }
    let end = lineLength + length
    return text[end...].allSatisfy { $0 == 0 } ? Array(text[lineLength..<end]) : nil
  }
}
