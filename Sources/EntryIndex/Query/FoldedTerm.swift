import DiaryCore
import Glibc

/// One folded term, and where it stands in folded texts.
struct FoldedTerm {
  let scope: SearchQuery.Scope
  let bytes: [UInt8]
  /// Whether it holds a blank, which a line's end may stand for.
  private let hasBlank: Bool
  /// Where in the term its rarest byte stands: that one is looked for first.
  private let anchor: Int

  /// `nil` when nothing of the term is left after folding.
  init?(_ term: SearchQuery.Term) {
    let folded = SearchText.fold(term.text)
    let byRarity = folded.indices.min { commonness(folded[$0]) < commonness(folded[$1]) }
    guard let byRarity else { return nil }
    bytes = folded
    hasBlank = folded.contains(UInt8(ascii: " "))
    scope = term.scope
    anchor = byRarity
  }

  /// The best rank among all places where the term stands; `nil` when there is none.
  func rank(in text: UnsafeRawBufferPointer) -> MatchRank? {
    var best: MatchRank?
    var start = 0
    while let found = first(in: text, from: start) {
      let rank = rank(at: found, in: text)
      if rank == .wholeWord { return rank }
      best = min(best ?? rank, rank)
      start = found + 1
    }
    return best
  }

  /// Every place where the term stands, none overlapping another.
  func places(in text: UnsafeRawBufferPointer) -> [Range<Int>] {
    var places: [Range<Int>] = []
    while let found = first(in: text, from: places.last?.upperBound ?? 0) {
      places.append(found..<(found + bytes.count))
    }
    return places
  }

  /// The first place from `start` on.
  func first(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = text.baseAddress, start >= 0 else { return nil }
    // The anchor of a place that still fits lies before `end`.
    let end = text.count - bytes.count + anchor + 1
    var next = start + anchor
    while next < end, let hit = memchr(base + next, Int32(bytes[anchor]), end - next) {
      let place = UnsafeRawPointer(hit) - base - anchor
      if stands(at: base + place) { return place }
      next = place + anchor + 1
    }
    return nil
  }

  private func stands(at place: UnsafeRawPointer) -> Bool {
    guard hasBlank else { return memcmp(place, bytes, bytes.count) == 0 }
    return bytes.indices.allSatisfy { index in
      let byte = place.load(fromByteOffset: index, as: UInt8.self)
      return byte == bytes[index] || (byte == SearchText.lineEnd && bytes[index] == 0x20)
    }
  }

  private func rank(at place: Int, in text: UnsafeRawBufferPointer) -> MatchRank {
    let end = place + bytes.count
    guard Letter.isEdge(text, at: place) else { return .inside }
    return Letter.isEdge(text, at: end) ? .wholeWord : .wordStart
  }
}

/// A rough guess at how often a byte stands in folded texts of many languages.
private func commonness(_ byte: UInt8) -> Int {
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

/// What a character is to the words around it.
private enum Letter {
  /// Belongs to no word.
  case none
  /// Makes a word with its neighbours.
  case running
  /// Is a word by itself: Han and kana are written without blanks.
  case alone

  init(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: self = .running
    case ..<0x80: self = .none
    case 0x3041...0x30FF, 0x31F0...0x31FF: self = .alone
    default:
      if scalar.properties.isIdeographic {
        self = .alone
      } else {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
          .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber,
          .otherNumber:
          self = .running
        default: self = .none
        }
      }
    }
  }

  /// Whether a word may begin or end between the bytes before and at `place`.
  static func isEdge(_ text: UnsafeRawBufferPointer, at place: Int) -> Bool {
    guard place > 0, place < text.count else { return true }
    return Letter(scalar(text, before: place)) != .running
      || Letter(scalar(text, at: place)) != .running
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
