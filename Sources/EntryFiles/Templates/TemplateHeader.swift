import DiaryCore

/// Fills the header of a template.
struct TemplateHeader {
  let values: TemplateValues
  /// The placeholders that occur anywhere in the template.
  let used: Set<Placeholder>
  /// The header fields, in lower case, in which each placeholder occurred.
  private var headerFields: [Placeholder: Set<String>] = [:]

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
      for placeholder in found { headerFields[placeholder, default: []].insert(key.lowercased()) }
      let filled = fill(value)
      // A value that cannot be written keeps its placeholder, so that the user sees it.
      if filled.isEmpty { empty.append(key) } else { try? entry.set(key, filled) }
    }
    addMissingFields(&entry)
    // Removed last, because a header without fields is no header.
    for key in empty { try? entry.remove(key) }
  }

  /// Adds the given values that have no placeholder in the template.
  private func addMissingFields(_ entry: inout EntryText) {
    if let title = values.title, !used.contains(.title) { try? entry.set("title", .text(title)) }
    // A date in a title, or in a custom field, does not set the entry's date.
    if !hasField(.date, in: EntryText.dateKeys), entry.value("date") == nil {
      try? entry.set("date", .text(values.date.description))
    }
    if let weather = values.weather, !hasField(.weather), entry.value("weather") == nil {
      try? entry.set("weather", .text(weather))
    }
    if let place = values.place, !hasField(.place), entry.value("place") == nil {
      try? entry.set("place", .text(place))
    }
    if !values.tags.isEmpty, !hasField(.tags, in: EntryText.tagKeys) {
      try? entry.set("tags", .list(unique(entry.headerTags + values.tags)))
    }
  }

  /// True if the placeholder occurred in one of these fields, or in any field but the title.
  private func hasField(_ placeholder: Placeholder, in keys: [String]? = nil) -> Bool {
    let fields = headerFields[placeholder] ?? []
    return keys.map { !fields.isDisjoint(with: $0) } ?? !fields.subtracting(["title"]).isEmpty
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
      // A field that is only the date gets the full time with zone; within a text, only the day.
      return .text(isAlone(.date, text) ? values.date.description : fill(text))
    case .list(let items):
      let filled = items.flatMap { isAlone(.tags, $0) ? values.tags : [fill($0)] }
      return .list(unique(filled))
    case .mapping(let pairs):
      return .mapping(pairs.map { ($0.0, fill($0.1)) }.filter { !$0.1.isEmpty })
    }
  }

  private func fill(_ text: String) -> String {
    trimmed(text.replacingMarks { $0.text(values) })
  }

  private func isAlone(_ placeholder: Placeholder, _ text: String) -> Bool {
    text.unicodeScalars.elementsEqual([placeholder.mark])
  }

  private func unique(_ words: [String]) -> [String] {
    var seen: Set<String> = []
    return words.filter { !$0.isEmpty && seen.insert($0.lowercased()).inserted }
  }
}
