import DiaryCore
import Foundation
import Localization

/// Reads a file of org-journal: a day, week, month or year. A heading of level 1 is a day, one of
/// level 2 an entry with its time. Text directly below a day is also an entry, and the words of the
/// day's heading are its title.
func readOrgJournal(
  _ bytes: [UInt8], file: String, _ options: ImportOptions
) throws(ImportError) -> [ImportedEntry] {
  var entries: [ImportedEntry] = []
  let stem = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
  var day = EntryDate(reading: stem, zone: options.zone)?.date
  var open: ImportedEntry?
  /// The words of a heading of level 1, until the next line decides if they are a title.
  var dayHeading: (text: String, line: Int)?
  var (isInDrawer, isInBlock) = (false, false)
  var failed: ImportError?
  func close() {
    guard var entry = open else { return }
    entry.body = markdown(org: entry.body.replacing("\r\n", with: "\n")).withoutBlankEdges
    if !entry.title.isEmpty || !entry.body.isEmpty || !entry.tags.isEmpty { entries.append(entry) }
    open = nil
  }
  func startEntry(_ title: String, seconds: Int?, line: Int) {
    close()
    var entry = ImportedEntry()
    (entry.file, entry.line) = (file, line)
    let (heading, tags) = orgTitle(title)
    (entry.title, entry.tags) = (markdown(org: heading), tags)
    guard let day else {
      failed = failed ?? ImportError(line: line, localized("there is no date above this entry"))
      return
    }
    entry.date = EntryDate(wallClock: day, seconds: seconds, zone: options.zone)
    entry.writtenDate = "\(day)" + (seconds.map { " \($0)" } ?? "")
    open = entry
  }
  func startHeading(_ text: String, line: Int) {
    dayHeading = nil
    let clock = text.prefix { $0.isNumber || $0 == ":" }
    let seconds = orgClock(clock)
    startEntry(
      seconds == nil ? text : trimmed(text.dropFirst(clock.count)), seconds: seconds, line: line)
  }
  func endDayHeading() {
    if let heading = dayHeading { startHeading(heading.text, line: heading.line) }
  }
  let lines = TextLines(bytes)
  lines.forEach { range, number in
    let line = lines.text(range)
    let bare = trimmed(line)
    if bare.lowercased().hasPrefix("#+begin_") { isInBlock = true }
    if bare.lowercased().hasPrefix("#+end_") { isInBlock = false }
    let stars = isInBlock ? 0 : line.prefix { $0 == "*" }.count
    let isHeading = stars > 0 && line.dropFirst(stars).first == " "
    if isHeading { isInDrawer = false }
    if isHeading, stars == 1 {
      endDayHeading()
      close()
      let text = trimmed(line.dropFirst(1))
      let written = String(text.drop { !$0.isNumber })
      let date = EntryDate(reading: written, zone: options.zone)
      day = date?.date ?? day
      let words = date == nil ? text : EntryDate.words(afterDateIn: written)
      dayHeading = words.isEmpty ? nil : (text: words, line: number)
      return
    }
    if isHeading, stars == 2 {
      startHeading(trimmed(line.dropFirst(2)), line: number)
      return
    }
    if bare == ":PROPERTIES:" { isInDrawer = true; return }
    if isInDrawer {
      if bare == ":END:" { isInDrawer = false; return }
      if let (key, value) = orgProperty(bare) {
        if key == "CREATED", let read = EntryDate(reading: value, zone: options.zone) {
          if open == nil {
            day = read.date
            dayHeading = nil
          }
        } else if !value.isEmpty {
          open?.fields.append(ImportedField(headerKey(key.lowercased()), .text(value)))
        }
        return
      }
      // Another line ends the drawer.
      isInDrawer = false
    }
    if line.hasPrefix("#+"), open == nil, !bare.lowercased().hasPrefix("#+begin_") {
      if bare.lowercased().hasPrefix("#+title:"), day == nil {
        day = EntryDate(reading: trimmed(bare.dropFirst(8)), zone: options.zone)?.date
      }
      return
    }
    if open == nil {
      if bare.isEmpty { return }
      endDayHeading()
      if open == nil { startEntry("", seconds: nil, line: number) }
    }
    open?.body += isHeading ? String(line.dropFirst(1)) : line
  }
  endDayHeading()
  close()
  if let failed { throw failed }
  return entries
}

/// Parses `:KEY: value`.
private func orgProperty(_ line: String) -> (key: String, value: String)? {
  let inner = line.dropFirst()
  guard line.hasPrefix(":"), let colon = inner.firstIndex(of: ":"), colon > inner.startIndex else {
    return nil
  }
  return (String(inner[..<colon]), trimmed(inner[inner.index(after: colon)...]))
}

