import DiaryCore
import Foundation
import Localization

/// Reads tui-journal: the file of its JSON backend, a list of entries, or its export, which wraps
/// it in an object with a version. Dates are in UTC.
func readTuiJournal(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError)
  -> [ImportedEntry]
{
  var entries: [ImportedEntry] = []
  try readEntries(of: bytes, under: "entries") { (value, line, error) throws(ImportError) in
    var entry = ImportedEntry()
    entry.line = line
    guard let written = value["date"]?.text else { throw error(localized("\"date\" is missing")) }
    guard let utc = EntryDate(reading: written, zone: .gmt) else {
      throw error(localized("\"date\" is \(written), which is not a date"))
    }
    entry.writtenDate = written
    entry.date = EntryDate(instant: utc.instant, zone: options.zone)
    entry.title = value["title"]?.text.map(withSingleBlanks) ?? ""
    entry.body = value["content"]?.text ?? ""
    entry.addTags(value["tags"])
    value.appendOtherFields(than: ["id", "date", "title", "content", "tags"], to: &entry)
    entries.append(entry)
  }
  assignSourceIDs(&entries, program: "tui-journal")
  return entries
}

/// Reads Journey: a zip with a JSON file and the photos of each entry. Texts are HTML or Markdown.
/// Unknown numbers have the largest possible value.
func readJourney(
  _ bytes: [UInt8], file: String, _ options: ImportOptions
) throws(ImportError) -> ImportedEntry {
  var reader = try JSONReader(bytes)
  let value = try reader.value()
  try reader.end()
  func error(_ reason: String) -> ImportError { reader.error(reason, at: 0) }
  var entry = ImportedEntry()
  entry.file = file
  guard case .number(let digits)? = value["date_journal"], let moment = UnixMoment(digits) else {
    throw error(localized("\"date_journal\" is missing or not a time"))
  }
  let zoneName = value["timezone"]?.text
  let zone = zoneName.flatMap { TimeZone(identifier: $0) } ?? options.zone
  entry.date = EntryDate(instant: moment.seconds, zone: zone)
  entry.writtenDate = digits + (zoneName ?? "")
  let text = value["text"]?.text ?? ""
  if value["type"]?.text == "html" {
    entry.setBody(try HTMLMarkdown.parse(text))
    let (heading, body) = splitHeading(entry.body)
    // A title is not Markdown.
    let title = MarkdownText.inlineText(of: MarkdownText("# " + heading).events)
    (entry.title, entry.body) = (withSingleBlanks(title), body)
  } else {
    (entry.title, entry.body) = splitHeading(text)
  }
  entry.addTags(value["tags"])
  entry.isStarred = value["favourite"]?.isTrue ?? false
  entry.sourceID = value["id"]?.text.map { "journey/" + withSingleBlanks($0) }
  if let zoneName { entry.fields.append(ImportedField("timezone", .text(zoneName))) }
  let weather = value["weather"]
  let degrees = celsius(weather?["degree_c"]?.double)
  let words = weather?["description"]?.text.map(withSingleBlanks)
  if words != nil || degrees != nil {
    entry.weather = ImportedWeather(conditionText: words, celsius: degrees)
  }
  let names = ["label", "address"].compactMap { value[$0]?.text.map(withSingleBlanks) }
  let point = coordinates(value["lat"]?.double, value["lon"]?.double)
  entry.place = names.first ?? point
  if let point, !names.isEmpty { entry.fields.append(ImportedField("coordinates", .text(point))) }
  if names.count == 2, names[0] != names[1] {
    entry.fields.append(ImportedField("address", .text(names[1])))
  }
  for photo in value["photos"]?.items.compactMap(\.text) ?? [] {
    entry.attachments.append(ImportedAttachment(names: [photo], fileName: photo))
  }
  guard case .object(let members) = value else { return entry }
  let used = [
    "id", "date_journal", "timezone", "text", "preview_text", "type", "tags", "favourite",
    "weather",
    "label", "address", "lat", "lon", "photos", "version",
  ]
  for member in members
  where !used.contains(member.key) && member.value != unknownJourneyValues[member.key] {
    member.value.appendFields(member.key, to: &entry.fields)
  }
  if case .object(let members)? = weather {
    let hasNoIcon = weather?["id"] == .number("-1")
    entry.addWeatherFields(members, except: ["degree_c"] + (hasNoIcon ? ["id"] : []))
  }
  return entry
}

/// The numbers that Journey writes where the user has chosen nothing.
private let unknownJourneyValues = ["mood": JSONValue.number("0"), "sentiment": .number("0")]

