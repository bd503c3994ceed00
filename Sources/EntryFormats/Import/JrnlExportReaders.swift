import DiaryCore
import Foundation
import Localization

/// Reads jrnl's JSON export: `{"tags": …, "entries": [{"title", "body", "date", "time", "tags",
/// "starred"}]}`.
func readJrnlJSON(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedBatch {
  var batch = ImportedBatch()
  try readEntries(of: bytes, under: "entries") { (value, line, error) throws(ImportError) in
    var entry = ImportedEntry()
    guard let day = value["date"]?.text else { throw error(localized("\"date\" is missing")) }
    entry.writtenDate = day + (value["time"]?.text.map { " " + $0 } ?? "")
    entry.date = EntryDate(reading: entry.writtenDate, zone: options.zone)
    guard entry.date != nil else {
      throw error(localized("\"date\" is \(entry.writtenDate), which is not a date"))
    }
    entry.title = value["title"]?.text ?? ""
    entry.body = value["body"]?.text ?? ""
    entry.isStarred = value["starred"]?.isTrue ?? false
    let tags = value["tags"]?.items.compactMap(\.text) ?? []
    entry.tags = tags.filter { $0.hasPrefix("@") || !entry.body.contains($0) }
      .map { String($0.drop { "@#".contains($0) }) }
    value.appendOtherFields(
      than: ["title", "body", "date", "time", "tags", "starred"], to: &entry)
    entry.line = line
    batch.entries.append(entry)
  }
  return batch
}

/// Reads a list, or an object with the list under a key. Only one item at a time is in memory.
func readEntries(
  of bytes: [UInt8], under key: String,
  _ each: (JSONValue, _ line: Int, _ error: (String) -> ImportError) throws(ImportError) -> Void
) throws(ImportError) {
  var reader = try JSONReader(bytes)
  var count = 0
  func items(_ reader: inout JSONReader) throws(ImportError) {
    _ = try reader.array { (reader) throws(ImportError) in
      count += 1
      reader.position = count
      let start = reader.offset
      let line = reader.line(at: start)
      let value = try reader.value()
      guard case .object = value else {
        throw reader.error(localized("an entry is \(value.kind), not an object"), at: start)
      }
      let entryReader = reader
      try each(value, line) { entryReader.error($0, at: start) }
      reader.position = nil
    }
  }
  if reader.next == UInt8(ascii: "[") {
    try items(&reader)
  } else {
    try reader.forEachMember { (reader, name) throws(ImportError) in
      if name == key { try items(&reader) } else { _ = try reader.value() }
    }
  }
  try reader.end()
}

extension JSONValue {
  /// Adds the members that are not in `known` to the entry's header fields.
  func appendOtherFields(than known: Set<String>, to entry: inout ImportedEntry) {
    guard case .object(let members) = self else { return }
    for member in members where !known.contains(member.key) {
      member.value.appendFields(member.key, to: &entry.fields)
    }
  }
}

extension ImportedEntry {
  /// Adds a list of tags. Other values than texts and numbers become header fields.
  mutating func addTags(_ value: JSONValue?) {
    guard case .array(let items)? = value else {
      value?.appendFields("tags", to: &fields)
      return
    }
    for item in items {
      switch item {
      case .string(let text): if !trimmed(text).isEmpty { tags.append(text) }
      case .number(let digits): tags.append(digits)
      default: item.appendFields("tags", to: &fields)
      }
    }
  }

  /// Adds the members of a weather, except the given ones and the words that the field `weather`
  /// already has.
  mutating func addWeatherFields(_ members: [JSONMember], except known: [String]) {
    for member in members where !known.contains(member.key) {
      if let text = member.value.text, weather?.contains(text) == true { continue }
      member.value.appendFields("weather_" + member.key, to: &fields)
    }
  }
}

/// Reads jrnl's Markdown export. An entry is a heading `### DATE TITLE` below year and month; in a
/// folder, `# DATE TITLE`. Headings of the text are one level deeper than written.
func readJrnlMarkdown(
  _ bytes: [UInt8], _ options: ImportOptions, file: String, into batch: inout ImportedBatch
) {
  let lines = TextLines(bytes)
  var (head, text): (ImportedEntry?, [String]) = (nil, [])
  func close(isFollowed: Bool = false) {
    // The headings of a year and a month are above the next date.
    while isFollowed, let last = text.last, trimmed(last).isEmpty || isPeriodHeading(last) {
      text.removeLast()
    }
    guard var entry = head else {
      let body = text.joined().withoutBlankEdges
      if !body.isEmpty { batch.entries.append(undatedEntry(body, file: file)) }
      return
    }
    let body = text.map { line in
      let hashes = line.prefix { $0 == "#" }.count
      return hashes > 1 && line.dropFirst(hashes).first == " " ? String(line.dropFirst()) : line
    }
    let read = jrnlEntry(entry.title + "\n" + body.joined())
    (entry.body, entry.tags) = (read.body, read.tags)
    batch.entries.append(entry)
  }
  lines.forEach { range, number in
    let line = lines.text(range)
    let hashes = line.prefix { $0 == "#" }.count
    if hashes == 1 || hashes == 3, line.dropFirst(hashes).first == " " {
      let heading = trimmed(line.dropFirst(hashes + 1))
      if let (written, date, title) = datedHeading(heading, options.zone) {
        close(isFollowed: true)
        var entry = ImportedEntry()
        (entry.writtenDate, entry.date, entry.title) = (written, date, title)
        (entry.file, entry.line) = (file, number)
        (head, text) = (entry, [])
        return
      }
    }
    text.append(line)
  }
  close()
}

/// Returns whether a line is the heading of a year or a month of jrnl.
private func isPeriodHeading(_ line: String) -> Bool {
  let hashes = line.prefix { $0 == "#" }.count
  let name = trimmed(line.dropFirst(hashes))
  if hashes == 1 { return name.count == 4 && name.allSatisfy(\.isNumber) }
  let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  return hashes == 2 && months.contains(name)
}

/// Parses `2025-01-01 09:00 First snow.`, also with seconds and AM or PM, as date and title.
func datedHeading(_ text: String, _ zone: TimeZone) -> (String, EntryDate, String)? {
  let parts = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
  guard let first = parts.first, first.count >= 8, first.first?.isNumber == true else { return nil }
  var count = 1
  if parts.count > 1, parts[1].contains(":"), parts[1].allSatisfy({ $0.isNumber || $0 == ":" }) {
    count = parts.count > 2 && ["AM", "PM"].contains(parts[2]) ? 3 : 2
  }
  let written = parts[..<count].joined(separator: " ")
  guard written.allSatisfy({ $0.isNumber || " :-./APM".contains($0) }),
    let date = EntryDate(reading: written, zone: zone)
  else { return nil }
  return (written, date, trimmed(parts[count...].joined(separator: " ")))
}

/// Reads one file of jrnl's YAML export: a header with the text in its last field, `body: |`, each
/// line after a tab. jrnl omits lines with only tags from it, but lists their tags.
func readJrnlYAML(
  _ bytes: [UInt8], _ options: ImportOptions, file: String
) throws(ImportError) -> ImportedEntry {
  var entry = ImportedEntry()
  entry.file = file
  var body: String?
  let lines = TextLines(bytes)
  lines.forEach { range, _ in
    let line = lines.text(range)
    if body != nil {
      // jrnl starts each line with a tab, and ends the file with "...".
      if line.hasPrefix("\t") {
        body? += line.dropFirst()
      } else if trimmed(line) != "..." {
        body? += line
      }
      return
    }
    guard let colon = line.firstIndex(of: ":") else { return }
    let value = trimmed(line[line.index(after: colon)...])
    switch line[..<colon] {
    case "title": entry.title = value
    case "date": entry.writtenDate = value
    case "starred": entry.isStarred = value == "True"
    case "tags":
      entry.tags = value.split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty }
    case "body": body = ""
    default:
      if !value.isEmpty {
        entry.fields.append(ImportedField(headerKey(String(line[..<colon])), .text(value)))
      }
    }
  }
  entry.date = EntryDate(reading: entry.writtenDate, zone: options.zone)
  guard entry.date != nil else {
    throw ImportError(line: 3, localized("\"date\" is \(entry.writtenDate), which is not a date"))
      .inFile(file)
  }
  var text = ""
  for line in (body ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
    let hashes = line.prefix { $0 == "#" }.count
    text += (hashes > 1 && line.dropFirst(hashes).first == " " ? line.dropFirst() : line) + "\n"
  }
  entry.body = text.withoutBlankEdges
  let inText = Set(jrnlTags(entry.body, symbols: "#").map { $0.lowercased() })
  entry.tags.removeAll { inText.contains($0.lowercased()) }
  return entry
}
