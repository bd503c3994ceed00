import DiaryCore

/// Gives permanent source IDs to entries of programs without IDs: the program and the written date.
/// Entries of the same date also get a digest of the title, and equal titles a number.
func assignSourceIDs(_ entries: inout [ImportedEntry], program: String) {
  let counts = Dictionary(grouping: entries.indices) { entries[$0].writtenDate }
  for (date, indices) in counts {
    let key = date.map { $0.isWhitespace ? "T" : $0 }
    var twins: [String: Int] = [:]
    for index in indices {
      var name = program + "/" + String(key)
      if indices.count > 1 {
        let title = entries[index].title.isEmpty ? entries[index].body : entries[index].title
        name += "/" + contentDigest(Array(title.utf8)).prefix(8)
        let twin = twins[name, default: 0] + 1
        twins[name] = twin
        if twin > 1 { name += "-\(twin)" }
      }
      (entries[index].sourceID, entries[index].hasDateBasedID) = (name, true)
    }
  }
}

extension ImportedEntry {
  /// The entry with an ID that also depends on its title.
  package var withTitleInSourceID: ImportedEntry {
    var entry = self
    entry.hasDateBasedID = false
    let text = title.isEmpty ? body : title
    entry.sourceID = sourceID.map { $0 + "/" + contentDigest(Array(text.utf8)).prefix(8) }
    return entry
  }

  /// A digest of the source's content, the same on every device and in every time zone.
  package var digest: String {
    var text = title + "\u{0}" + body + "\u{0}" + writtenDate + "\u{0}"
    text += tags.joined(separator: "\u{1}") + (isStarred ? "*" : "") + "\u{0}" + (place ?? "")
    text += (weather?.conditionText ?? "") + (weather?.celsius.map { "\($0)" } ?? "") + "\u{0}"
    for field in fields { text += "\(field.key)=\(field.value)\u{1}" }
    if let bytes { return String(contentDigest(bytes).prefix(16)) }
    for attachment in attachments { text += attachment.names.joined(separator: "\u{1}") }
    return String(contentDigest(Array(text.utf8)).prefix(16))
  }
}
