import DiaryCore
import Foundation

/// Entries as Day One's JSON export has them (docs/export.md): `Journal.json` in a zip, with the pictures
/// and videos in folders beside it, named by the MD5 of their bytes.
package enum DayOneExport {
  /// A file of an entry, ready to go along.
  package struct Medium: Sendable {
    /// MD5 of its bytes, in hexadecimal.
    package let md5: String
    /// The file.
    package let file: ExportAttachment

    package init(md5: String, file: ExportAttachment) {
      self.md5 = md5
      self.file = file
    }

    /// The end of its name: Day One's `type`.
    var type: String {
      let type = file.path.fileExtension
      return type == "jpg" ? "jpeg" : type
    }

    /// The kinds that Day One keeps apart.
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

    /// Its name in the zip; `nil` for what Day One knows no place for.
    package var name: String? { kind.map { "\($0.folder)/\(md5).\(type)" } }

    /// What links name it by: the MD5, in capitals.
    var identifier: String { md5.uppercased() }
  }

  /// What stands before the first entry, between two, and behind the last.
  package static let delimiters = (
    start: "{\"metadata\":{\"version\":\"1.0\"},\"entries\":[\n", between: ",\n", end: "\n]}\n"
  )

  /// The names that Day One gives a place, from the nearest to the widest.
  static let placeKeys = ["userLabel", "placeName", "localityName", "country"]

  /// An entry; `nil` for an undated one, which Day One cannot hold. `media` finds the file that a link of
  /// the entry means; `body` is its text without the title.
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

  /// The id that Day One gave it, if it comes from there, else one made of its path.
  private static func uuid(of entry: WholeEntry) -> String {
    let source = entry.text.string("source") ?? ""
    let known = source.hasPrefix("dayone/") ? String(source.dropFirst(7)) : ""
    let isID = known.utf8.count == 32 && known.utf8.allSatisfy { $0.isDigit || $0.isLetter }
    return isID ? known : contentID(entry.summary.path.bytes)
  }

  /// Title and body as one Markdown text, with Day One's links in place of the files' names. A title that
  /// the body says stands where it stood.
  private static func text(of entry: WholeEntry, link: (String) -> Medium?) -> String {
    var body = entry.text.body.drop { $0 == "\n" || $0 == "\r\n" }
    // The end of the last line, which an import adds.
    if body.last == "\n", body.dropLast().last != "\n" { body.removeLast() }
    let text = withDayOneLinks(DayOneText.escaped(String(body)), link)
    if entry.splitBody.title != nil { return text }
    let title = "# " + DayOneText.escaped(terminalLine(entry.summary.title))
    return title + (body.isEmpty ? "" : "\n\n" + text)
  }

  /// `![words](photo.jpg)` as `![](dayone-moment://ID)`.
  private static func withDayOneLinks(_ body: String, _ link: (String) -> Medium?) -> String {
    // The pattern is parsed anew for each text, which takes a quarter of an export's time.
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

  /// A place by its name, by coordinates, or by both: the field `coordinates` is where an import keeps
  /// those of a place that has a name. Day One's own names count as long as they make up the place.
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

  /// The weather as the entry has it; in Day One's own words as long as they mean the same.
  private static func weather(of entry: WholeEntry, _ headerFields: DayOneHeaderFields)
    -> DayOneValue?
  {
    guard let weather = entry.summary.weather else { return nil }
    var form = headerFields.weather
    // Without the temperature, which has a place of its own.
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

  /// `35.01,135.77`, north and east.
  private static func coordinates(_ text: String?) -> (Double, Double)? {
    let parts = (text ?? "").split(separator: ",").map { Double(trimmed($0)) }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else { return nil }
    return (latitude, longitude)
  }

  /// `2026-11-21T12:04:00Z`.
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

/// What an import from Day One has kept in the header of an entry, to go back there.
private struct DayOneHeaderFields {
  private(set) var values: [String: DayOneValue] = [:]
  private(set) var weather: [String: DayOneValue] = [:]
  private(set) var location: [String: DayOneValue] = [:]
  /// The words below a picture, by the beginning of its MD5.
  private(set) var captions: [String: String] = [:]

  /// Keys that mean something to Diary, or stand elsewhere in Day One's form.
  private static let reservedKeys: Set<String> = Set(
    ["title", "weather", "place", "starred", "timezone", "source", "source_digest"]
      + ["coordinates", "journal"] + EntryText.dateKeys + EntryText.tagKeys)
  /// Texts that may look like numbers.
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
