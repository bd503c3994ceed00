import DiaryCore
import EntryFiles
import Localization

extension Entries {
  /// Gives an entry's header other tags, another place, or both. Nothing else in the file changes.
  ///
  /// - Parameters:
  ///   - tags: all tags of the field `tags`. An added tag that the entry has elsewhere is left out.
  ///   - place: the place; empty for none.
  ///   - base: the text for which the tags were chosen. Those that the header has got or lost since
  ///     then stay so.
  func setHeader(
    _ path: EntryPath, tags: [String]?, place: String?, since base: EntryText?
  ) async throws {
    try await journal.locked { locked in
      let draft = try await locked.startOperation(
        .header, journal.history.subject(of: [path]), [path])
      let old = try await locked.saver.rewrite(draft.files.file(at: path), syncsName: false) {
        text in
        if let tags { try setTags(tags, in: &text, at: path, since: base ?? text) }
        if let place { try setPlace(place, in: &text) }
      }
      guard let old else { return }
      // The displaced file is removed after the save: a power failure could keep its removal and
      // lose the new name.
      defer { old.discard() }
      _ = try await locked.saveCommandChanges([path], as: draft)
    }
  }

  private func setTags(
    _ tags: [String], in text: inout EntryText, at path: EntryPath, since base: EntryText
  ) throws {
    let marks = journal.settings.tagMarks
    func names(_ tags: [String]) -> Set<String> {
      Set(tags.map { marks.removed(from: $0).lowercased() })
    }
    let entry = Entry(path: path, text: text, settings: journal.settings, zone: journal.zone)
    let (before, asked, present) = (names(base.headerTags), names(tags), text.headerTags)
    var tagsNow = present.filter {
      let name = names([$0])
      return !asked.isDisjoint(with: name) || before.isDisjoint(with: name)
    }
    var known = before.union(names(entry.tags))
    for tag in tags.map({ marks.removed(from: $0) })
    where !tag.isEmpty && known.insert(tag.lowercased()).inserted { tagsNow.append(tag) }
    guard tagsNow != present else { return }
    if tagsNow.isEmpty {
      try text.remove("tags")
    } else {
      try text.set("tags", .list(tagsNow))
    }
  }

  private func setPlace(_ place: String, in text: inout EntryText) throws {
    // A mapping has more than the name.
    if case .mapping? = text.value("place") { throw FrontMatterError.compoundValue("place") }
    let place = trimmed(place)
    if place.isEmpty {
      try text.remove("place")
    } else if place != text.string("place") {
      try text.set("place", .text(place))
    }
  }
}
