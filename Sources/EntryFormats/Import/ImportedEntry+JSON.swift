import DiaryCore
import Localization

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
