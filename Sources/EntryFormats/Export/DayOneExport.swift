import DiaryCore
import Foundation

/// Entries in the form of Day One's JSON export (docs/export.md): `Journal.json` in a zip, with
/// pictures and videos in folders, named by the MD5 of their bytes.
package enum DayOneExport {
  /// A media file of an entry.
  package struct Medium: Sendable {
    /// The MD5 of the file's bytes, in hexadecimal.
    package let md5: String
    /// The file.
    package let file: ExportAttachment

    package init(md5: String, file: ExportAttachment) {
      self.md5 = md5
      self.file = file
    }

    /// The file name extension, which is Day One's `type`.
    var type: String {
      let type = file.path.fileExtension
      return type == "jpg" ? "jpeg" : type
    }

    /// The list, folder and link form of the file's kind in Day One.
    var kind: (list: String, folder: String, link: String)? {
      switch type {
      case "jpeg", "png", "gif", "heic", "heif", "webp", "tiff", "tif", "bmp":
        ("photos", "photos", "")
      case "mp4", "m4v", "mov": ("videos", "videos", "video/")
      case "m4a", "mp3", "aac", "wav": ("audios", "audios", "audio/")
      case "pdf": ("pdfAttachments", "pdfs", "pdfAttachment/")
      default: nil
      }
    }

    /// The file's name in the zip; `nil` for kinds that Day One does not support.
    package var name: String? { kind.map { "\($0.folder)/\(md5).\(type)" } }

    /// The ID in links: the MD5 in capitals.
    var identifier: String { md5.uppercased() }
  }

  /// The text before the first entry, between two entries, and after the last.
  package static let delimiters = (
    start: "{\"metadata\":{\"version\":\"1.0\"},\"entries\":[\n", between: ",\n", end: "\n]}\n"
  )

  /// The keys of a place's names in Day One, from the smallest area to the largest.
  static let placeKeys = ["userLabel", "placeName", "localityName", "country"]

  /// Returns an entry's JSON, or `nil` for an undated entry, which Day One does not support. `link`
  /// returns the media file of a link in the entry.
  package static func entry(
    _ entry: WholeEntry, zone: String, media: [Medium], link: (String) -> Medium?
  ) throws -> [UInt8]? {
    guard let date = entry.summary.date else { return nil }
    let moment = instant(date)
    let headerFields = DayOneHeaderFields(entry)
    var lists: [String: [MediumJSON]] = [:]
    for (index, medium) in media.enumerated() {
      guard let kind = medium.kind else { continue }
      lists[kind.list, default: []].append(
        MediumJSON(
          identifier: medium.identifier, md5: medium.md5, type: medium.type,
          orderInEntry: index, fileSize: medium.file.size, date: moment,
          filename: medium.file.path.name,
          caption: headerFields.captions[String(medium.md5.prefix(8))]))
    }
    var form: [String: DayOneValue] = [
      "isPinned": .flag(false), "duration": .number(0), "modifiedDate": .text(moment),
    ]
    form.merge(headerFields.values) { $1 }
    form.merge([
      "uuid": .text(uuid(of: entry)), "text": .text(text(of: entry, link: link)),
      "creationDate": .text(moment), "timeZone": .text(zone),
      "starred": .flag(entry.text.isStarred),
      "isAllDay": .flag(date.seconds == nil), "tags": .texts(entry.summary.tags),
    ]) { $1 }
    form["location"] = location(of: entry, headerFields)
    form["weather"] = weather(of: entry, headerFields)
    for (name, list) in lists { form[name] = .media(list) }
    return try EntryJSON.encoded(form).dropLast()
  }

  /// Returns the UUID from Day One if the entry was imported from there, else one from its path.
  private static func uuid(of entry: WholeEntry) -> String {
    let source = entry.text.string("source") ?? ""
    let known = source.hasPrefix("dayone/") ? String(source.dropFirst(7)) : ""
    let isID = known.utf8.count == 32 && known.utf8.allSatisfy { $0.isDigit || $0.isLetter }
    return isID ? known : contentID(entry.summary.path.bytes)
  }

  /// Returns title and body as one Markdown text with Day One's links in place of file names. A
  /// title that is part of the body stays where it is.
  private static func text(of entry: WholeEntry, link: (String) -> Medium?) -> String {
    var body = entry.text.body.drop { $0 == "\n" || $0 == "\r\n" }
    // Remove the end of the last line, which an import adds.
    if body.last == "\n", body.dropLast().last != "\n" { body.removeLast() }
    let text = withDayOneLinks(DayOneText.escaped(String(body)), link)
    if entry.splitBody.title != nil { return text }
    let title = "# " + DayOneText.escaped(terminalLine(entry.summary.title))
    return title + (body.isEmpty ? "" : "\n\n" + text)
  }

  /// Replaces `![words](photo.jpg)` with `![](dayone-moment://ID)`.
  private static func withDayOneLinks(_ body: String, _ link: (String) -> Medium?) -> String {
    // Parsing the pattern for each text takes a quarter of an export's time.
    let opening = (UInt8(ascii: "!"), UInt8(ascii: "["))
    guard zip(body.utf8, body.utf8.dropFirst()).contains(where: { $0 == opening }) else {
      return body
    }
    return body.replacing(/!\[([^\]\n]*)\]\(<?([^)\n>]+?)>?(?:[ ]+"[^"\n]*")?\)/) { found in
      guard let medium = link(String(found.output.2)), let kind = medium.kind else {
        return String(found.output.0)
      }
      return "![](dayone-moment:/\(kind.link.isEmpty ? "/" : "/" + kind.link)\(medium.identifier))"
    }
  }

  /// Returns a place by name, by coordinates, or both. An import stores a named place's coordinates
  /// in the field `coordinates`. Day One's names are used as long as they form the place.
  private static func location(of entry: WholeEntry, _ headerFields: DayOneHeaderFields)
    -> DayOneValue?
  {
    let place = entry.summary.place
    let point = coordinates(place) ?? coordinates(entry.text.string("coordinates"))
    guard place != nil || point != nil else { return nil }
    var form = headerFields.location
    var names: [String] = []
    for key in placeKeys {
      if case .text(let name)? = form[key], !names.contains(name) { names.append(name) }
    }
    if names.joined(separator: ", ") != place {
      for key in placeKeys { form[key] = nil }
      if coordinates(place) == nil { form["placeName"] = place.map(DayOneValue.text) }
    }
    form["latitude"] = (point?.0).map(DayOneValue.number)
    form["longitude"] = (point?.1).map(DayOneValue.number)
    return .object(form)
  }

  /// Returns the entry's weather, in Day One's own words if they have the same meaning.
  private static func weather(of entry: WholeEntry, _ headerFields: DayOneHeaderFields)
    -> DayOneValue?
  {
    guard let weather = entry.summary.weather else { return nil }
    var form = headerFields.weather
    // The temperature has its own key.
    let words =
      weather.condition?.rawValue
      ?? weather.text.split(separator: ",").map { trimmed($0) }
      .filter { weather.celsius == nil || !$0.hasSuffix("°C") && !$0.hasSuffix("°F") }
      .joined(separator: ", ")
    var isKnown = false
    if case .text(let known)? = form["conditionsDescription"] {
      isKnown = (Condition(foreign: known)?.rawValue ?? known) == words
    }
    if !isKnown { form = ["weatherServiceName": "Diary"] }
    if !isKnown, !words.isEmpty { form["conditionsDescription"] = .text(words) }
    form["temperatureCelsius"] = weather.celsius.map(DayOneValue.number)
    return .object(form)
  }

  /// Parses `35.01,135.77` as latitude and longitude.
  private static func coordinates(_ text: String?) -> (Double, Double)? {
    let parts = (text ?? "").split(separator: ",").map { Double(trimmed($0)) }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else { return nil }
    return (latitude, longitude)
  }

  /// Returns `2026-11-21T12:04:00Z`.
  private static func instant(_ date: EntryDate) -> String {
    let utc = EntryDate(instant: date.instant, offset: 0) ?? date
    return String(utc.description.prefix(19)) + "Z"
  }
}

