import Localization

/// The first position at which bytes are not a text that an entry may contain. An entry with a NUL,
/// or with bytes that are not UTF-8, could not be rewritten.
package struct TextFault: Hashable, Sendable {
  /// The line number, from 1.
  package var line: Int
  /// The column in characters, from 1.
  package var column: Int
  /// The end of a sentence that begins with the text's name and "has".
  package var reason: String

  /// Returns `nil` for a valid text.
  package init?(in bytes: [UInt8]) {
    let (nul, broken) = (bytes.firstIndex(of: 0), TextFault.firstBrokenByte(bytes))
    guard let offset = [nul, broken, firstExcessiveMark(bytes, from: 0)].compactMap(\.self).min()
    else {
      return nil
    }
    let start = bytes[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    line = bytes[..<offset].count { $0 == 0x0A } + 1
    column = bytes[start..<offset].count { $0 & 0xC0 != 0x80 } + 1
    reason =
      switch offset {
      case nul: localized("a NUL character")
      case broken: localized("bytes that are not UTF-8")
      default: localized("a letter with more combining marks than any script uses")
      }
  }

  private static func firstBrokenByte(_ bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var offset = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      offset += UTF8.width(scalar)
    }
    return min(offset, bytes.count - 1)
  }
}
