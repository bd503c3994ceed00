import Foundation

/// Unique words, each typed once in a run so that it can be tracked exactly:
/// `q17z`, a Hangul syllable or a Han character, chosen by number.
enum UniqueWords {
  enum Script: CaseIterable { case latin, hangul, han }

  private static let hangul: UInt32 = 0xAFE8
  private static let hangulCount: UInt32 = 3_000
  private static let han: UInt32 = 0x4E00
  private static let hanCount: UInt32 = 12_000

  static func word(_ number: Int, _ script: Script) -> String {
    let number = UInt32(number)
    switch script {
    case .hangul where number < hangulCount: return scalar(hangul + number) + "을"
    case .han where number < hanCount: return scalar(han + number)
    case .latin, .hangul, .han: return "q\(number)z"
    }
  }

  private static func scalar(_ value: UInt32) -> String {
    Unicode.Scalar(value).map { String($0) } ?? ""
  }

  /// The number of occurrences of each unique word in a text. Each script has its own numbers.
  static func counts(_ bytes: [UInt8]) -> [String: Int] {
    var counts: [String: Int] = [:]
    var text = String(decoding: bytes, as: UTF8.self)
    if text.unicodeScalars.contains(where: { (0x1100..<0x1200).contains($0.value) }) {
      text = text.precomposedStringWithCanonicalMapping
    }
    var digits: String?
    for scalar in text.unicodeScalars {
      let value = scalar.value
      if value == 0x71 {
        digits = "q"
      } else if (0x30...0x39).contains(value), digits != nil {
        digits?.unicodeScalars.append(scalar)
      } else {
        if value == 0x7A, let digits, digits.count > 1 { counts[digits + "z", default: 0] += 1 }
        digits = nil
        if (hangul..<hangul + hangulCount).contains(value)
          || (han..<han + hanCount).contains(value)
        {
          counts[String(scalar), default: 0] += 1
        }
      }
    }
    return counts
  }
}
