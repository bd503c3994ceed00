import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import Localization

extension Journal {
  /// Newest first, as the files are now.
  package func list(_ filter: ListFilter = ListFilter()) async throws -> [EntrySummary] {
    try await ask { try $0.list(filter) }
  }

  /// How many entries the list has, as it was last brought up to date.
  package var entryCount: Int { get throws { try catalog.count() } }

  /// Tags with how many entries bear them.
  package func tags() async throws -> [TagCount] {
    try await ask { try $0.tags() }
  }

  /// The entries that hold all the words, best first.
  ///
  /// - Parameter isMarked: whether to say where in its line and title each was found.
  package func search(
    _ words: [String], isPattern: Bool, _ filter: ListFilter, isMarked: Bool = true
  ) async throws -> [SearchHit] {
    let query = isPattern ? .pattern(words.joined(separator: " ")) : SearchQuery(words: words)
    return try await ask { try $0.search(query, filter, isMarked: isMarked) }
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
