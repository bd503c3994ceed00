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
  init?(_ term: SearchQuery.Term) { self.init(SearchText.fold(term.text), in: term.scope) }

  private init?(_ bytes: [UInt8], in scope: SearchQuery.Scope) {
    let byRarity = bytes.indices.min { byteFrequency(bytes[$0]) < byteFrequency(bytes[$1]) }
    guard let byRarity else { return nil }
    self.bytes = bytes
    self.scope = scope
    hasBlank = bytes.contains(UInt8(ascii: " "))
    rarestByteOffset = byRarity
  }

  /// A term such as `#work` as the start of a tag, which is stored without its mark; `nil` for a term
  /// without a mark.
  var asTagStart: FoldedTerm? {
    guard scope == .anywhere, bytes.count > 1, bytes[0] == UInt8(ascii: "#") else { return nil }
    return FoldedTerm([SearchText.separator] + bytes.dropFirst(), in: .tag)
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
