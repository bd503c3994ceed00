import DiaryCore
import Foundation

/// Reads jrnl's own text format (jrnl 2 to 4). An entry starts with `[DATE] TITLE` at the start of
/// a line, and `*` at the end of a title is a star. Title and text are split as in jrnl: at the end
/// of the first line, or after the first sentence of a single line.
func readJrnlText(
  _ bytes: [UInt8], _ options: ImportOptions, file: String, into batch: inout ImportedBatch
) {
  let lines = TextLines(bytes)
  var open: (date: EntryDate, written: String, line: Int)?
  var text: [UInt8] = []
  func close(isFollowed: Bool = false) {
    // jrnl treats the line end before the next date as a part of that date.
    if isFollowed, text.last == 0x0A { text.removeLast() }
    guard let head = open else {
      let stray = String(decoding: text, as: UTF8.self).withoutBlankEdges
      if !stray.isEmpty { batch.entries.append(undatedEntry(stray, file: file)) }
      return
    }
    var entry = jrnlEntry(String(decoding: text, as: UTF8.self))
    (entry.date, entry.writtenDate) = (head.date, head.written)
    (entry.file, entry.line) = (file, head.line)
    if !jrnlTags(entry.title + "\n" + entry.body, symbols: "@").isEmpty { batch.hasAtTags = true }
    batch.entries.append(entry)
  }
  lines.forEach { range, number in
    if let (written, date, titleStart) = jrnlEntryStart(lines.bytes, range, options.zone) {
      close(isFollowed: true)
      open = (date, written, number)
      text = Array(lines.bytes[titleStart..<range.upperBound])
    } else {
      text += lines.bytes[range]
    }
  }
  close()
}

/// Returns an entry with the text above the first date of a file.
func undatedEntry(_ text: String, file: String) -> ImportedEntry {
  var entry = ImportedEntry()
  (entry.body, entry.file) = (text, file)
  return entry
}

/// Returns the date in brackets at the start of a line, and the offset of the title.
private func jrnlEntryStart(
  _ bytes: [UInt8], _ line: Range<Int>, _ zone: TimeZone
) -> (written: String, date: EntryDate, rest: Int)? {
  guard bytes[line.lowerBound] == UInt8(ascii: "["),
    let end = bytes[line].firstIndex(of: UInt8(ascii: "]")), end - line.lowerBound > 7,
    end - line.lowerBound < 42, bytes[line.lowerBound + 1].isDigit,
    end + 1 == line.upperBound || [0x20, 0x0A, 0x0D].contains(bytes[end + 1])
  else { return nil }
  let inside = bytes[(line.lowerBound + 1)..<end]
  // jrnl's `timeformat` may contain month names. A sentence in brackets is not a date.
  guard inside.allSatisfy({ $0.isDigit || $0.isLetter || " :-./,+".utf8.contains($0) }),
    inside.count(where: \.isDigit) >= 4
  else { return nil }
  let written = String(decoding: inside, as: UTF8.self)
  guard let date = EntryDate(reading: written, zone: zone) else { return nil }
  return (written, date, min(end + 2, line.upperBound))
}

/// Returns an entry from the text after its date.
func jrnlEntry(_ text: String) -> ImportedEntry {
  var entry = ImportedEntry()
  let trimmedText = text.withoutBlankEdges
  let firstEnd = trimmedText.firstIndex(where: \.isNewline) ?? trimmedText.endIndex
  var first = String(trimmedText[..<firstEnd]).trimmingCharacters(in: .whitespaces)
  if first.hasSuffix("*") {
    entry.isStarred = true
    first = first.trimmingCharacters(in: CharacterSet(charactersIn: "\n *"))
  }
  if text.drop(while: \.isBlank).contains(where: \.isNewline) {
    entry.title = first
    entry.body = String(trimmedText[firstEnd...]).withoutBlankEdges
  } else {
    (entry.title, entry.body) = splitFirstSentence(first)
  }
  entry.tags = jrnlTags(entry.title, symbols: "@#")
  for tag in jrnlTags(entry.body, symbols: "@") where !entry.tags.contains(tag) {
    entry.tags.append(tag)
  }
  return entry
}

/// Splits a single line as jrnl does: the first sentence is the title.
private func splitFirstSentence(_ text: String) -> (String, String) {
  let wide: Set<Character> = ["！", "．", "？", "｡", "。"]
  let terminals: Set<Character> = [
    ".", "!", "?", "…", "‼", "‽", "⁇", "⁈", "⁉", "⋯", "﹒", "﹖", "﹗",
  ]
  var index = text.startIndex
  while index < text.endIndex {
    let character = text[index]
    var next = text.index(after: index)
    if wide.contains(character) {
      return (String(text[..<next]), trimmed(String(text[next...])))
    }
    if terminals.contains(character) {
      if next < text.endIndex, "'’\"”".contains(text[next]) { next = text.index(after: next) }
      while next < text.endIndex, "])".contains(text[next]) { next = text.index(after: next) }
      if next < text.endIndex, text[next].isWhitespace {
        return (trimmed(String(text[..<next])), trimmed(String(text[next...])))
      }
    }
    index = text.index(after: index)
  }
  return (text, "")
}

/// Returns the words that start with one of the symbols, as in jrnl, without it and each once.
func jrnlTags(_ text: String, symbols: String) -> [String] {
  guard text.utf8.contains(where: { $0 == 0x40 || $0 == 0x23 }) else { return [] }
  var tags: [String] = []
  for word in text.split(whereSeparator: \.isWhitespace) {
    guard let first = word.first, symbols.contains(first) else { continue }
    let tag = word.dropFirst().prefix { $0.isLetter || $0.isNumber || "-+*#/_".contains($0) }
    guard tag.contains(where: \.isLetter), !tags.contains(String(tag)) else { continue }
    tags.append(String(tag))
  }
  return tags
}