/// Reads Diarium's JSON: a list of `{"date", "heading", "html", …}`. Dates are local times.
func readDiarium(
  _ bytes: [UInt8], mediaOf media: [String], _ options: ImportOptions
) throws(ImportError) -> [ImportedEntry] {
  var entries: [ImportedEntry] = []
  try readEntries(of: bytes, under: "entries") { (value, line, error) throws(ImportError) in
    var entry = ImportedEntry()
    entry.line = line
    guard let written = value["date"]?.text else { throw error(localized("\"date\" is missing")) }
    entry.date = EntryDate(reading: written, zone: options.zone)
    guard let date = entry.date else {
      throw error(localized("\"date\" is \(written), which is not a date"))
    }
    entry.writtenDate = written
    entry.title = value["heading"]?.text.map(withSingleBlanks) ?? ""
    if let html = value["html"]?.text {
      entry.setBody(try HTMLMarkdown.parse(html))
    } else {
      entry.body = value["text"]?.text ?? ""
    }
    entry.addTags(value["tags"])
    let point = value["location"]?.items.compactMap(\.double) ?? []
    entry.place =
      point.count == 2
      ? coordinates(point[0], point[1]) : value["location"]?.text.map(withSingleBlanks)
    if entry.place == nil { value["location"]?.appendFields("location", to: &entry.fields) }
    // Media files are in folders that are named by the entry's date and time.
    let day = date.date.description
    let clock = date.clock?.replacing(":", with: "") ?? ""
    for name in media {
      let folder = ((name as NSString).deletingLastPathComponent as NSString).lastPathComponent
      guard folder.hasPrefix(day), folder == day || folder.hasPrefix(day + "_" + clock) else {
        continue
      }
      entry.attachments.append(
        ImportedAttachment(names: [name], fileName: (name as NSString).lastPathComponent))
    }
    value.appendOtherFields(
      than: ["date", "heading", "html", "text", "tags", "location"], to: &entry)
    entries.append(entry)
  }
  assignSourceIDs(&entries, program: "diarium")
  return entries
}

/// Reads Diary's own JSON (docs/export.md): the file of each entry is its header and body, or its
/// bytes. Attachments are in the JSON as Base64.
func readDiaryJSON(_ bytes: [UInt8]) throws(ImportError) -> [ImportedEntry] {
  var entries: [ImportedEntry] = []
  func addEntry(
    _ value: JSONValue, _ line: Int, _ error: (String) -> ImportError
  ) throws(ImportError) {
    guard let path = value["path"]?.text else { throw error(localized("\"path\" is missing")) }
    var entry = ImportedEntry()
    (entry.path, entry.line) = (path, line)
    if let whole = value["bytes"] {
      guard let data = whole.string.flatMap({ Data(base64Encoded: $0) }) else {
        throw error(localized("\"bytes\" is not Base64"))
      }
      entry.bytes = Array(data)
    } else {
      let (header, body) = (value["header"]?.string ?? "", value["body"]?.string ?? "")
      entry.bytes = Array((header + body).utf8)
    }
    for file in value["attachments"]?.items ?? [] {
      guard let name = file["path"]?.text else { throw error(localized("\"path\" is missing")) }
      var data: Data?
      if let written = file["data"] {
        data = written.string.flatMap { Data(base64Encoded: $0) }
        if data == nil { throw error(localized("\"data\" of \(name) is not Base64")) }
      }
      entry.attachments.append(
        ImportedAttachment(names: [name], fileName: name, data: data.map { Array($0) }))
    }
    entries.append(entry)
  }
  if isJSONLines(bytes) {
    var start = 0
    var line = 1
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      defer { (start, line) = (end + 1, line + 1) }
      if bytes[start..<end].allSatisfy({ $0 == 0x20 || $0 == 0x0D }) { continue }
      do throws(ImportError) {
        var reader = try JSONReader(Array(bytes[start..<end]))
        let value = try reader.value()
        try reader.end()
        try addEntry(value, line) { reader.error($0, at: 0) }
      } catch {
        throw ImportError(line: line, column: error.column, error.reason)
      }
    }
  } else {
    try readEntries(of: bytes, under: "entries", addEntry)
  }
  return entries
}

/// True if every line is an object by itself: an entry, not the whole export on one line.
private func isJSONLines(_ bytes: [UInt8]) -> Bool {
  let line = bytes[..<(bytes.firstIndex(of: 0x0A) ?? bytes.count)]
  let last = line.last { $0 != 0x0D && $0 != 0x20 }
  let start = String(decoding: line.prefix(60).filter { $0 != 0x20 }, as: UTF8.self)
  return line.first == UInt8(ascii: "{") && last == UInt8(ascii: "}")
    && start.prefixMatch(of: /\{"diary":\d+,"entries":/) == nil
}
