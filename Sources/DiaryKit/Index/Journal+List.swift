import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import Localization

extension Journal {
  /// Newest first, as the files are now.
  package func list(_ filter: ListFilter = ListFilter()) async throws -> [EntrySummary] {
    try await query { try $0.list(filter) }
  }

  /// How many entries the list has, as it was last brought up to date.
  package var entryCount: Int { get throws { try indexDatabase.count() } }

  /// The entries of a day of the year, of today's if none is given, in the years before its own,
  /// newest first, as the list was last brought up to date.
  package func entriesOnThisDay(_ asked: Day? = nil) throws -> [EntrySummary] {
    let (year, month, day) = (asked ?? today).components
    let days = (1...120).compactMap { Day(year: year - $0, month: month, day: day) }
    return try indexDatabase.entries(onAnyOf: days)
  }

  /// The entries of a day of the year in earlier years, as the files are now.
  package func currentEntriesOnThisDay(_ day: Day? = nil) async throws -> [EntrySummary] {
    try await updateIndex()
    return try entriesOnThisDay(day)
  }

  /// What can be counted about the entries that pass the filter, as the files are now.
  package func statistics(_ filter: ListFilter = ListFilter()) async throws -> JournalStatistics {
    JournalStatistics(of: try await list(filter), today: today)
  }

  /// Whether there is a file at the path.
  package func hasFile(at path: EntryPath) -> Bool { folder.hasFile(path) }

  /// The entry of a path, as the file is now; `nil` where there is none.
  package func summary(at path: EntryPath) async throws -> EntrySummary? {
    try await query { try $0.entry(at: path) }
  }

  /// Tags with how many entries bear them.
  package func tags() async throws -> [TagCount] {
    try await query { try $0.tags() }
  }

  /// The entries that hold all the words, best first.
  ///
  /// - Parameter isMarked: whether to say where in its line and title each was found.
  package func search(
    _ words: [String], isPattern: Bool, _ filter: ListFilter, isMarked: Bool = true
  ) async throws -> [SearchHit] {
    let searchQuery = isPattern ? .pattern(words.joined(separator: " ")) : SearchQuery(words: words)
    return try await query { try $0.search(searchQuery, filter, isMarked: isMarked) }
  }

  /// The newest entries that a text as a person types it finds, newest first, at most as many as the
  /// filter's limit; ``ListFilter/after`` goes on below the last of them.
  package func searchNewest(typed: String, _ filter: ListFilter) async throws -> [SearchHit] {
    try await query { try $0.searchNewest(SearchQuery(parsing: typed), filter) }
  }

  /// An entry's text as its file stands now.
  package func text(of path: EntryPath) throws -> EntryText {
    guard let file = try folder.read(path) else {
      throw DiaryError(localized("\(path.text) is gone"), kind: .nothingFound)
    }
    return EntryText(file.bytes)
  }
}

extension EntrySummary {
  /// Whether the entry was written in the dark, for choosing between sun and moon.
  package var isNight: Bool {
    guard let date, date.seconds != nil else { return false }
    return Weather.isNight(date, at: nil)
  }
}
