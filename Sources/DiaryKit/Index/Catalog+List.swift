import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import Localization

extension Catalog {
  /// The entries that match the filter, newest first, from the current files.
  package func list(_ filter: ListFilter = ListFilter()) async throws -> [EntrySummary] {
    try await query { try $0.list(filter) }
  }

  /// The number of entries at the last update of the index.
  package var entryCount: Int { get throws { try journal.indexDatabase.count() } }

  /// The entries of a day of the year, by default today's, in the years before it. Newest first, at
  /// the last update of the index.
  package func entriesOnThisDay(_ asked: Day? = nil) throws -> [EntrySummary] {
    let (year, month, day) = (asked ?? journal.today).components
    let days = (1...120).compactMap { Day(year: year - $0, month: month, day: day) }
    return try journal.indexDatabase.entries(onAnyOf: days)
  }

  /// The entries of a day of the year in earlier years, from the current files.
  package func currentEntriesOnThisDay(_ day: Day? = nil) async throws -> [EntrySummary] {
    try await updateIndex()
    return try entriesOnThisDay(day)
  }

  /// Statistics of the entries that match the filter, from the current files.
  package func statistics(_ filter: ListFilter = ListFilter()) async throws -> JournalStatistics {
    JournalStatistics(of: try await list(filter), today: journal.today)
  }

  /// True if there is a file at the path.
  package func hasFile(at path: EntryPath) -> Bool { journal.folder.hasFile(path) }

  /// The entry at a path, from the current file; `nil` if there is none.
  package func summary(at path: EntryPath) async throws -> EntrySummary? {
    try await query { try $0.entry(at: path) }
  }

  /// The tags with the number of their entries.
  package func tags() async throws -> [TagCount] {
    try await query { try $0.tags() }
  }

  /// The entries that contain all the words, newest first.
  ///
  /// - Parameter isMarked: true to include the position of each match in its line and title.
  package func search(
    _ words: [String], isPattern: Bool, _ filter: ListFilter, isMarked: Bool = true
  ) async throws -> [SearchHit] {
    let searchQuery = isPattern ? .pattern(words.joined(separator: " ")) : SearchQuery(words: words)
    return try await query { try $0.search(searchQuery, filter, isMarked: isMarked) }
  }

  /// The newest entries that match a typed text, newest first, at most as many as the filter's
  /// limit. ``ListFilter/afterCursor`` continues after the last of them.
  package func searchNewest(typed: String, _ filter: ListFilter) async throws -> [SearchHit] {
    try await query { try $0.searchNewest(SearchQuery(parsing: typed), filter) }
  }

  /// The number of entries that match a typed text.
  package func hitCount(typed: String, _ filter: ListFilter) async throws -> Int {
    try await query { try $0.hitCount(SearchQuery(parsing: typed), filter) }
  }

  /// The current text of an entry's file.
  package func text(of path: EntryPath) throws -> EntryText {
    guard let file = try journal.folder.read(path) else { throw DiaryError.missingFile(path) }
    return EntryText(file.bytes)
  }
}

extension EntrySummary {
  /// True if the entry was written in the dark, for the choice between sun and moon.
  package var isNight: Bool {
    guard let date, date.seconds != nil else { return false }
    return Weather.isNight(date, at: nil)
  }
}
