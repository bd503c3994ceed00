import DiaryCore
import Localization

extension JSONReader {
  /// Reads a quoted string and resolves its escapes.
  mutating func string() throws(ImportError) -> String {
    let start = offset
    advance(by: 1)
    var text: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        advance(by: 1)
        skipBlanks()
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += Array(String(try escape()).utf8)
      case 0..<0x20:
        throw error(localized("a string contains an unescaped control character"), at: offset)
      default:
        text.append(byte)
        advance(by: 1)
      }
    }
    throw error(localized("the string that begins here has no closing quote"), at: start)
  }

  /// Reads one escape, or the two escapes of a surrogate pair.
  private mutating func escape() throws(ImportError) -> Unicode.Scalar {
    var end = offset + 1
    do {
      let scalar = try jsonEscape(bytes, &end)
      advance(by: end - offset)
      return scalar
    } catch {
      let reason =
        switch error {
        case .unknown: localized("a string contains an escape that is not valid in JSON")
        case .digits: localized("\\u is not followed by four hexadecimal digits")
        case .halfPair: localized("a string contains half of a surrogate pair")
        }
      throw self.error(reason, at: offset)
    }
  }
}
