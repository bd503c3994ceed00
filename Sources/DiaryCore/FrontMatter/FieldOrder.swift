/// The order of fields in a header, which decides where a new field is inserted.
extension EntryText {
  /// Keys for the date of an entry, in order of preference.
  package static let dateKeys = ["date", "created", "created_at", "creation date", "timestamp"]
  /// Keys that other programs use for the date, in order of preference. Diary reads them only in an
  /// entry that has no other date. The last two often have another meaning.
  static let foreignDateKeys = [
    "created-at", "createdat", "date_created", "date created", "date-created", "creation_date",
    "creation-date", "datetime", "pubdate", "pubdatetime", "publishdate", "publish_date",
    "published_at", "published", "day",
  ]
  package static let tagKeys = ["tags", "keywords", "categories"]

  /// The rank of a key: title, date, weather, tags, then all others.
  static func rank(_ key: String) -> Int {
    let key = key.lowercased()
    if key == "title" { return 0 }
    if dateKeys.contains(key) { return 1 }
    if key == "weather" { return 2 }
    return tagKeys.contains(key) ? 3 : 4
  }

  /// The offset after the nearest field of equal or lower rank, else before the nearest higher one.
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

  /// The offset below the field and the comments `# key: …` that a merge wrote under it.
  private func offsetAfterField(_ field: Field) -> Int {
    var at = field.range.upperBound
    let prefix = Array("# \(field.key):".utf8)
    while at < field.end, bytes[at..<field.end].starts(with: prefix) { at = lineEnd(bytes, at) }
    return at
  }
}
