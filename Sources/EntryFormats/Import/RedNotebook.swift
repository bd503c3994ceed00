import DiaryCore
import Foundation
import Localization
import Yams

/// Reads a month file of RedNotebook, `YYYY-MM.txt`: YAML with a number for each day, its `text` in
/// txt2tags, and its categories.
func readRedNotebook(
  _ bytes: [UInt8], file: String, _ options: ImportOptions, into batch: inout ImportedBatch
) throws(ImportError) {
  let stem = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
  let numbers = stem.split(separator: "-").compactMap { Int($0) }
  guard numbers.count == 2 else {
    throw ImportError(line: 1, localized("the file name is not a month, such as 2025-01.txt"))
  }
  let root: Node?
  do { root = try Yams.compose(yaml: String(decoding: bytes, as: UTF8.self)) } catch {
    var line = 1
    if case YamlError.parser(_, _, let mark, _) = error { line = mark.line }
    if case YamlError.scanner(_, _, let mark, _) = error { line = mark.line }
    throw ImportError(
      line: max(1, line),
      localized(
        "this is not YAML in the form that RedNotebook writes"))
  }
  guard let root else { return }
  guard let days = root.mapping else {
    throw ImportError(line: 1, localized("this is not YAML in the form that RedNotebook writes"))
  }
  for pair in days {
    let line = pair.key.mark?.line ?? 1
    guard let number = pair.key.scalar.flatMap({ Int($0.string) }),
      let day = Day(year: numbers[0], month: numbers[1], day: number)
    else {
      throw ImportError(
        line: line, localized("\(pair.key.scalar?.string ?? "?") is not a day of \(stem)"))
    }
    // RedNotebook writes a mapping. A text alone is what a person may have written.
    let values = pair.value.mapping.map { Array($0) } ?? [(key: Node("text"), value: pair.value)]
    var entry = ImportedEntry()
    (entry.file, entry.line) = (file, line)
    entry.date = EntryDate(wallClock: day, seconds: nil, zone: options.zone)
    entry.writtenDate = "\(day)"
    (entry.sourceID, entry.hasDateBasedID) = ("rednotebook/\(day)", true)
    for value in values {
      guard let key = value.key.scalar?.string else { continue }
      if key == "text" {
        entry.body = value.value.isNull ? "" : value.value.scalar?.string ?? ""
        continue
      }
      var items: [String] = []
      // A few lines of YAML with aliases can stand for more nodes than fit in memory.
      var maxNodes = 100_000
      value.value.appendTexts(to: &items, &maxNodes)
      guard maxNodes > 0 else {
        throw ImportError(
          line: value.key.mark?.line ?? line,
          localized("this is not YAML in the form that RedNotebook writes"))
      }
      if key == "Tags" || items.isEmpty {
        entry.tags += key == "Tags" ? items : [key]
      } else {
        entry.fields.append(ImportedField(headerKey(key), .list(items)))
      }
    }
    if trimmed(entry.body).isEmpty, entry.tags.isEmpty, entry.fields.isEmpty { continue }
    entry.body = markdown(txt2tags: entry.body, &entry.attachments, &batch)
    batch.entries.append(entry)
  }
}

/// Returns RedNotebook's dialect of txt2tags as Markdown.
func markdown(
  txt2tags text: String, _ attachments: inout [ImportedAttachment], _ batch: inout ImportedBatch
) -> String {
  var result: [String] = []
  var isVerbatim = false
  var isInTable = false
  for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
    let bare = trimmed(line)
    if bare == "```" { isVerbatim.toggle() }
    if isVerbatim || bare == "```" {
      result.append(line)
      continue
    }
    if let heading = txt2tagsHeading(bare) {
      result.append(heading)
      continue
    }
    if bare.count >= 20, let sign = bare.first, "=-_".contains(sign),
      bare.allSatisfy({ $0 == sign })
    {
      result.append("---")
      continue
    }
    let isRow = bare.hasPrefix("| ") || bare.hasPrefix("|| ")
    if isRow {
      let cells = bare.drop { $0 == "|" }.split(separator: "|", omittingEmptySubsequences: false)
        .map { txt2tagsInline(trimmed($0), &attachments, &batch) }
      let filledCells = cells.last?.isEmpty == true ? cells.dropLast() : cells[...]
      result.append("| " + filledCells.joined(separator: " | ") + " |")
      if !isInTable { result.append("|" + filledCells.map { _ in " --- |" }.joined()) }
      isInTable = true
      continue
    }
    isInTable = false
    var changed = line
    let indent = line.prefix { $0 == " " }
    if line.dropFirst(indent.count).hasPrefix("+ ") {
      changed = indent + "1. " + line.dropFirst(indent.count + 2)
    }
    // Two backslashes at the end are a line break, which is one backslash in Markdown.
    if changed.hasSuffix("\\\\") { changed.removeLast() }
    result.append(txt2tagsInline(changed, &attachments, &batch))
  }
  return result.joined(separator: "\n")
}

