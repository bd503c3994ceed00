/// In which order the fields of a header stand, and so on which line a new one goes.
extension EntryText {
  /// Keys that tell when an entry was written, the best first.
  package static let dateKeys = ["date", "created", "created_at", "creation date", "timestamp"]
  /// Keys whose values are tags.
  package static let tagKeys = ["tags", "keywords", "categories"]

  /// Title, date, weather, tags, then all others.
  static func rank(_ key: String) -> Int {
    let key = key.lowercased()
    if key == "title" { return 0 }
    if dateKeys.contains(key) { return 1 }
    if key == "weather" { return 2 }
    return tagKeys.contains(key) ? 3 : 4
  }

  /// After the nearest key that comes before it, else before the nearest that comes after it.
  func offsetOfNewKey(_ key: String) -> Int {
    let rank = EntryText.rank(key)
    let fields = frontMatter.fields
    guard rank < 4 else { return fields.last.map(offsetAfterField) ?? frontMatter.lines.upperBound }
    let ranks = fields.map { EntryText.rank($0.key) }
    if let nearest = ranks.filter({ $0 <= rank }).max(), let index = ranks.lastIndex(of: nearest) {
      return offsetAfterField(fields[index])
    }
    if let nearest = ranks.filter({ $0 > rank && $0 < 4 }).min(),
      let index = ranks.firstIndex(of: nearest)
    {
      return fields[index].range.lowerBound
    }
    return fields.first?.range.lowerBound ?? frontMatter.lines.upperBound
  }

  /// Below the field and the comments `# key: …` that a merge left under it.
  private func offsetAfterField(_ field: Field) -> Int {
    var at = field.range.upperBound
    let prefix = Array("# \(field.key):".utf8)
    while at < field.end, bytes[at..<field.end].starts(with: prefix) { at = lineEnd(bytes, at) }
    return at
  }
}
