import DiaryCore
import Glibc

/// A folded search term, and its search in folded texts.
struct FoldedTerm {
  let scope: SearchQuery.Scope
  let bytes: [UInt8]
  /// True if the term contains a blank, which may also match a line end.
  private let hasBlank: Bool
  /// The offset of the term's rarest byte, for which `memchr` searches first.
  private let rarestByteOffset: Int

  /// Fails if the term is empty after folding.
  init?(_ term: SearchQuery.Term) {
    let folded = SearchText.fold(term.text)
    let byRarity = folded.indices.min { byteFrequency(folded[$0]) < byteFrequency(folded[$1]) }
    guard let byRarity else { return nil }
    bytes = folded
    hasBlank = folded.contains(UInt8(ascii: " "))
    scope = term.scope
    rarestByteOffset = byRarity
  }

  /// The best rank of all occurrences of the term; `nil` if there is none.
  func rank(in text: UnsafeRawBufferPointer) -> MatchRank? {
    var best: MatchRank?
    var start = 0
    while let found = firstOffset(in: text, from: start) {
      let rank = rank(at: found, in: text)
      if rank == .wholeWord { return rank }
      best = min(best ?? rank, rank)
      start = found + 1
    }
    return best
  }

  /// The ranges of all occurrences that do not overlap.
  func ranges(in text: UnsafeRawBufferPointer) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    while let found = firstOffset(in: text, from: ranges.last?.upperBound ?? 0) {
      ranges.append(found..<(found + bytes.count))
    }
    return ranges
  }

  /// The offset of the first occurrence at or after `start`.
  func firstOffset(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = text.baseAddress, start >= 0 else { return nil }
    // The rarest byte of an occurrence that still fits is before `end`.
    let end = text.count - bytes.count + rarestByteOffset + 1
    var next = start + rarestByteOffset
    while next < end, let hit = memchr(base + next, Int32(bytes[rarestByteOffset]), end - next) {
      let offset = UnsafeRawPointer(hit) - base - rarestByteOffset
      if matches(at: base + offset) { return offset }
      next = offset + rarestByteOffset + 1
    }
    return nil
  }

  private func matches(at start: UnsafeRawPointer) -> Bool {
    guard hasBlank else { return memcmp(start, bytes, bytes.count) == 0 }
    return bytes.indices.allSatisfy { index in
      let byte = start.load(fromByteOffset: index, as: UInt8.self)
      return byte == bytes[index] || (byte == SearchText.lineEnd && bytes[index] == 0x20)
    }
  }

  private func rank(at offset: Int, in text: UnsafeRawBufferPointer) -> MatchRank {
    let end = offset + bytes.count
    guard WordClass.isWordBoundary(text, at: offset) else { return .insideWord }
    return WordClass.isWordBoundary(text, at: end) ? .wholeWord : .wordStart
  }
}

/// An estimate of how often a byte occurs in folded texts of many languages.
private func byteFrequency(_ byte: UInt8) -> Int {
  switch byte {
  case UInt8(ascii: " "): return 250
  case 0xE0...0xEF: return 240
  case 0xC0...: return 160
  case 0x80...0xBF: return 120
  default:
    let letters = Array("zqjxkvbywgpfmucdlhrsnioate".utf8)
    return letters.firstIndex(of: byte).map { 30 + 7 * $0 } ?? 60
  }
}

/// The role of a character in a word.
private enum WordClass {
  /// The character is not part of a word.
  case none
  /// The character forms a word with its neighbours.
  case wordPart
  /// The character is a word by itself: Han and kana are written without blanks.
  case standalone

  init(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: self = .wordPart
    case ..<0x80: self = .none
    case 0x3041...0x30FF, 0x31F0...0x31FF: self = .standalone
    default:
      if scalar.properties.isIdeographic {
        self = .standalone
      } else {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
          .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber,
          .otherNumber:
          self = .wordPart
        default: self = .none
        }
      }
    }
  }

  /// True if a word may start or end between the bytes before and at `offset`.
  static func isWordBoundary(_ text: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    guard offset > 0, offset < text.count else { return true }
    return WordClass(scalar(text, before: offset)) != .wordPart
      || WordClass(scalar(text, at: offset)) != .wordPart
  }

  private static func scalar(
    _ text: UnsafeRawBufferPointer, before end: Int
  ) -> Unicode.Scalar {
    var start = end - 1
    while start > 0, text[start] & 0xC0 == 0x80 { start -= 1 }
    return scalar(text, at: start)
  }

  private static func scalar(_ text: UnsafeRawBufferPointer, at start: Int) -> Unicode.Scalar {
    let lead = text[start]
    guard lead >= 0x80 else { return Unicode.Scalar(lead) }
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    let end = min(start + length, text.count)
    let scalars = String(decoding: text[start..<end], as: UTF8.self).unicodeScalars
    return scalars.first ?? "\u{FFFD}"
  }
}