private func txt2tagsHeading(_ line: String) -> String? {
  for sign in ["=", "+"] as [Character] {
    let level = line.prefix { $0 == sign }.count
    guard (1...5).contains(level) else { continue }
    var remaining = line.dropFirst(level)
    // A label after the heading, `[label]`, has no meaning in Markdown.
    if remaining.hasSuffix("]"), let open = remaining.lastIndex(of: "["),
      remaining[..<open].hasSuffix(String(sign))
    {
      remaining = remaining[..<open]
    }
    guard remaining.hasSuffix(String(repeating: sign, count: level)) else { continue }
    let text = trimmed(remaining.dropLast(level))
    guard !text.isEmpty, text.first != sign, text.last != sign else { continue }
    return String(repeating: "#", count: level) + " " + text
  }
  return nil
}

/// Converts emphasis, pictures and links of one line, not marks in code, raw text or addresses.
private func txt2tagsInline(
  _ line: String, _ attachments: inout [ImportedAttachment], _ batch: inout ImportedBatch
) -> String {
  var result = ""
  var remaining = Substring(line)
  while let character = remaining.first {
    if remaining.hasPrefix("``"), let (inside, after) = enclosedText(remaining, "``") {
      result += "`" + inside + "`"
      remaining = after
    } else if remaining.hasPrefix("[\"\""), let close = remaining.range(of: "]"),
      let picture = redNotebookPicture(remaining[..<close.upperBound])
    {
      result += picture.placeholder
      attachments.append(picture)
      remaining = remaining[close.upperBound...]
    } else if character == "[", let close = remaining.firstIndex(of: "]"),
      let link = redNotebookLink(remaining[remaining.index(after: remaining.startIndex)..<close])
    {
      result += link
      remaining = remaining[remaining.index(after: close)...]
    } else if remaining.hasPrefix("\"\""), let (inside, after) = enclosedText(remaining, "\"\"") {
      result += inside
      remaining = after
    } else if let scheme = ["http://", "https://", "file://", "ftp://"].first(
      where: remaining.hasPrefix)
    {
      let address = remaining.prefix { !$0.isBlank }
      result += address.count > scheme.count ? address : Substring(scheme)
      remaining = remaining[address.endIndex...]
    } else if remaining.hasPrefix("//"), let (inside, after) = enclosedText(remaining, "//") {
      result += "*" + inside + "*"
      remaining = after
    } else if remaining.hasPrefix("--"), let (inside, after) = enclosedText(remaining, "--") {
      result += "~~" + inside + "~~"
      remaining = after
    } else if remaining.hasPrefix("__"), let (inside, after) = enclosedText(remaining, "__") {
      result += "_" + inside + "_"
      batch.addSkipped(localized("underlining, now emphasis"))
      remaining = after
    } else {
      result.append(character)
      remaining.removeFirst()
    }
  }
  return result
}

/// Returns the text between two marks and the text after them. Both marks must touch words.
private func enclosedText(_ text: Substring, _ mark: String) -> (Substring, Substring)? {
  let start = text.index(text.startIndex, offsetBy: mark.count)
  guard start < text.endIndex, !text[start].isWhitespace,
    let end = text[text.index(after: start)...].range(of: mark),
    !text[text.index(before: end.lowerBound)].isWhitespace
  else { return nil }
  return (text[start..<end.lowerBound], text[end.upperBound...])
}

/// Parses `[""file:///home/me/snow"".jpg?400]`.
private func redNotebookPicture(_ text: Substring) -> ImportedAttachment? {
  let inside = text.dropFirst(3).dropLast()
  guard let quote = inside.range(of: "\"\"") else { return nil }
  let ending = inside[quote.upperBound...].prefix { $0 != "?" }
  guard ending.hasPrefix(".") else { return nil }
  var path = inside[..<quote.lowerBound] + ending
  if path.hasPrefix("file://") { path = path.dropFirst(7) }
  let name = lastComponent(path)
  return ImportedAttachment(
    names: [String(path), name], fileName: name,
    placeholder: "![](" + path.replacing(" ", with: "%20") + ")")
}

/// Parses `the lake ""https://example.org/lake""`.
private func redNotebookLink(_ inside: Substring) -> String? {
  guard inside.hasSuffix("\"\""), let open = inside.range(of: " \"\"") else { return nil }
  let address = inside[open.upperBound...].dropLast(2)
  let name = inside[..<open.lowerBound]
  guard !address.isEmpty, !name.isEmpty else { return nil }
  return "[" + name + "](" + address.replacing(" ", with: "%20") + ")"
}

extension Node {
  /// Appends the texts of a category. RedNotebook writes a mapping without values, or a list; of
  /// deeper lists and mappings, all texts are kept.
  fileprivate func appendTexts(to texts: inout [String], _ maxNodes: inout Int) {
    maxNodes -= 1
    guard maxNodes > 0, !isNull else { return }
    switch self {
    case .scalar(let scalar): texts.append(scalar.string)
    case .sequence(let items): for item in items { item.appendTexts(to: &texts, &maxNodes) }
    case .mapping(let pairs):
      for pair in pairs {
        pair.key.appendTexts(to: &texts, &maxNodes)
        pair.value.appendTexts(to: &texts, &maxNodes)
      }
    case .alias: break
    }
  }

  /// True for an empty value, `null` or `~` without quotes.
  fileprivate var isNull: Bool { tag == Tag(.null) }
}
