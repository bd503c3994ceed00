import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// One saved version of an entry, with what it changed.
package struct EntryRevision: Sendable {
  /// The version before it is the next of the list; 0 is the newest.
  package var versionsAgo: Int
  /// The name that the entry had.
  package var path: EntryPath
  /// Unix seconds.
  package var at: Int
  /// The author's clock, seconds east of UTC.
  package var offset: Int
  /// The commit that brought it.
  package var commit: String
  /// The first line of its message.
  package var message: String
  /// Words of the body that came.
  package var added: Int
  /// Words of the body that went.
  package var removed: Int
  /// The entry was deleted here.
  package var isDeletion: Bool
  /// What changed in the whole text; asked for with `patch`.
  package var changes: WordDiff?
}

/// The past of one entry.
package struct EntryHistory: Sendable {
  /// Newest first.
  package var versions: [EntryRevision]
  /// Whether older versions are not in this shallow clone.
  package var isCutOff: Bool
}

/// An entry that was deleted.
package struct DeletedEntry: Sendable {
  /// What it was when it was last saved; its number says nothing.
  package var entry: EntrySummary
  /// When it was deleted, Unix seconds.
  package var at: Int
  /// The commit that lacks it first.
  package var commit: String
}

/// Which entry a REF means when the past counts too.
package enum EntryLookup: Sendable {
  case current(EntrySummary)
  case deleted(DeletedEntry)

  /// Where it lies, or lay.
  package var path: EntryPath {
    switch self {
    case .current(let entry): entry.path
    case .deleted(let deleted): deleted.entry.path
    }
  }

  /// Its title.
  package var title: String {
    switch self {
    case .current(let entry): entry.title
    case .deleted(let deleted): deleted.entry.title
    }
  }
}

extension EntrySummary {
  init(_ entry: Entry, number: Int) {
    self.init(
      number: number, path: entry.path, title: entry.title, date: entry.date, day: entry.day,
      weather: entry.weather, tags: entry.tags, place: entry.place,
      isStarred: entry.isStarred, words: entry.words, preview: entry.preview)
  }
}

extension ListFilter {
  /// Whether an entry that stands in no index passes.
  func matches(_ entry: EntrySummary) -> Bool {
    if since != nil || until != nil {
      guard let day = entry.day, since.map({ $0 <= day }) ?? true, until.map({ day <= $0 }) ?? true
      else { return false }
    }
    if fromInstant != nil || beforeInstant != nil {
      guard let moment = entry.date?.instant, fromInstant.map({ $0 <= moment }) ?? true,
        beforeInstant.map({ moment < $0 }) ?? true
      else { return false }
    }
    let folded = entry.tags.map { foldedForSearch($0) }
    func isTagged(_ tag: String) -> Bool {
      let wanted = foldedForSearch(tag.hasPrefix("#") ? String(tag.dropFirst()) : tag)
      return folded.contains { $0 == wanted || $0.hasPrefix(wanted + "/") }
    }
    guard tags.allSatisfy(isTagged), anyTags.isEmpty || anyTags.contains(where: isTagged),
      !withoutTags.contains(where: isTagged), entry.isStarred || !isStarred
    else { return false }
    guard let weather else { return true }
    let wanted = foldedForSearch(weather)
    if let group = Condition.allCases.first(where: { foldedForSearch($0.rawValue) == wanted }) {
      return entry.weather?.condition == group
    }
    return entry.weather.map { foldedForSearch($0.text).contains(wanted) } ?? false
  }

  /// The part of an ordered list that it lets through, numbers counted over the whole.
  func page(of all: [EntrySummary]) -> [EntrySummary] {
    let found = all.filter(matches)
    let ordered = isReversed ? found.reversed() : found
    return Array(ordered.dropFirst(max(offset, 0)).prefix(limit.map { max($0, 0) } ?? .max))
  }
}