private func orgClock(_ text: Substring) -> Int? {
  let parts = text.split(separator: ":").compactMap { Int($0) }
  guard text.contains(":"), parts.count >= 2, parts[0] < 24, parts[1] < 60 else { return nil }
  return parts[0] * 3600 + parts[1] * 60 + (parts.count > 2 ? min(parts[2], 59) : 0)
}

/// Returns the text of a heading and the tags `:a:b:` at its end.
private func orgTitle(_ text: String) -> (String, [String]) {
  guard text.hasSuffix(":"), let start = text.range(of: " :", options: .backwards) else {
    return text.hasPrefix(":") && text.hasSuffix(":") && text.count > 2
      ? ("", text.split(separator: ":").map(String.init)) : (text, [])
  }
  let tags = text[start.upperBound...].split(separator: ":")
  guard !tags.isEmpty, tags.allSatisfy({ !$0.contains(" ") }) else { return (text, []) }
  return (trimmed(text[..<start.lowerBound]), tags.map(String.init))
}

/// Returns Org markup as Markdown: headings, emphasis, code, links, lists and quotations. Markup
/// without a counterpart is unchanged.
func markdown(org text: String) -> String {
  var result = ""
  var isCode = false
  for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
    let bare = trimmed(line)
    let low = bare.lowercased()
    if low.hasPrefix("#+begin_src") || low.hasPrefix("#+begin_example") {
      isCode = true
      let language =
        low.hasPrefix("#+begin_src") ? trimmed(bare.dropFirst(11)).prefix { !$0.isWhitespace } : ""
      result += "```" + language + "\n"
    } else if low.hasPrefix("#+end_src") || low.hasPrefix("#+end_example") {
      isCode = false
      result += "```\n"
    } else if isCode {
      result += line + "\n"
    } else if low == "#+begin_quote" || low == "#+end_quote" {
      result += "\n"
    } else {
      let stars = line.prefix { $0 == "*" }.count
      if stars > 0, line.dropFirst(stars).first == " " {
        result +=
          String(repeating: "#", count: min(stars, 6)) + orgInline(line.dropFirst(stars)) + "\n"
      } else {
        result += orgInline(line.replacing("- [X]", with: "- [x]")) + "\n"
      }
    }
  }
  return result.hasSuffix("\n") ? String(result.dropLast()) : result
}

private func orgInline(_ line: some StringProtocol) -> String {
  let marks: [Character: String] = ["*": "**", "/": "*", "=": "`", "~": "`", "+": "~~"]
  var text = String(line)
  // Links, [[target][words]] and [[target]], are one character each while marks are replaced, so
  // that their targets are not changed.
  let placeholder: Character = "\u{1}"
  var links: [String] = []
  while let open = text.range(of: "[["),
    let end = text.range(of: "]]", range: open.upperBound..<text.endIndex)
  {
    let inside = text[open.upperBound..<end.lowerBound]
    let parts = inside.split(separator: "][", maxSplits: 1).map(String.init)
    var target = parts.first ?? ""
    if target.hasPrefix("file:") { target = String(target.dropFirst(5)) }
    links.append(
      parts.count > 1
        ? "[\(emphasis(parts[1], marks))](\(target))"
        : isPictureName(target) ? "![](\(target))" : "<\(target)>")
    text.replaceSubrange(open.lowerBound..<end.upperBound, with: String(placeholder))
  }
  var remaining = links.makeIterator()
  return emphasis(text, marks).map { character in
    character == placeholder ? remaining.next() ?? String(character) : String(character)
  }.joined()
}

/// Replaces marks around words. The first must be after a blank and before a letter, the second
/// after a letter and before a blank or punctuation.
func emphasis(_ text: String, _ marks: [Character: String]) -> String {
  let characters = Array(text)
  var result = ""
  var index = 0
  while index < characters.count {
    let sign = characters[index]
    let before = index == 0 ? " " : characters[index - 1]
    if let mark = marks[sign], before.isWhitespace || "('\"-{".contains(before),
      index + 1 < characters.count, !characters[index + 1].isWhitespace,
      characters[index + 1] != sign,
      let end = closingMark(characters, sign, from: index + 1)
    {
      result += mark + String(characters[(index + 1)..<end]) + mark
      index = end + 1
    } else {
      result.append(sign)
      index += 1
    }
  }
  return result
}

private func closingMark(_ characters: [Character], _ sign: Character, from start: Int) -> Int? {
  // A mark that is not closed within this number of characters is plain text.
  for index in start..<min(characters.count, start + 2000) where characters[index] == sign {
    let next = index + 1 < characters.count ? characters[index + 1] : " "
    if index > start, !characters[index - 1].isWhitespace,
      next.isWhitespace || ".,;:!?'\")}-".contains(next)
    {
      return index
    }
  }
  return nil
}
