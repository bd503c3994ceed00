import DiaryCore

/// Gives entries of programs without ids a name for ever: the program and the written date. Where
/// several have one date, a digest of each title tells them apart, and a number those of one title.
func nameByDate(_ entries: inout [ImportedEntry], program: String) {
  let counts = Dictionary(grouping: entries.indices) { entries[$0].writtenDate }
  for (date, places) in counts {
    let key = date.map { $0.isWhitespace ? "T" : $0 }
    var twins: [String: Int] = [:]
    for place in places {
      var name = program + "/" + String(key)
      if places.count > 1 {
        let title = entries[place].title.isEmpty ? entries[place].body : entries[place].title
        name += "/" + contentDigest(Array(title.utf8)).prefix(8)
        let twin = twins[name, default: 0] + 1
        twins[name] = twin
        if twin > 1 { name += "-\(twin)" }
      }
      (entries[place].source, entries[place].isNamedByDate) = (name, true)
    }
  }
}

extension ImportedEntry {
  /// The same entry under a name that tells its title, too.
  package var namedByTitle: ImportedEntry {
    var entry = self
    entry.isNamedByDate = false
    let words = title.isEmpty ? body : title
    entry.source = source.map { $0 + "/" + contentDigest(Array(words.utf8)).prefix(8) }
    return entry
  }

  /// A digest of what the source says, the same on every device and in every zone.
  package var digest: String {
    var text = title + "\u{0}" + body + "\u{0}" + writtenDate + "\u{0}"
    text += tags.joined(separator: "\u{1}") + (isStarred ? "*" : "") + "\u{0}" + (place ?? "")
    text += (weather?.words ?? "") + (weather?.celsius.map { "\($0)" } ?? "") + "\u{0}"
    for field in fields { text += "\(field.key)=\(field.value)\u{1}" }
    if let bytes { return String(contentDigest(bytes).prefix(16)) }
    for attachment in attachments { text += attachment.names.joined(separator: "\u{1}") }
    return String(contentDigest(Array(text.utf8)).prefix(16))
  }
}
