import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// A saved version of an entry, with its changes.
package struct EntryRevision: Sendable {
  /// The number of versions ago; 0 is the newest.
  package var versionsAgo: Int
  /// The entry's path in this version.
  package var path: EntryPath
  /// Unix seconds.
  package var at: Int
  /// The author's UTC offset, in seconds east.
  package var offset: Int
  /// The commit that introduced the version.
  package var commit: String
  /// The first line of its message.
  package var message: String
  /// The number of words that were added to the body.
  package var added: Int
  /// The number of words that were removed from the body.
  package var removed: Int
  /// True if the entry was deleted in this version.
  package var isDeletion: Bool
  /// The changes of the whole text, if requested with `patch`.
  package var changes: WordDiff?
  /// The first words that were added or removed: of the body, or of the header if that alone was
  /// changed; see ``WordDiff/excerpt(of:)``.
  package var excerpt: [WordDiff.Part] = []
}

/// The text of one version, and its difference to the version before.
package struct EntryChanges: Sendable {
  /// The text of this version.
  package var text: EntryText
  /// Its title.
  package var title: String
  /// Unix seconds.
  package var at: Int
  /// The author's UTC offset, in seconds east.
  package var offset: Int
  /// True for the first version: all of its text is new.
  package var isFirst: Bool
  /// The difference of the headers, with their fences.
  package var header: WordDiff
  /// The difference of the bodies.
  package var body: WordDiff
}

/// The history of one entry.
package struct EntryHistory: Sendable {
  /// The versions, newest first.
  package var versions: [EntryRevision]
  /// True if this shallow clone lacks older versions.
  package var isCutOff: Bool
}

/// An entry that was deleted.
package struct DeletedEntry: Sendable {
  /// The entry as it was last saved.
  let saved: Entry
  /// The time of the deletion, in Unix seconds.
  package var at: Int
  /// The first commit without the entry.
  package var commit: String

  /// Its row in a list. The number has no meaning.
  package var entry: EntrySummary { EntrySummary(saved, number: 0) }
}

/// The entry that a REF names, if deleted entries count too.
package enum EntryLookup: Sendable {
  case current(EntrySummary)
  case deleted(DeletedEntry)

  /// The entry's path, or its last path.
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