private struct MediumJSON: Encodable {
  let identifier: String
  let md5: String
  let type: String
  let orderInEntry: Int
  let fileSize: Int
  let date: String
  let filename: String
  let caption: String?
}

/// The header fields that an import from Day One has added to an entry, for the way back.
private struct DayOneHeaderFields {
  private(set) var values: [String: DayOneValue] = [:]
  private(set) var weather: [String: DayOneValue] = [:]
  private(set) var location: [String: DayOneValue] = [:]
  /// The captions of pictures, by the beginning of their MD5.
  private(set) var captions: [String: String] = [:]

  /// Keys that have a meaning in Diary, or another position in Day One's JSON.
  private static let reservedKeys: Set<String> = Set(
    ["title", "weather", "place", "starred", "timezone", "source", "source_digest"]
      + ["coordinates", "journal"] + EntryText.dateKeys + EntryText.tagKeys)
  /// Keys whose texts may look like numbers.
  private static let textKeys: Set<String> = ["creationOSVersion"]

  init(_ entry: WholeEntry) {
    guard entry.text.string("source")?.hasPrefix("dayone/") == true else { return }
    for field in entry.text.fields where !Self.reservedKeys.contains(field.key.lowercased()) {
      guard let value = entry.text.value(field.key).flatMap({ Self.dayOneValue(field.key, $0) })
      else {
        continue
      }
      let parts = field.key.split(separator: "_", maxSplits: 1).map(String.init)
      switch (parts[0], parts.count) {
      case ("weather", 2): weather[parts[1]] = value
      case ("location", 2): location[parts[1]] = value
      case ("caption", 2): if case .text(let words) = value { captions[parts[1]] = words }
      case (let name, 2):
        var inner = [parts[1]: value]
        if case .object(let known)? = values[name] { inner.merge(known) { $1 } }
        values[name] = .object(inner)
      default: values[field.key] = value
      }
    }
  }

  private static func dayOneValue(_ key: String, _ value: FieldValue) -> DayOneValue? {
    switch value {
    case .text("true"): .flag(true)
    case .text(let words):
      !textKeys.contains(key) && words.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?/) != nil
        ? Double(words).map(DayOneValue.number) : .text(words)
    case .list(let items): .texts(items)
    case .mapping: nil
    }
  }
}

/// A value of Day One's JSON.
private enum DayOneValue: Encodable, ExpressibleByStringLiteral {
  case text(String)
  case number(Double)
  case flag(Bool)
  case texts([String])
  case media([MediumJSON])
  case object([String: DayOneValue])

  init(stringLiteral text: String) { self = .text(text) }

  func encode(to encoder: any Encoder) throws {
    if case .object(let members) = self { return try members.encode(to: encoder) }
    var value = encoder.singleValueContainer()
    switch self {
    case .text(let text): try value.encode(text)
    case .number(let number): try value.encode(number)
    case .flag(let flag): try value.encode(flag)
    case .texts(let texts): try value.encode(texts)
    case .media(let media): try value.encode(media)
    case .object: break
    }
  }
}
