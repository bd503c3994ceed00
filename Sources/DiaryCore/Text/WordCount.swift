/// The number of words that somebody has written in a Markdown text: each sequence without blanks that
/// has a letter or a digit is one word, and so is each Han or kana character. Not counted are headings,
/// the numbers of lists, a time at the beginning of a line, ids of blocks (`^id` at the end of a line,
/// `id:: …`), and pictures.
package func wordCount(_ text: String) -> Int {
  var text = text
  return text.withUTF8(wordCount)
}

/// Counts bytes: reading a text's scalars takes several times as long, for every entry.
private func wordCount(_ text: UnsafeBufferPointer<UInt8>) -> Int {
  var (at, count) = (textStart(of: text, lineAt: 0), 0)
  var isInWord = false
  while at < text.count {
    let (value, length) = scalarValue(text, at)
    at += length
    switch value {
    case 0x0A:
      isInWord = false
      at = textStart(of: text, lineAt: at)
    case ...0x20: isInWord = false
    case 0x5E where !isInWord: at = blockIDEnd(in: text, at)
    case 0x21: at = pictureEnd(in: text, at)
    case ..<0x80:
      if !isInWord, isASCIIWord(value) {
        isInWord = true
        count += 1
      }
    // All of these are letters.
    case 0xAC00...0xD7A3, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x24F:
      if !isInWord { count += 1 }
      isInWord = true
    default:
      guard let scalar = Unicode.Scalar(value) else { continue }
      if isHanOrKana(scalar) {
        isInWord = false
        count += 1
      } else if scalar.properties.isWhitespace {
        isInWord = false
      } else if !isInWord, isLetterOrDigit(scalar) {
        isInWord = true
        count += 1
      }
    }
  }
  return count
}

/// Where the words of a line begin: after the marks of quotes and lists, and a time; or the end of a
/// heading, or of a property with the id of a block.
private func textStart(of text: UnsafeBufferPointer<UInt8>, lineAt start: Int) -> Int {
  var line = Cursor(text: text, at: start)
  line.skip(" \t>")
  if line.skip("-*+", upTo: 1) > 0 { line.skip(" \t") }
  var number = line
  if number.skip("0123456789", upTo: 3) > 0, number.skip(".)", upTo: 1) > 0, number.isAtBlank {
    line = number
    line.skip(" \t")
  }
  var mark = line
  if mark.skip("#", upTo: 6) > 0, mark.isAtBlank { return mark.lineEnd }
  if text[line.at...].starts(with: "id:: ".utf8) { return line.lineEnd }
  var time = line
  time.skip("*_[(")
  guard time.skip("0123456789", upTo: 2) > 0, time.skip(":", upTo: 1) > 0,
    time.skip("0123456789", upTo: 2) == 2
  else { return line.at }
  if time.skip(":", upTo: 1) > 0 { time.skip("0123456789", upTo: 2) }
  time.skip("*_)]:")
  return time.isAtBlank ? time.at : line.at
}

/// The end of an id of a block whose `^` is before a position; the position if there is none.
private func blockIDEnd(in text: UnsafeBufferPointer<UInt8>, _ at: Int) -> Int {
  var id = Cursor(text: text, at: at)
  while !id.isAtBlank { id.at += 1 }
  let end = id.at
  id.skip(" \t\r")
  let isID = text[at..<end].allSatisfy { isASCIIWord(UInt32($0)) || $0 == UInt8(ascii: "-") }
  return isID && id.at == id.lineEnd ? end : at
}

/// The end of a picture (`![…](…)`, `![[…]]`) whose `!` is before a position; the position if there is
/// none. A bracket in brackets ends the search, so that many of them cost no more than one.
private func pictureEnd(in text: UnsafeBufferPointer<UInt8>, _ at: Int) -> Int {
  var picture = Cursor(text: text, at: at)
  let brackets = picture.skip("[", upTo: 2)
  guard brackets > 0 else { return at }
  picture.pass(until: "[]\n")
  guard picture.skip("]", upTo: brackets) == brackets else { return at }
  if brackets == 2 { return picture.at }
  guard picture.skip("(", upTo: 1) > 0 else { return at }
  picture.pass(until: "()\n")
  return picture.skip(")", upTo: 1) > 0 ? picture.at : at
}

/// A position in a text.
private struct Cursor {
  let text: UnsafeBufferPointer<UInt8>
  var at: Int

  /// True before a blank, at the end of a line, and at the end of the text.
  var isAtBlank: Bool { at == text.count || text[at] <= 0x20 }

  var lineEnd: Int { text[at...].firstIndex(of: 0x0A) ?? text.count }

  /// Passes at most `limit` of these characters. Returns how many there were.
  @discardableResult
  mutating func skip(_ characters: StaticString, upTo limit: Int = .max) -> Int {
    let start = at
    while at < text.count, at - start < limit, contains(characters, text[at]) { at += 1 }
    return at - start
  }

  /// Passes everything up to one of these characters.
  mutating func pass(until characters: StaticString) {
    while at < text.count, !contains(characters, text[at]) { at += 1 }
  }

  private func contains(_ characters: StaticString, _ byte: UInt8) -> Bool {
    let bytes = UnsafeBufferPointer(
      start: characters.utf8Start, count: characters.utf8CodeUnitCount)
    return bytes.contains(byte)
  }
}

/// The scalar at a position of valid UTF-8 where one begins, and its length in bytes.
@inline(__always)
func scalarValue(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> (value: UInt32, length: Int) {
  let lead = UInt32(text[at])
  if lead < 0x80 { return (lead, 1) }
  func tail(_ number: Int) -> UInt32 { UInt32(text[at + number]) & 0x3F }
  if lead < 0xE0 { return ((lead & 0x1F) << 6 | tail(1), 2) }
  if lead < 0xF0 { return ((lead & 0x0F) << 12 | tail(1) << 6 | tail(2), 3) }
  return ((lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4)
}

/// The number of words of a part of a text.
package func wordCount(_ text: Substring) -> Int { wordCount(String(text)) }

private func isASCIIWord(_ value: UInt32) -> Bool {
  (0x30...0x39).contains(value) || (0x61...0x7A).contains(value | 0x20)
}

/// True if a character of any script is a letter or a digit (`\p{L}` or `\p{N}`).
func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
    .decimalNumber, .letterNumber, .otherNumber:
    true
  default: false
  }
}

/// True for Han, hiragana and katakana, which have no blanks between words.
func isHanOrKana(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF: true
  case 0x4E00...0x9FFF, 0x3400...0x4DBF, 0x3005, 0x3007, 0x3021...0x3029, 0x3038...0x303B: true
  case 0x2E80...0x2FDF, 0xF900...0xFAFF, 0xFF66...0xFF9D: true
  case 0x1AFF0...0x1B16F, 0x20000...0x3FFFD: true
  default: false
  }
}
