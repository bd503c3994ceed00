import DiaryCore
import Foundation
import Localization

/// Reads a journal in Day One 2's JSON: `{"metadata": …, "entries": […]}`. Media files are in the
/// folders `photos`, `videos`, `audios` and `pdfs`, named by their MD5.
func readDayOne(
  _ bytes: [UInt8], journal: String?, _ options: ImportOptions, into batch: inout ImportedBatch
) throws(ImportError) {
  var entries: [ImportedEntry] = []
  var (richTexts, regions) = (0, 0)
  try readEntries(of: bytes, under: "entries") { (value, line, error) throws(ImportError) in
    var entry = ImportedEntry()
    entry.line = line
    guard let written = value["creationDate"]?.text else {
      throw error(localized("\"creationDate\" is missing"))
    }
    guard let utc = EntryDate(reading: written, zone: .gmt) else {
      throw error(localized("\"creationDate\" is \(written), which is not a date"))
    }
    let zoneName = value["timeZone"]?.text
    let zone = zoneName.flatMap { TimeZone(identifier: $0) } ?? options.zone
    entry.date = EntryDate(instant: utc.instant, zone: zone)
    if value["isAllDay"]?.isTrue == true {
      entry.date = entry.date.map { EntryDate(date: $0.date, seconds: nil, offset: $0.offset) }
    }
    entry.writtenDate = written + (zoneName ?? "")
    let uuid = value["uuid"]?.text
    entry.sourceID = uuid.map { "dayone/" + withSingleBlanks($0) }
    let raw = value["text"]?.text ?? richText(of: value)
    (entry.title, entry.body) = splitHeading(DayOneText.unescaped(raw))
    entry.addTags(value["tags"])
    entry.isStarred = value["starred"]?.isTrue ?? false
    if let zoneName { entry.fields.append(ImportedField("timezone", .text(zoneName))) }
    if let journal { entry.fields.append(ImportedField("journal", .text(journal))) }
    dayOneWeather(value["weather"], into: &entry)
    dayOneLocation(value["location"], into: &entry)
    dayOneFiles(value, into: &entry)
    if value["richText"] != nil { richTexts += 1 }
    if value["location"]?["region"] != nil { regions += 1 }
    value.appendOtherFields(
      than: [
        "uuid", "text", "richText", "creationDate", "timeZone", "tags", "starred", "isAllDay",
        "weather", "location", "photos", "videos", "audios", "pdfAttachments",
      ], to: &entry)
    // Day One writes 0 if there is no duration.
    entry.fields.removeAll { $0.key == "duration" && $0.value == .text("0") }
    entries.append(entry)
  }
  for _ in 0..<richTexts { batch.addSkipped("richText") }
  for _ in 0..<regions { batch.addSkipped("location.region") }
  var unnamed = entries.filter { $0.sourceID == nil }
  assignSourceIDs(&unnamed, program: "dayone")
  var names = unnamed.map(\.sourceID).makeIterator()
  for index in entries.indices where entries[index].sourceID == nil {
    entries[index].sourceID = names.next() ?? nil
  }
  batch.entries += entries
}

/// Splits a text into the title, a heading of level 1 in the first line, and the body.
func splitHeading(_ text: String) -> (title: String, body: String) {
  let end = text.firstIndex(where: \.isNewline) ?? text.endIndex
  let first = text[..<end]
  guard first.hasPrefix("# "), !trimmed(first.dropFirst(2)).isEmpty else { return ("", text) }
  return (trimmed(first.dropFirst(2)), String(text[end...].drop(while: \.isNewline)))
}

/// Returns the text of an entry that has only the newer form of Day One's text.
private func richText(of value: JSONValue) -> String {
  guard let rich = value["richText"]?.text else { return "" }
  guard var reader = try? JSONReader(Array(rich.utf8)), let parsed = try? reader.value(),
    let contents = parsed["contents"]
  else { return rich }
  return contents.items.compactMap { $0["text"]?.string }.joined()
}

private func dayOneWeather(_ weather: JSONValue?, into entry: inout ImportedEntry) {
  guard let weather else { return }
  let degrees =
    celsius(weather["temperatureCelsius"]?.double)
    ?? celsius(weather["temperatureFahrenheit"]?.double, unit: "F")
  let words = weather["conditionsDescription"]?.text
  if words != nil || degrees != nil {
    entry.weather = ImportedWeather(conditionText: words, celsius: degrees)
  }
  guard case .object(let members) = weather else { return }
  for member in members where member.key != "temperatureCelsius" {
    member.value.appendFields("weather_" + member.key, to: &entry.fields)
  }
}

private func dayOneLocation(_ location: JSONValue?, into entry: inout ImportedEntry) {
  guard let location else { return }
  var names: [String] = []
  for key in DayOneExport.placeKeys {
    if let name = location[key]?.text.map(withSingleBlanks), !names.contains(name) {
      names.append(name)
    }
  }
  let point = coordinates(location["latitude"]?.double, location["longitude"]?.double)
  entry.place = names.isEmpty ? point : names.joined(separator: ", ")
  if let point, !names.isEmpty { entry.fields.append(ImportedField("coordinates", .text(point))) }
  guard case .object(let members) = location else { return }
  for member in members where !["latitude", "longitude", "region"].contains(member.key) {
    // The only name of the place is already the field `place`.
    if names == [member.value.text.map(withSingleBlanks)], member.key == "placeName" { continue }
    member.value.appendFields("location_" + member.key, to: &entry.fields)
  }
}

private func dayOneFiles(_ value: JSONValue, into entry: inout ImportedEntry) {
  let kinds = [
    ("photos", "photos", "jpeg"), ("videos", "videos", "mp4"), ("audios", "audios", "m4a"),
    ("pdfAttachments", "pdfs", "pdf"),
  ]
  for (key, folder, defaultType) in kinds {
    let items = (value[key]?.items ?? []).sorted {
      ($0["orderInEntry"]?.double ?? 0) < ($1["orderInEntry"]?.double ?? 0)
    }
    for item in items {
      let md5 = item["md5"]?.text ?? ""
      let type = item["type"]?.text ?? item["format"]?.text ?? defaultType
      // Day One writes "aac" for a file that is named m4a.
      let types = [type, defaultType, type == "aac" ? "m4a" : type].reduce(into: [String]()) {
        all, one in
        if !all.contains(one) { all.append(one) }
      }
      let names = types.map { folder + "/" + md5 + "." + $0 }
      let originalName = item["filename"]?.text.map { lastComponent($0) }
      let identifier = item["identifier"]?.text ?? ""
      entry.attachments.append(
        ImportedAttachment(
          names: names, fileName: originalName ?? md5 + "." + type,
          placeholder: identifier.isEmpty ? "" : dayOneLink(identifier, in: entry.body)))
      if let caption = item["title"]?.text ?? item["caption"]?.text {
        entry.fields.append(ImportedField(headerKey("caption_" + md5.prefix(8)), .text(caption)))
      }
    }
  }
}

/// Returns the link of a file in Day One's text, such as `![](dayone-moment://ID)`.
private func dayOneLink(_ identifier: String, in text: String) -> String {
  guard let id = text.range(of: identifier + ")"),
    let open = text[..<id.lowerBound].range(of: "![", options: .backwards),
    text[open.lowerBound..<id.lowerBound].contains("](dayone-moment:/"),
    !text[open.lowerBound..<id.lowerBound].contains(")")
  else { return "" }
  return String(text[open.lowerBound..<id.upperBound])
}
