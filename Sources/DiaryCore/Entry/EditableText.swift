import Localization

/// An entry's bytes as the title and the body that a page edits, and back. The header and every
/// line that was not edited stay unchanged, byte for byte.
///
/// `bytes(title: title, body: body)` with unchanged values returns the same bytes. Other values are
/// read back as they were given, with these exceptions. Line ends become `\n`. A title is one line
/// without blanks around it. Blank lines before the body are not written, nor blanks alone if there
/// was no body. A title in the text may be Markdown (`# …`), and a text without any title gets its
/// first line as title. A first line that would begin a header is indented by one blank.
package struct EditableText: Sendable {
  /// The location of the title.
  package enum TitleLocation: String, Sendable {
    /// The header's field `title`.
    case header
    /// A level-one heading at the start of the body.
    case heading
    /// The body's first line.
    case line
    /// Elsewhere: the file name (no title if it is only a date), or a property (`title:: …`) that
    /// is part of the body. A new title is written into the header.
    case name
  }

  /// The reason why a text cannot be edited on a page.
  package enum ReadOnlyReason: Error, Sendable, Hashable {
    case encoding
    case damaged
    case foreignHeader
    case unreadableHeader
    case tooLarge
  }

  /// The largest size that can be edited: 1 MiB. Larger texts are only shown.
  package static let maxSize = 1 << 20

  /// One line; may be empty.
  package private(set) var title = ""
  package private(set) var titleLocation = TitleLocation.name
  /// The text below the title, with `\n` as line end and without the last one. Blank lines between
  /// the title and the body belong to neither.
  package let body: String
  /// The unchanged entry.
  package let text: EntryText

  /// The range of the title's text, if it is a heading or a line.
  private var titleRange: Range<Int>
  /// The lines that are only title; empty if the title is elsewhere.
  private var titleLines: Range<Int>
  /// The range of bytes that `body` shows.
  let shownRange: Range<Int>
  private let path: EntryPath
  private let settings: Settings

  /// Reads an entry's title and body under the journal's settings.
  package init(
    _ text: EntryText, path: EntryPath, settings: Settings
  ) throws(ReadOnlyReason) {
    guard text.bytes.count <= EditableText.maxSize else { throw .tooLarge }
    guard text.encoding == .utf8 else { throw .encoding }
    guard !text.isDamaged else { throw .damaged }
    switch text.headerKind {
    case .none, .yaml: break
    case .toml, .json: throw .foreignHeader
    case .unreadable: throw .unreadableHeader
    }
    let range = text.bodyRange
    let found = TitleFinder(path: path, text: text, bytes: text.bytes[range]).title(settings.titles)
    var page = EditableText(text, below: range.lowerBound, path, settings)
    switch found.location {
    case .heading(let lines) where isBlank(text.bytes, range.lowerBound..<lines.lowerBound):
      page = EditableText(text, below: lines.upperBound, path, settings)
      (page.titleLocation, page.titleLines) = (.heading, lines)
      page.titleRange = headingTextRange(text.bytes, lines)
      page.title = singleLine(String(decoding: text.bytes[page.titleRange], as: UTF8.self))
    case .line(let line) where isBlank(text.bytes, range.lowerBound..<line.lowerBound):
      page = EditableText(text, below: line.upperBound, path, settings)
      (page.titleLocation, page.titleLines) = (.line, line)
      page.titleRange = trimmedRange(text.bytes[...], line)
      page.title = singleLine(String(decoding: text.bytes[page.titleRange], as: UTF8.self))
    case .header: (page.titleLocation, page.title) = (.header, singleLine(found.text))
    case .property: page.title = singleLine(found.text)
    case .name where !path.isDateOnlyName: page.title = singleLine(found.text)
    case .name, .heading, .line: break
    }
    self = page
  }

  /// A text without a title of its own, whose body begins at an index.
  private init(
    _ text: EntryText, below start: Int, _ path: EntryPath, _ settings: Settings
  ) {
    self.text = text
    self.path = path
    self.settings = settings
    titleLines = start..<start
    titleRange = start..<start
    let (bytes, end) = (text.bytes, text.bytes.count)
    let first = afterBlankLines(bytes, from: start)
    shownRange = first..<max(first, end - lineEndLength(bytes, before: end))
    body = String(
      decoding: Array(
        textLines(of: bytes[shownRange]).map { bytes[$0.words] }.joined(separator: [0x0A])),
      as: UTF8.self)
  }

  /// The number of lines of the entry's body above the first line of ``body``.
  package var lineOffset: Int {
    textLines(of: text.bytes[text.bodyRange.lowerBound..<shownRange.lowerBound]).count - 1
  }

  /// The offset in ``body`` of an index of the entry's bytes, in UTF-16 code units; its nearest end if
  /// the index is outside.
  package func bodyOffset(of index: Int) -> Int {
    let end = min(max(index, shownRange.lowerBound), shownRange.upperBound)
    let lines = textLines(of: text.bytes[shownRange.lowerBound..<end]).map { text.bytes[$0.words] }
    return String(decoding: Array(lines.joined(separator: [0x0A])), as: UTF8.self).utf16.count
  }

  /// Returns the entry with another title and body; the same bytes if both are unchanged.
  package func bytes(title: String, body: String) -> [UInt8] {
    let title = singleLine(title)
    let isSameTitle = title.utf8.elementsEqual(self.title.utf8)
    if titleLocation == .heading || titleLocation == .line, !isSameTitle {
      // A page opened before the text had a title sends the first line as a part of the body. The
      // body itself may begin with a line like the title's.
      let isSameBody = body.utf8.elementsEqual(self.body.utf8)
      if !title.isEmpty, isSameBody || !hasTitleLine(body) {
        let changed = bytesWithoutHeaderStart(
          text.bytes[..<titleRange.lowerBound] + Array(title.utf8)
            + text.bytes[titleRange.upperBound..<titleLines.upperBound] + contentBelowTitle(body))
        let read = try? EditableText(EntryText(changed), path: path, settings: settings)
        if read?.title == title { return changed }
        // A title that Markdown would read differently (`---`, a list) is written into the header.
      }
      guard isSameBody else {
        let untitled = EditableText(text, below: titleLines.lowerBound, path, settings)
        return untitled.bytes(title: title, body: body)
      }
      let result = bytesWithoutHeaderStart(
        Array(text.bytes[..<titleLines.lowerBound] + text.bytes[shownRange.lowerBound...]))
      return title.isEmpty ? result : EditableText.setTitle(title, in: result)
    }
    let result = bytesWithoutHeaderStart(
      text.bytes[..<titleLines.upperBound] + contentBelowTitle(body))
    // A title from the file name cannot be removed.
    let isTitleUnchanged = isSameTitle || titleLocation == .name && title.isEmpty
    if isTitleUnchanged || titleLocation == .heading || titleLocation == .line { return result }
    return EditableText.setTitle(title, in: result)
  }

  /// True if a body begins with the line that is the title.
  private func hasTitleLine(_ body: String) -> Bool {
    let bytes = Array(body.utf8)
    let line = textLines(of: bytes[afterBlankLines(bytes, from: 0)...])[0].words
    let own = text.bytes[titleLines.lowerBound..<lineEnd(text.bytes, titleLines.lowerBound)]
    return bytes[trimmedRange(bytes[...], line)]
      .elementsEqual(own[trimmedRange(own, own.indices)])
  }

  /// Writes a title into the header, or as a heading if the header cannot be changed.
  private static func setTitle(_ title: String, in bytes: [UInt8]) -> [UInt8] {
    var text = EntryText(bytes)
    do {
      if title.isEmpty { try text.remove("title") } else { try text.set("title", .text(title)) }
      return text.bytes
    } catch {
      let end = text.newline(at: 0)
      let start = text.bodyRange.lowerBound
      let closing = start == 0 || bytes[start - 1] == 0x0A ? "" : end
      let heading = title.isEmpty ? "" : closing + "# " + title + end + end
      return bytes[..<start] + Array(heading.utf8) + bytes[start...]
    }
  }

  /// Everything below the title's lines, with another body.
  private func contentBelowTitle(_ typed: String) -> [UInt8] {
    let bytes = text.bytes
    let end = Array(text.newline(at: shownRange.lowerBound).utf8)
    let gap = bytes[titleLines.upperBound..<shownRange.lowerBound]
    let tail = bytes[shownRange.upperBound...]
    if typed.utf8.elementsEqual(body.utf8) { return Array(gap + bytes[shownRange] + tail) }
    let all = Array(typed.utf8)
    let typed = shownRange.isEmpty && isBlank(all, all.indices) ? [] : all
    let new = textLines(of: typed[afterBlankLines(typed, from: 0)...])
    let isNothing = new.count == 1 && new[0].words.isEmpty
    guard !shownRange.isEmpty || isNothing else {
      return firstGap(gap, end) + joinedLines(new, of: typed, end) + end
    }
    // A new line end at the end is a line of its own.
    let isEnded = !tail.isEmpty || new.last?.words.isEmpty == false || isNothing
    let joinedBytes = joinedLines(new, of: typed, end)
    let ending = isEnded ? tail : end[...]
    let isLineEndSplit = joinedBytes.last == 0x0D && ending.first == 0x0A
    return gap + joinedBytes + (isLineEndSplit ? [0x0D, 0x0A] : ending)
  }

  /// The gap between a title and the first text: one blank line, or the existing ones. The last of
  /// several is the end of the text.
  private func firstGap(_ gap: ArraySlice<UInt8>, _ end: [UInt8]) -> [UInt8] {
    let start = titleLines.upperBound
    if start == 0 || text.headerKind == .none && titleLines.isEmpty { return Array(gap) }
    let closing = text.bytes[start - 1] == 0x0A ? [] : end
    guard !gap.isEmpty else { return closing + end }
    let last = textLines(of: gap).dropLast().last?.words.lowerBound ?? start
    return Array(last > start ? gap[..<last] : gap)
  }

  /// The lines of a new body; the first and last lines that are unchanged are the old body's bytes.
  private func joinedLines(_ new: [Line], of typed: [UInt8], _ end: [UInt8]) -> [UInt8] {
    let (bytes, old) = (text.bytes, textLines(of: text.bytes[shownRange]))
    let isSame: (Line, Line) -> Bool = { typed[$0.words].elementsEqual(bytes[$1.words]) }
    let most = min(new.count, old.count)
    var (first, last) = (0, 0)
    while first < most, isSame(new[first], old[first]) { first += 1 }
    while last < most - first, isSame(new[new.count - 1 - last], old[old.count - 1 - last]) {
      last += 1
    }
    var result: [UInt8] = []
    for (index, line) in new.enumerated() {
      result += typed[line.words]
      if index == new.count - 1 { break }
      // A changed line keeps its line end as well.
      let isLast = index >= new.count - last
      let position = isLast ? old.count - new.count + index : index
      let own = isLast || index < old.count - last ? old[position] : nil
      let oldEnding = own.map { bytes[$0.ending] } ?? []
      let ending = oldEnding.isEmpty ? end[...] : oldEnding
      // CR and LF next to each other would be one line end.
      result += result.last == 0x0D && ending.first == 0x0A ? [0x0D, 0x0A] : ending
    }
    return result
  }

  /// Adds one blank if the first line would begin a header.
  private func bytesWithoutHeaderStart(_ bytes: [UInt8]) -> [UInt8] {
    let start = text.bodyRange.lowerBound
    let changed = EntryText(bytes)
    guard text.headerKind == .none,
      changed.headerKind != .none || changed.bodyRange.lowerBound != start
    else { return bytes }
    let line = afterBlankLines(bytes, from: start)
    return bytes[..<line] + [0x20] + bytes[line...]
  }
}

