/// The number of terminal columns of a text: two for wide East Asian letters and for emoji (with
/// joiners, skin tones and variation selectors), none for marks and control characters.
package func displayWidth(_ text: String) -> Int {
  if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text.utf8.count }
  return text.reduce(0) { $0 + displayWidth($1) }
}

/// The number of terminal columns of a part of a text.
package func displayWidth(_ text: Substring) -> Int { displayWidth(String(text)) }

/// The text, cut to a number of columns, with an ellipsis in the last one if anything was cut.
package func truncated(_ text: String, toWidth width: Int) -> String {
  if width <= 0 { return "" }
  if displayWidth(text) <= width { return text }
  var cut = ""
  var used = 0
  for character in text {
    let next = displayWidth(character)
    if used + next > width - 1 { break }
    used += next
    cut.append(character)
  }
  return cut + "…"
}

private func displayWidth(_ character: Character) -> Int {
  let scalars = character.unicodeScalars
  guard let first = scalars.first else { return 0 }
  if first.value < 0x7F, scalars.count == 1 { return first.value < 0x20 ? 0 : 1 }
  let isEmoji =
    first.properties.isEmojiPresentation
    // U+FE0F requests the emoji, also for the keycap of a digit.
    || (first.properties.isEmoji && scalars.dropFirst().first?.value == 0xFE0F)
  if isEmoji { return isFlagHalf(first) && scalars.count == 1 ? 1 : 2 }
  return scalars.reduce(0) { $0 + displayWidth($1) }
}

private func isFlagHalf(_ scalar: Unicode.Scalar) -> Bool {
  (0x1F1E6...0x1F1FF).contains(scalar.value)
}

private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0: return 0
  // Terminals show the soft hyphen.
  case 0x20..<0x7F, 0xAD: return 1
  // Voicing marks are shown in the cell of their kana.
  case 0x302A...0x302D, 0x3099, 0x309A: return 0
  // Decomposed vowels and finals of Hangul are shown inside the syllable.
  case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
  case 0x1100...0x115F, 0xA960...0xA97F, 0xAC00...0xD7A3: return 2
  case 0x2329, 0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF: return 2
  case 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6: return 2
  case 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD: return 2
  default: break
  }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator:
    return 0
  default: return 1
  }
}
