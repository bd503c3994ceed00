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