extension EditableText: Equatable {
  /// True if both show the same parts of the same bytes.
  package static func == (left: EditableText, right: EditableText) -> Bool {
    left.text == right.text && left.titleLocation == right.titleLocation
      && left.title == right.title
  }
}

extension EditableText.ReadOnlyReason: CustomStringConvertible {
  /// One sentence without the file's name, which the caller adds.
  package var description: String {
    switch self {
    case .encoding: FrontMatterError.notUTF8.description
    case .damaged: localized("the text has characters that an entry cannot contain")
    case .foreignHeader:
      localized("the header is TOML or JSON, which Diary reads but never rewrites")
    case .unreadableHeader: FrontMatterError.unreadableHeader.description
    case .tooLarge: localized("the file is larger than 1 MB")
    }
  }
}

/// The ranges of a line without its end, and of its end.
private typealias Line = (words: Range<Int>, ending: Range<Int>)

/// The lines of a text, at least one; the last has no end. CR, LF and CRLF are each one line end.
private func textLines(of bytes: ArraySlice<UInt8>) -> [Line] {
  var found: [Line] = []
  var (start, at) = (bytes.startIndex, bytes.startIndex)
  while at < bytes.endIndex {
    guard bytes[at] == 0x0A || bytes[at] == 0x0D else {
      at += 1
      continue
    }
    let isPair = bytes[at] == 0x0D && at + 1 < bytes.endIndex && bytes[at + 1] == 0x0A
    found.append((start..<at, at..<(at + (isPair ? 2 : 1))))
    at += isPair ? 2 : 1
    start = at
  }
  found.append((start..<at, at..<at))
  return found
}

