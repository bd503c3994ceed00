import DiaryCore

/// The filling of one header.
struct HeaderFilling {
  let values: TemplateValues
  /// Placeholders that stand anywhere in the template.
  let used: Set<Placeholder>
  /// Those that stood in a field of the header.
  private var inHeader: Set<Placeholder> = []

  init(values: TemplateValues, used: Set<Placeholder>) {
    self.values = values
    self.used = used
  }

  mutating func run(_ entry: inout EntryText) {
    var empty: [String] = []
    for key in entry.fields.map(\.key) {
      guard let value = entry.value(key) else { continue }
      let found = placeholders(in: value)
      guard !found.isEmpty else { continue }
      inHeader.formUnion(found)
      let filled = fill(value)
      // What cannot be written keeps its placeholder, which the writer then sees.
      if filled.isEmpty { empty.append(key) } else { try? entry.set(key, filled) }
    }
    complete(&entry)
    // Last, for a header that has lost its only field is none.
    for key in empty { try? entry.remove(key) }
  }

  /// Adds what was given and has no place in the template.
  private func complete(_ entry: inout EntryText) {
    if let title = values.title, !used.contains(.title) { try? entry.set("title", .text(title)) }
    if !inHeader.contains(.date), entry.value("date") == nil {
      try? entry.set("date", .text(values.date.description))
    }
    if let weather = values.weather, !inHeader.contains(.weather), entry.value("weather") == nil {
      try? entry.set("weather", .text(weather))
    }
    if let place = values.place, !inHeader.contains(.place), entry.value("place") == nil {
      try? entry.set("place", .text(place))
    }
    if !values.tags.isEmpty, !inHeader.contains(.tags) {
      try? entry.set("tags", .list(unique(words(of: entry.value("tags")) + values.tags)))
    }
  }

  private func words(of value: FieldValue?) -> [String] {
    switch value {
    case .list(let items): items
    case .text(let text):
      text.split(separator: text.contains(",") ? "," : " ").map { trimmed(String($0)) }
    case .mapping, nil: []
    }
  }

  private func placeholders(in value: FieldValue) -> Set<Placeholder> {
    let texts: [String] =
      switch value {
      case .text(let text): [text]
      case .list(let items): items
      case .mapping(let pairs): pairs.flatMap { [$0.0, $0.1] }
      }
    return Set(texts.flatMap(\.unicodeScalars).compactMap { Placeholder(mark: $0) })
  }

  private func fill(_ value: FieldValue) -> FieldValue {
    switch value {
    case .text(let text):
      if isAlone(.tags, text) { return .list(unique(values.tags)) }
      // The moment itself, with its zone; within other words it is the day that a reader wants.
      return .text(isAlone(.date, text) ? values.date.description : fill(text))
    case .list(let items):
      let filled = items.flatMap { isAlone(.tags, $0) ? values.tags : [fill($0)] }
      return .list(unique(filled))
    case .mapping(let pairs):
      return .mapping(pairs.map { ($0.0, fill($0.1)) }.filter { !$0.1.isEmpty })
    }
  }

  private func fill(_ text: String) -> String {
    trimmed(text.replacingMarks { $0.words(values) })
  }

  private func isAlone(_ placeholder: Placeholder, _ text: String) -> Bool {
    text.unicodeScalars.elementsEqual([placeholder.mark])
  }

  private func unique(_ words: [String]) -> [String] {
    var seen: Set<String> = []
    return words.filter { !$0.isEmpty && seen.insert($0.lowercased()).inserted }
  }
}
