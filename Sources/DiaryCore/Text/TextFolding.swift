import Foundation

/// A text in the form that the search compares: without case, compatibility forms and the marks of
/// Latin, Greek and Cyrillic letters (`Ångström` is `angstrom`, `Straße` is `strasse`), and with
/// straight quotes. Hangul and the voicing marks of kana stay. Folding twice changes nothing.
package func foldedForSearch(_ text: String) -> String {
  String(decoding: bytesFoldedForSearch(text), as: UTF8.self)
}

/// The UTF-8 of ``foldedForSearch(_:)``.
package func bytesFoldedForSearch(_ text: String) -> [UInt8] {
  var folding = SearchFolding()
  if let plain = folding.foldedASCII(text) { return plain }
  folding.add(text)
  guard folding.isInPieces else { return folding.bytes }
  var composed = SearchFolding()
  composed.add(text.precomposedStringWithCanonicalMapping)
  return composed.bytes
}

/// Collects the folded bytes of one text.
private struct SearchFolding {
  var bytes: [UInt8] = []
  /// True if the text has decomposed syllables or voiced kana, which must be composed first.
  private(set) var isInPieces = false
  /// True if the last letter belongs to a script whose marks are dropped.
  private var shouldDropMarks = true

  func foldedASCII(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
      return bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
  }

  mutating func add(_ text: String) {
    // Building the table costs more than folding the few words of a search.
    let letters = text.utf8.count > 256 ? FoldedLetters.shared : nil
    bytes.reserveCapacity(text.utf8.count + text.utf8.count / 8)
    var rare = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let value = scalar.value
      if value < 0x80 {
        addOther(&rare)
        bytes.append((0x41...0x5A).contains(value) ? UInt8(value) | 0x20 : UInt8(value))
        shouldDropMarks = true
      } else if isUnchanged(value) {
        addOther(&rare)
        append(scalar)
        shouldDropMarks = false
      } else if value == 0xB0 {
        // The degree sign counts as a Latin letter without case or mark.
        addOther(&rare)
        append(scalar)
        shouldDropMarks = true
      } else if let ready = letters?[value] {
        addOther(&rare)
        bytes.append(contentsOf: ready)
        shouldDropMarks = true
      } else {
        rare.append(scalar)
        isInPieces =
          isInPieces || (0x1100...0x11FF).contains(value) || (0x3099...0x309A).contains(value)
      }
    }
    addOther(&rare)
  }

  /// True for the scripts whose letters each fold to themselves.
  private func isUnchanged(_ value: UInt32) -> Bool {
    switch value {
    case 0xAC00...0xD7A3, 0x4E00...0x9FFF, 0x3041...0x3096, 0x30A1...0x30FE, 0x3131...0x318E: true
    case 0x3001...0x3029, 0x2013...0x2015, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF:
      true
    default: false
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    if let encoded = UTF8.encode(scalar) { bytes.append(contentsOf: encoded) }
  }

  @inline(__always)
  private mutating func addOther(_ run: inout String.UnicodeScalarView) {
    if !run.isEmpty { addRun(&run) }
  }

  /// Adds a run of other characters: decomposed, without marks, in lower case, composed again.
  private mutating func addRun(_ run: inout String.UnicodeScalarView) {
    var folded = String.UnicodeScalarView()
    for scalar in String(run).decomposedStringWithCompatibilityMapping.unicodeScalars {
      if isCombiningMark(scalar) {
        if !shouldDropMarks { folded.append(scalar) }
      } else if !isInvisible(scalar) {
        let letter = plainLetter(scalar)
        // Any other mark belongs to the letter before it and does not end its script.
        if scalar.properties.canonicalCombiningClass == .notReordered {
          shouldDropMarks = letter.first.map { isOfMarkedScript($0) } ?? shouldDropMarks
        }
        folded.append(contentsOf: letter)
      }
    }
    bytes.append(contentsOf: String(folded).precomposedStringWithCanonicalMapping.utf8)
    run.removeAll(keepingCapacity: true)
  }
}

/// The folded forms of Latin, Greek and Cyrillic letters and of curly quotes, computed once.
private struct FoldedLetters {
  static let shared = FoldedLetters()
  private let mainLetters: [[UInt8]]
  private let quotes: [[UInt8]]
  private let extendedLetters: [[UInt8]]

  private init() {
    func folded(_ value: UInt32) -> [UInt8] {
      guard let scalar = Unicode.Scalar(value) else { return [] }
      let parts = String(scalar).decomposedStringWithCompatibilityMapping.unicodeScalars
      var view = String.UnicodeScalarView()
      for part in parts where !isCombiningMark(part) { view.append(contentsOf: plainLetter(part)) }
      guard let base = view.first, isOfMarkedScript(base) else { return [] }
      return Array(String(view).utf8)
    }
    mainLetters = (0xC0..<0x530).map(folded)
    quotes = (0x2018..<0x2027).map(folded)
    extendedLetters = (0x1E00..<0x2000).map(folded)
  }

  subscript(value: UInt32) -> [UInt8]? {
    let found: [UInt8]
    switch value {
    case 0xC0..<0x530: found = mainLetters[Int(value) - 0xC0]
    case 0x1E00..<0x2000: found = extendedLetters[Int(value) - 0x1E00]
    case 0x2018..<0x2027: found = quotes[Int(value) - 0x2018]
    default: return nil
    }
    return found.isEmpty ? nil : found
  }
}

/// A letter in lower case. The few letters that have no decomposition are spelled out.
private func plainLetter(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
  switch scalar.value {
  case 0x00DF, 0x1E9E: return "ss".unicodeScalars
  case 0x00C6, 0x00E6: return "ae".unicodeScalars
  case 0x0152, 0x0153: return "oe".unicodeScalars
  case 0x00D8, 0x00F8: return "o".unicodeScalars
  case 0x0141, 0x0142: return "l".unicodeScalars
  case 0x0110, 0x0111: return "d".unicodeScalars
  case 0x0131: return "i".unicodeScalars
  case 0x03C2: return "σ".unicodeScalars
  case 0x2018, 0x2019, 0x02BC: return "'".unicodeScalars
  case 0x201C, 0x201D, 0x201E: return "\"".unicodeScalars
  default: break
  }
  // A capital whose small form is a letter and a mark, such as the dotted I, gives only the letter.
  var lowered = String.UnicodeScalarView()
  for part in scalar.properties.lowercaseMapping.unicodeScalars where !isCombiningMark(part) {
    lowered.append(part)
  }
  return lowered.isEmpty ? String(scalar).unicodeScalars : lowered
}

private func isCombiningMark(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x0300...0x036F, 0x0483...0x0489, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF,
    0xFE20...0xFE2F:
    true
  default: false
  }
}

private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x00AD, 0x200B, 0x2060, 0xFEFF, 0xFE0E, 0xFE0F: true
  default: false
  }
}

private func isOfMarkedScript(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0...0x02FF, 0x0370...0x052F, 0x1C80...0x1C8F, 0x1D00...0x1DBF, 0x1E00...0x1FFF,
    0x2C60...0x2C7F, 0x2DE0...0x2DFF, 0xA640...0xA69F, 0xA720...0xA7FF, 0xAB30...0xAB6F:
    true
  default: false
  }
}