/// The index after the blank lines at the start. Blanks without a line end are not a blank line.
private func afterBlankLines(_ bytes: [UInt8], from start: Int) -> Int {
  let first = bytes[start...].firstIndex { !isBlank($0) } ?? bytes.count
  return bytes[start..<first].lastIndex { $0 == 0x0A || $0 == 0x0D }.map { $0 + 1 } ?? start
}

private func lineEndLength(_ bytes: [UInt8], before end: Int) -> Int {
  guard end > 0, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D else { return 0 }
  return end > 1 && bytes[end - 1] == 0x0A && bytes[end - 2] == 0x0D ? 2 : 1
}

/// The text of a heading, without its marks.
private func headingTextRange(_ bytes: [UInt8], _ lines: Range<Int>) -> Range<Int> {
  let line = lines.lowerBound..<lineEnd(bytes, lines.lowerBound)
  let all = trimmedRange(bytes[...], line)
  // An underlined heading has no marks in its own line.
  guard line.upperBound == lines.upperBound else { return all }
  let textRange = trimmedRange(bytes[...], (all.lowerBound + 1)..<all.upperBound)
  let last = bytes[textRange].lastIndex { $0 != UInt8(ascii: "#") }
  guard let last, last + 1 < textRange.upperBound, isBlank(bytes[last]) else { return textRange }
  return trimmedRange(bytes[...], textRange.lowerBound..<last)
}
